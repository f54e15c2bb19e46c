"""Command lines without a session: which one is used, and when one is started."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codeh_history import Session
from codeh_history.base.errors import Usage
from codeh_history.session.records import dumps
from codeh_history.store import create
from codeh_history.talk.append import text as append
from in_process import run_in_process
from support import run

ANSWER = '{"candidates":[{"content":{"parts":[{"text":"yes"}]},"finishReason":"STOP"}]}'
GEMINI = ("--to", "gemini", "--via", f"cat >&2; echo '{ANSWER}'")


@pytest.fixture(autouse=True)
def _in_a_directory(tmp_path, monkeypatch):
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def sessions(home):
    return sorted(path.stem for path in (home / "sessions").glob("*.jsonl"))


def noted(result):
    assert result.code == 0, result
    return result.err.decode().removeprefix("codeh-history: ").partition("\n")[0]


def today():
    return time.strftime("%Y-%m-%d")


def test_append_starts_a_session_and_other_commands_continue_it(home):
    name = f"{today()}-why-is-the-sky"
    assert noted(run_in_process("append", "Why is the sky", "blue?")) == f"new session {name}"
    assert sessions(home) == [name]
    meant = f"{name} (newest begun here)"
    lines = (
        ["append", "-m", "hi"], ["payload", "--to", "gemini"], ["ask", "And", "now?", *GEMINI], ["show"], ["last"], ["status"],
        ["stats"], ["curate"], ["set", "title=Sky"], ["clear"], ["undo"],
        ["export", "--to", "contents"], ["verify"], ["context"], ["config", "-s", name], ["fork", "--at", ":1", "--into", "other"],
    )  # fmt: skip
    for line in lines:
        result = run_in_process(*line)
        assert noted(result) == meant or line[0] == "config", line
    assert b"Why is the sky blue?" in run_in_process("show", "-q").out
    assert noted(run_in_process("last", "--role", "user")) == "other (newest begun here)"


@pytest.mark.parametrize("line", [["append"], ["ask", *GEMINI]])
def test_new_starts_a_session_that_can_be_named(home, line):
    for text, name in (("one", f"{today()}-one"), ("one", f"{today()}-one-2"), ("two", f"{today()}-two")):
        result = run_in_process(*line, text, "--new", env={"CODEH_SESSION": "other"})
        assert noted(result) == f"new session {name}"
    assert noted(run_in_process(*line, "x", "-s", "named", "--new")) == "new session named"
    before = (home / "sessions" / "named.jsonl").read_bytes()
    taken = run_in_process(*line, "x", "-s", "named", "--new")
    assert taken.code == 2
    assert b"named exists" in taken.err
    assert (home / "sessions" / "named.jsonl").read_bytes() == before
    assert len(sessions(home)) == 4


def test_chat_continues_a_session_or_starts_one_named_by_its_first_prompt(home):
    prompts = [b"Why is the sky blue?\nAnd on Mars?\n"]
    name = f"{today()}-why-is-the-sky"
    assert f"new session {name}" in run_in_process("chat", *GEMINI, stdin=prompts).err.decode()
    assert f"{name} (newest" in run_in_process("chat", *GEMINI, stdin=[b"more\n"]).err.decode()
    assert sessions(home) == [name]
    assert run_in_process("chat", "--new", *GEMINI, stdin=[b"Why is the sky blue?\n"]).code == 0
    assert run_in_process("chat", "x", "--new", *GEMINI, stdin=[b"hi\n"]).code == 0
    assert run_in_process("chat", "x", "--new", *GEMINI, stdin=[b"hi\n"]).code == 2
    assert sessions(home) == [name, f"{name}-2", "x"]
    assert run_in_process("chat", "--new", *GEMINI, stdin=[b"/help\n"]).code == 0
    assert len(sessions(home)) == 3  # nothing was said, nothing is begun


@pytest.mark.parametrize(
    ("line", "stdin", "name"),
    [
        (["append"], b"from stdin\n", "from-stdin"), (["ask", *GEMINI], b"piped in", "piped-in"),
        (["append", "--jsonl"], b'{"role":"user","parts":[{"text":"First line"}]}\n', "first-line"),
        (["append", "--exchange", "-"], b'{"userMessage":"Make a note","assistantResponse":"ok"}', "make-a-note"),
        (["append", "--key", "k"], b"with a key", "with-a-key"), (["append", "--stream"], b"unknown", r"\d{6}"),
        (["append", "--call", "ls", "--args", "{}"], b"", r"\d{6}"), (["append", "-F", "-", "look", "here:"], b"a", "look-here-a"),
    ],
)  # fmt: skip
def test_each_way_to_append_starts_a_session(home, line, stdin, name):
    result = run_in_process(*line, stdin=[stdin] if stdin else b"")
    assert re.fullmatch(rf"new session {today()}-{name}", noted(result)), result
    assert len(sessions(home)) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["show"], 3), (["payload", "--to", "gemini"], 3), (["set", "title=x"], 3), (["undo"], 3), (["curate"], 3),
        (["append", "--result", "ls", "-m", "x"], 3), (["append", "--call-id", "c", "--call", "ls", "--args", "{}"], 3),
        (["append", "--from", "auto"], 3), (["update", ":1", "-m", "x"], 3), (["ask", *GEMINI], 65), (["append", ""], 65),
        (["rm"], 2), (["redact", "-i", "--yes"], 2), (["persist", "-i"], 2), (["hydrate", "-i"], 2),
        (["append", "--result", "ls", "-m", "x", "--new"], 2), (["append", "--from", "auto", "--new"], 2),
    ],
)  # fmt: skip
def test_nothing_else_starts_a_session(home, line, code):
    result = run_in_process(*line)
    assert result.code == code, result
    assert not sessions(home)


@pytest.mark.parametrize("line", [["redact", "-i", "--yes"], ["persist", "-i"], ["hydrate", "-i"], ["rm"]])
def test_destructive_commands_never_default_to_the_newest_session(home, line):
    run_in_process("append", "the password is swordfish-2026")
    before = (home / "sessions" / f"{sessions(home)[0]}.jsonl").read_bytes()
    assert run_in_process(*line).code == 2
    assert (home / "sessions" / f"{sessions(home)[0]}.jsonl").read_bytes() == before
    assert run_in_process(*line, env={"CODEH_SESSION": sessions(home)[0]}).code == 0


def test_seeded_ids_require_a_session_name(home):
    for line in (["append", "hi"], ["append", "--new", "hi"], ["show"], ["payload", "--to", "gemini"]):
        assert run_in_process(*line, env={"CODEH_ID_SEED": "x"}).code == 2
    assert not sessions(home)


def test_in_serve_and_the_library_a_session_is_named(home, monkeypatch):
    run_in_process("append", "-s", "demo", "hi")
    requests = [
        {"id": verb, "argv": [verb, *rest]}
        for verb, *rest in (["last"], ["append", "x"], ["append", "--new", "x"])
    ]
    done = run("serve", stdin=b"".join(dumps(request) + b"\n" for request in requests), cwd=Path.cwd())
    assert sorted((answer["id"], answer["code"]) for answer in done.lines) == [
        ("append", 2), ("append", 2), ("last", 2),
    ]  # fmt: skip
    monkeypatch.setenv("CODEH_HOME", str(home))
    with pytest.raises(Usage):
        Session.open("")
    with pytest.raises(TypeError):
        Session.open("demo").append("x", new=True)
    assert sessions(home) == ["demo"]


def test_copies_and_rescued_sessions_were_not_started_here(home):
    run_in_process("append", "-s", "own", "hi")
    Path("list.json").write_text(
        '[{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]}]'
    )
    assert run_in_process("import", "list.json", "--into", "copy").code == 0
    assert run_in_process("rescue", "own", "--budget", "9k", "--output", "rescued").code == 0
    assert "rescued" in sessions(home)
    for id in ("copy", "rescued"):
        run_in_process("append", "-s", id, "newer")
    assert noted(run_in_process("last")) == "own (newest begun here)"


def test_an_answer_goes_to_the_only_session_with_a_recent_prompt(home):
    run_in_process("append", "-s", "first", "hi", env={"CODEH_NOW": "2026-01-02T03:04:05Z"})
    run_in_process("append", "-s", "second", "hi")
    answer = run_in_process("append", "--from", "auto", stdin=[ANSWER.encode()])
    assert noted(answer) == "second (newest begun here)"
    run_in_process("append", "-s", "first", "hi")
    unsure = run_in_process("append", "--from", "auto", stdin=[ANSWER.replace("yes", "no").encode()])
    assert unsure.code == 2
    assert b"second" in unsure.err
    assert b"first" in unsure.err
    kept = re.search(rb"`codeh-history append -s SESSION --from auto < (.*)`", unsure.err)
    assert kept is not None
    with open(kept[1], "rb") as file:
        assert run_in_process("append", "-s", "first", "--from", "auto", stdin=file.fileno()).code == 0
    assert run_in_process("last", "first").out == b"no\n"


def test_text_and_m_are_mutually_exclusive(home):
    for line in (["append"], ["ask", *GEMINI]):
        assert run_in_process(*line, "a", "-m", "b").code == 2
    assert not sessions(home)
    run_in_process("append", "-s", "demo", "two", "words")
    assert run_in_process("last", "demo", "--role", "user").out == b"two words\n"


def test_a_text_that_starts_with_a_session_id_gets_a_hint(home):
    run_in_process("append", "-s", "demo", "hi")
    for words in (["demo"], ["demo", "hi"]):
        assert noted(run_in_process("append", *words)) == "demo is text here; the session demo is -s demo"
    assert run_in_process("append", "-s", "demo", "demo").err == b""
    assert run_in_process("append", "-s", "demo", "demo x").err == b""


@pytest.mark.parametrize("verb", ["undo", "clear", "chat"])
def test_verbs_about_a_session_take_it_as_their_first_argument(home, verb):
    run_in_process("append", "-s", "demo", "hi")
    run_in_process("append", "-s", "newer", "hi")
    args = GEMINI if verb == "chat" else ()
    before = (home / "sessions" / "newer.jsonl").read_bytes()
    assert run_in_process(verb, "demo", *args, stdin=[b"more\n"] if args else b"").code == 0
    assert len((home / "sessions" / "demo.jsonl").read_bytes().splitlines()) > 2
    assert (home / "sessions" / "newer.jsonl").read_bytes() == before


@pytest.mark.parametrize("new", [[], ["--new"], ["named", "--new"]])
def test_chat_stores_every_prompt_in_the_session_it_started(home, new):
    """2026-11-27: the second prompt was refused, as the session was no longer new."""
    done = run_in_process("chat", *new, *GEMINI, stdin=[b"one\ntwo\n", b"three\n"])
    assert done.code == 0, done
    (name,) = sessions(home)
    prompts = run_in_process("show", "-s", name, "--role", "user", "--jsonl").lines
    assert [line["parts"][0]["text"] for line in prompts] == ["one", "two", "three"]


@pytest.mark.parametrize("new", [[], ["--new"], ["named", "--new"], ["named"]])
def test_a_system_prompt_may_come_before_the_first_prompt_of_a_chat(home, new):
    done = run_in_process("chat", *new, *GEMINI, stdin=[b"/system Be brief.\none\ntwo\n/system\n"])
    assert (done.code, done.text.splitlines()[-1]) == (0, "Be brief.")
    (name,) = sessions(home)
    assert name == ("named" if new[:1] == ["named"] else f"{today()}-one")
    prompts = run_in_process("show", "-s", name, "--role", "user", "--jsonl").lines
    assert [line["parts"][0]["text"] for line in prompts] == ["one", "two"]
    assert b"Be brief." in run_in_process("payload", name, "--to", "gemini", "--prefill").out


def test_two_starts_with_the_same_words_make_two_sessions(home):
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda _: run("append", "--new", "hi", cwd=os.getcwd()), range(6)))
    assert [each.code for each in done] == [0] * 6, done
    assert len(sessions(home)) == 6


def test_a_name_taken_in_the_meantime_is_not_appended_to(home, monkeypatch):
    run_in_process("append", "-s", "taken", "theirs")
    monkeypatch.setattr(append, "name_for", lambda *_: "taken")
    seen = iter([False, True, False])
    monkeypatch.setattr(create, "is_taken", lambda _: next(seen))
    assert noted(run_in_process("append", "--new", "ours")) == "new session taken-2"
    seen = iter([False])
    refused = run_in_process("ask", "--new", "ours", *GEMINI)
    assert refused.code == 75
    monkeypatch.setattr(append, "exists", lambda _: False)
    named = run_in_process("append", "-s", "taken", "--new", "ours")
    assert named.code == 2
    assert b"taken exists" in named.err
    assert b"ours" not in (home / "sessions" / "taken.jsonl").read_bytes()

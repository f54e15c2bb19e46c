"""A stream stays in the session in which it began; without that session, its text is kept in a file."""

import os
import re
import shlex
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from answers import STREAMS
from codeh_history import Session
from codeh_history.base.errors import NotFound
from codeh_history.talk.receive.pending import text_of
from in_process import run_in_process
from support import lines, piped, run, session_path, until


def removed(home):
    assert run_in_process("rm", "s", home=home).code == 0


def begun_again(home):
    removed(home)
    assert run_in_process("append", "-s", "s", "-m", "another", home=home).code == 0


def deleted(home):
    session_path(home, "s").unlink()


def all_deleted(home):
    shutil.rmtree(home.rename(home.with_name("gone")))  # at once: a process works in it


GONE = [removed, begun_again, deleted, all_deleted]


def restored(home):
    removed(home)
    assert run_in_process("rm", "--restore", "s", home=home).code == 0


def replaced(home):
    """As `gc`, `redact -i` and `sync` do: by another file, in which the lines stand elsewhere."""
    path = session_path(home, "s")
    first, _, rest = path.read_bytes().partition(b"\n")
    Path(f"{path}.new").write_bytes(first + b'\n{"type":"meta","set":{"title":"t"}}\n' + rest)
    Path(f"{path}.new").rename(path)


def begun(home):
    path = session_path(home, "s")
    return path.exists() and b'"delta"' in path.read_bytes()


def kept(home, err, text, role):
    """The text is in the file that the error names, and the command that it names stores it."""
    assert "the session was removed" in err
    (file,) = (home / "unsent").iterdir()
    assert re.fullmatch(r"s-[0-9a-f]{20}\.txt", file.name)
    assert str(file) in err
    assert file.read_text() == text
    assert file.stat().st_mode & 0o777 == 0o600
    command = shlex.split(err.split("`")[1])
    assert run_in_process(*command[1:], home=home).code == 0
    last = lines(session_path(home, "s"))[-1]
    assert (last["role"], last["parts"]) == (role, [{"text": text.removesuffix("\n")}])


@pytest.mark.parametrize(("role", "change"), [("user", removed), *(("model", change) for change in GONE)])
def test_a_stream_whose_session_is_removed(home, change, role):
    process = piped("append", "-s", "s", "--stream", "--role", role, "--echo", home=home)
    process.stdin.write(b"Hello, ")
    until(lambda: begun(home))
    change(home)
    process.stdin.write(b"it goes on ")
    time.sleep(0.15)  # a write of its own
    out, err = process.communicate(b"and ends.\n")
    assert (process.returncode, out) == (3, b"Hello, it goes on and ends.\n")
    if change is begun_again:
        assert [r["type"] for r in lines(session_path(home, "s"))] == ["session", "message"]
    kept(home, err.decode(), "Hello, it goes on and ends.\n", role)


QUESTION = ("ask", "-m", "question", "--to", "text")
CALL = ("append", "--call", "f", "--args", "{}", "--call-id", "c1")


@pytest.mark.parametrize(
    ("before", "argv", "text"), [((), QUESTION, "answer"), (CALL, ("calls",), '{"output":"answer"}')]
)
def test_an_answer_to_what_sync_moved_to_a_fork(home, tmp_path, before, argv, text):
    """It is not stored behind another prompt: a home that shares the store cannot see that one waits."""
    share = tmp_path / "share"
    first = {"CODEH_HOME": str(tmp_path / "one"), "CODEH_STORE": f"dir:{share}", "CODEH_SESSION": "s"}
    second = {"CODEH_HOME": str(tmp_path / "two")}
    run("append", "-m", "start", env=first)
    run("sync", f"dir:{share}", env=second)
    run("append", "-s", "s", "-m", "earlier", env={**second, "CODEH_NOW": "2020-01-01T00:00:00Z"})
    if before:
        run(*before, env=first)
    other = f"env -u CODEH_STORE CODEH_HOME={tmp_path}/two {sys.executable} -m codeh_history"
    done = run(*argv, "--via", f"{other} sync dir:{share} >&2; printf answer", env=first)
    assert done.code == 3
    assert "sync gave its name to another branch" in done.err.decode()
    assert [file.read_text() for file in (tmp_path / "one" / "unsent").iterdir()] == [text]
    texts = [line["parts"][0]["text"] for line in lines(share / "s.jsonl")[1:]]
    assert texts == ["start", "earlier"]


@pytest.mark.parametrize("change", [restored, replaced])
def test_stream_follows_a_moved_log(home, change):
    process = piped("append", "-s", "s", "--stream", home=home)
    process.stdin.write(b"Hello, ")
    until(lambda: begun(home))
    change(home)
    out, err = process.communicate(b"and ends.")
    assert (process.returncode, len(out)) == (0, 21), err
    assert lines(session_path(home, "s"))[-1]["parts"] == [{"text": "Hello, and ends."}]
    assert not (home / "unsent").exists()


@pytest.mark.parametrize(
    ("provider", "change"), [("gemini", removed), ("anthropic", begun_again), ("openai-chat", all_deleted)]
)
def test_an_answer_whose_session_is_removed(home, change, provider):
    run_in_process("append", "-s", "s", "-m", "hi", home=home)
    process = piped("append", "-s", "s", "--from", "auto", "--echo", home=home)
    data = STREAMS[provider]()
    process.stdin.write(data[: len(data) // 2])
    until(lambda: begun(home))
    change(home)
    out, err = process.communicate(data[len(data) // 2 :])
    assert process.returncode == 3, err
    (file,) = (home / "unsent").iterdir()
    text = file.read_text()
    words = "".join(line for line in text.split("\n") if "functionCall" not in line)
    assert words == out.decode().rstrip("\n")
    assert ("Hel" in text, '"functionCall":{' in text) == (True, True)
    kept(home, err.decode(), text, "model")


@pytest.mark.parametrize(
    ("first", "change"),
    [(b"", removed), (b"", begun_again), (b"An answer ", begun_again), (b"x ", all_deleted)],
)
def test_ask_keeps_what_it_printed(home, tmp_path, change, first):
    go = tmp_path / "go"
    os.mkfifo(go)
    via = f"cat >/dev/null; printf '{first.decode()}'; cat {go}"
    process = piped("ask", "-s", "s", "-m", "hi", "--no-stdin", "--to", "text", "--via", via, home=home)
    until(lambda: begun(home) if first else session_path(home, "s").exists())
    with go.open("wb") as file:
        change(home)
        file.write(b"that ends.")
    out, err = process.communicate()
    assert (process.returncode, out) == (3, first + b"that ends.\n")
    assert b"prompt is stored" not in err
    kept(home, err.decode(), (first + b"that ends.").decode(), "model")


def test_signal_names_the_file_with_the_text(home):
    process = piped("append", "-s", "s", "--stream", home=home)
    process.stdin.write(b"Hello")
    until(lambda: begun(home))
    removed(home)
    process.stdin.write(b", you")
    until(lambda: (home / "unsent").exists() and any((home / "unsent").glob("*.txt")))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate()
    assert process.returncode == 143
    kept(home, err.decode(), "Hello, you", "user")


def test_lost_text_is_reported(home):
    process = piped("append", "-s", "s", "--stream", home=home)
    process.stdin.write(b"Hello")
    until(lambda: begun(home))
    removed(home)
    (home / "unsent").write_text("in its way")
    _, err = process.communicate(b".")
    assert process.returncode == 3
    assert b"its text could not be kept: " in err


def test_failure_after_removal_of_the_session(home):
    run_in_process("append", "-s", "s", "-m", "hi", home=home)
    process = piped("append", "-s", "s", "--from", "openai-chat", home=home)
    data = STREAMS["openai-chat"]()
    process.stdin.write(data[: len(data) // 2])
    until(lambda: begun(home))
    removed(home)
    _, err = process.communicate()
    assert process.returncode == 3
    (file,) = (home / "unsent").iterdir()
    assert f"its text is in {file}".encode() in err
    assert file.read_text()


@pytest.fixture
def session(home):
    """One of a program, with a prompt."""
    session = Session.open("s", create=True, home=home)
    session.append("hi")
    return session


@pytest.mark.parametrize("change", GONE)
def test_the_stream_of_a_program(home, session, change):
    stream = session.stream("model")
    stream.write("Hello, ")
    change(home)
    stream.write("and ends.\n")
    with pytest.raises(NotFound) as raised:
        stream.commit()
    assert raised.value.code == 3
    kept(home, str(raised.value), "Hello, and ends.\n", "model")


def test_an_exception_in_the_stream_of_a_program_keeps_the_text(home, session):
    with suppress(ZeroDivisionError), session.stream("model") as stream:
        stream.write("Hello, ")
        removed(home)
        stream.write(str(1 / 0))
    (file,) = (home / "unsent").iterdir()
    assert file.read_text() == "Hello, "


@pytest.mark.parametrize("change", [removed, begun_again])
def test_an_update_from_stdin(home, change):
    id = run_in_process("append", "-s", "s", "--role", "model", "--pending", "-m", "Hel", home=home).text
    change(home)
    done = run_in_process("update", "-s", "s", id, "--append", home=home, stdin=b"lo\n")
    assert done.code == 3
    (file,) = (home / "unsent").iterdir()
    assert str(file).encode() in done.err
    assert file.read_text() == "lo\n"
    again = run_in_process("update", "-s", "s", id, "--append", "-m", "lo", home=home)
    assert again.code == 3
    assert len([*(home / "unsent").iterdir()]) == 1  # what was typed is in the shell's history


def test_status_lists_kept_text_and_gc_removes_it_when_old(home):
    run_in_process("append", "-s", "s", "-m", "hi", home=home)
    kept = home / "unsent" / "gone-1.txt"
    kept.parent.mkdir()
    kept.write_text("text")
    assert f"unsent     {kept}\n".encode() in run_in_process("status", "s", home=home).out
    assert run_in_process("status", "s", "--json", home=home).lines[0]["unsent"] == [str(kept)]
    assert str(kept).encode() in run_in_process("status", "gone", home=home).err
    assert run_in_process("gc", "--yes", home=home).out == b""
    old = time.time() - 31 * 86400
    os.utime(kept, (old, old))
    line = {"unsent": str(kept), "bytes": 4}
    assert run_in_process("gc", home=home).lines == [line | {"removed": False}]
    assert run_in_process("gc", "--yes", home=home).lines == [line | {"removed": True}]
    assert not kept.exists()
    assert run_in_process("status", "s", "--json", home=home).lines[0]["unsent"] == []


def test_calls_are_kept_beside_the_text(home, session):
    def arriving():
        session_path(home, "s").unlink()
        yield b'{"choices":[{"message":{"role":"assistant","content":"Now:","tool_calls":['
        yield b'{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}'

    with pytest.raises(NotFound):
        session.append_response(arriving())
    (file,) = (home / "unsent").iterdir()
    assert file.read_text() == 'Now:\n{"functionCall":{"id":"c1","name":"ls","args":{}}}\n'


def test_thoughts_are_not_part_of_the_text():
    assert text_of([{"text": "Hm.", "thought": True}, {"text": "So\n"}, {"text": "it is."}]) == "So\nit is."

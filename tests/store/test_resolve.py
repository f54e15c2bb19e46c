"""From what people type to a session: ids, prefixes, paths, `@`, `@.` and `-`."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.base.errors import NotFound, Usage
from codeh_history.store import paths
from codeh_history.store.resolve import for_filtering, for_reading, for_writing
from in_process import run_in_process, run_ok

MESSAGE = '{"type":"message","id":"m","ts":"%s","kind":"user","role":"user","parts":[]}\n'
HEADER = '{"type":"session","version":1,"id":"x","cwd":"%s"}\n'


@pytest.fixture
def env(tmp_path):
    """A home with the sessions alpha-1, alpha-2 (the newest) and beta, and the older old.json."""
    sessions = tmp_path / "home" / "sessions"
    sessions.mkdir(parents=True)
    for name, cwd, ts in [
        ("alpha-1", "/a", "2026-01-02T00:00:00.000Z"), ("alpha-2", "/b", "2026-03-02T00:00:00.000Z"),
        ("beta", "/a", "2026-02-02T00:00:00.000Z"),
    ]:  # fmt: skip
        (sessions / f"{name}.jsonl").write_text(HEADER % cwd + MESSAGE % ts)
        os.utime(sessions / f"{name}.jsonl", (0, 0))
    (sessions / "old.json").write_text("[]")
    (sessions / "not a session.txt").write_text("")
    (sessions / ".hidden.jsonl").write_text("")
    return Env({"CODEH_HOME": str(tmp_path / "home")}, stderr=os.open(os.devnull, os.O_WRONLY))


@given(text=st.text(max_size=12) | st.text("aZ0_-./\\~", max_size=8))
def test_no_name_leads_out_of_the_home(text):
    """What is no path to a .json or .jsonl file lands in the sessions directory, or nowhere."""
    try:
        path = paths.path_of(Env({"CODEH_HOME": "/home"}), text)
    except Usage:
        return
    if not paths.is_path(text):
        assert os.path.dirname(os.path.normpath(path)) == "/home/sessions"
        assert os.path.basename(path) == f"{text}.jsonl"


READING = {
    "alpha-1": "alpha-1.jsonl", "b": "beta.jsonl", "beta": "beta.jsonl", "@": "alpha-2.jsonl", "old": "old.json",
    "ol": "old.json", "./x.jsonl": "x.jsonl", "dir/y.json": "y.json",
}  # fmt: skip


@pytest.mark.parametrize(("name", "file"), READING.items())
def test_reading_takes_ids_and_unique_prefixes(env, name, file):
    assert os.path.basename(for_reading(env, name).path) == file
    assert os.path.basename(for_reading(env, None, name).path) == file


def test_an_older_file_beside_the_session_is_named_and_not_read(env):
    home = Path(env.home)
    assert run_in_process("show", "alpha-1", home=home).err == b""
    older = home / "sessions" / "alpha-1.json"
    older.write_text("[]")
    assert os.path.basename(for_reading(env, "alpha-1").path) == "alpha-1.jsonl"
    note = f"codeh-history: alpha-1: read from alpha-1.jsonl, not from {older}\n"
    assert run_in_process("show", "alpha-1", home=home).err.decode() == note
    assert run_in_process("payload", "alpha-1", "--to", "text", home=home).err.decode().startswith(note)


def test_a_whole_id_is_no_prefix(env):
    Path(env.home, "sessions", "alpha.jsonl").write_text(HEADER)
    assert for_reading(env, "alpha").id == "alpha"


@pytest.mark.parametrize("name", ["alpha", "gamma", "BETA"])
def test_reading_none_or_many_is_not_found(env, name):
    with pytest.raises(NotFound):
        for_reading(env, name)


def test_writing_takes_no_prefix_and_no_stream(env):
    assert not os.path.exists(for_writing(env, "alph").path)
    assert for_writing(env, "@").id == "alpha-2"
    for name in ("-", "x.json"):
        with pytest.raises(Usage):
            for_writing(env, name)
    with pytest.raises(Usage, match=r"import"):
        for_writing(env, "old")


def test_the_latest_is_told_by_messages_not_by_the_file(env):
    os.utime(Path(env.home, "sessions", "alpha-1.jsonl"))
    assert for_reading(env, "@").id == "alpha-2"


def test_the_latest_passes_over_a_damaged_end_and_empty_sessions(env):
    with Path(env.home, "sessions", "alpha-2.jsonl").open("a") as file:
        file.write('{"type":"compaction","id":"k","ts":"2026-04-01T00:00:00Z","ops":[]}\n\n{"type":"mess')
    Path(env.home, "sessions", "empty.jsonl").write_text("")
    Path(env.home, "sessions", "header.jsonl").write_text(HEADER)
    assert for_reading(env, "@").id == "alpha-2"


def test_the_latest_begun_here(env, monkeypatch):
    monkeypatch.setattr(os, "getcwd", lambda: "/a")
    assert for_reading(env, "@.").id == "beta"
    monkeypatch.setattr(os, "getcwd", lambda: "/nowhere")
    with pytest.raises(NotFound):
        for_reading(env, "@.")


def test_there_is_no_latest_without_a_session(tmp_path):
    with pytest.raises(NotFound):
        for_reading(Env({"CODEH_HOME": str(tmp_path)}), "@")


def test_argument_option_and_environment(env):
    """The argument and `-s` are stronger than the environment, and must not differ."""
    env.environ = {**env.environ, "CODEH_SESSION": "beta"}
    assert for_reading(env, None).why == "CODEH_SESSION"
    assert for_reading(env, "alpha-1").id == "alpha-1"
    assert for_reading(env, "alpha-1", "alpha-1").id == "alpha-1"
    with pytest.raises(Usage):
        for_reading(env, "alpha-1", "beta")


def test_where_nothing_is_named_the_newest_begun_here_is_meant_and_noted_once(env, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "getcwd", lambda: "/a")
    env.stderr = os.open(tmp_path / "notes", os.O_WRONLY | os.O_CREAT)
    for choose in (for_reading, for_writing, for_filtering):
        target = choose(env, None)
        assert (target.id, target.why) == ("beta", "newest begun here")
    os.close(env.stderr)
    assert (tmp_path / "notes").read_text() == "codeh-history: beta (newest begun here)\n"


@pytest.mark.parametrize(("option", "argument"), [("", None), (None, ""), ("", "")])
def test_an_empty_name_is_a_usage_error(env, option, argument):
    env.environ = {**env.environ, "CODEH_SESSION": "beta"}
    for choose in (for_reading, for_writing, for_filtering):
        with pytest.raises(Usage, match="an empty name"):
            choose(env, option, argument)
    env.environ = {**env.environ, "CODEH_SESSION": ""}
    with pytest.raises(Usage, match="CODEH_SESSION: an empty name"):
        for_reading(env, None)
    assert for_reading(env, "beta").id == "beta"


def test_a_filter_reads_no_other_session_than_the_one_piped_in(env, monkeypatch, tmp_path):
    monkeypatch.setattr(os, "getcwd", lambda: "/a")
    (tmp_path / "file").write_text("")
    reader, writer = os.pipe()
    env.stdin = reader
    with pytest.raises(Usage, match="stdin is a pipe: pass - "):
        for_filtering(env, None)
    assert for_filtering(env, "beta").id == "beta"
    os.close(writer)
    with pytest.raises(Usage, match="stdin is a pipe: pass - "):
        for_filtering(env, None)  # a command before it that printed nothing
    env.environ = {**env.environ, "CODEH_SESSION": "alpha-1"}
    assert for_filtering(env, None).id == "alpha-1"  # nothing can come: as cron starts it
    env.environ = {name: value for name, value in env.environ.items() if name != "CODEH_SESSION"}
    env.stdin = os.open(tmp_path / "file", os.O_RDONLY)
    with pytest.raises(Usage, match="stdin is a file: pass - "):
        for_filtering(env, None)
    env.environ = {**env.environ, "CODEH_SESSION": "alpha-1"}
    assert for_filtering(env, None).id == "alpha-1"
    env.stdin, writer = os.pipe()
    with pytest.raises(Usage, match="stdin is a pipe: pass - "):
        for_filtering(env, None)
    assert for_filtering(env, None, "-").path == "-"
    os.close(writer)


def test_an_existing_file_gets_an_error_about_its_path(env, tmp_path, monkeypatch):
    (tmp_path / "page.html").write_text("<html>")
    monkeypatch.chdir(tmp_path)
    for name, error in (("page.html", "a path must end"), ("pages.html", "did you mean pages-html")):
        with pytest.raises(Usage, match=error):
            for_reading(env, None, name)


def test_2026_11_23_an_ambiguous_name_lists_times_and_first_prompts(tmp_path):
    for name, text in (("barn-1", "Paint it red."), ("barn-2", "Count the rye.")):
        run_ok("append", "-s", name, "-m", text, home=tmp_path, env={"CODEH_NOW": "2026-01-02T03:04:05Z"})
    env = {"TZ": "UTC", "CODEH_NOW": "2026-06-01T00:00:00Z"}
    done = run_in_process("show", "barn", home=tmp_path, env=env)
    assert done.code == 3
    first, *rest = done.err.decode().splitlines()
    assert first == "codeh-history: barn: ambiguous: barn-1, barn-2"
    assert sorted(rest) == [
        "codeh-history:   barn-1  01-02 03:04  Paint it red.",
        "codeh-history:   barn-2  01-02 03:04  Count the rye.",
    ]


HOME = {"CODEH_HOME": "/h"}


@pytest.mark.parametrize(
    ("session", "path"),
    [
        ("demo", "/h/sessions/demo.jsonl"), ("9-_x", "/h/sessions/9-_x.jsonl"),
        ("d" * 128, f"/h/sessions/{'d' * 128}.jsonl"), ("demo.jsonl", "demo.jsonl"), ("a/b.json", "a/b.json"),
        ("/x/../y.jsonl", "/x/../y.jsonl"), ("-.jsonl", "-.jsonl"), ("./x.jsonl", "./x.jsonl"), ("postgres://h/d/s.jsonl", "./postgres://h/d/s.jsonl"),
    ],
)  # fmt: skip
def test_an_id_is_a_file_of_the_store_and_a_path_is_itself(session, path):
    assert paths.path_of(Env(HOME), session) == path


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ("a/b", "a path must end in .jsonl or .json (ids are"), ("", "not a session id ("), ("a\0b", "did you mean a-b?"),
        ("-x", "at most 128); did you mean x?"), ("my chat!", "at most 128); did you mean my-chat?"),
        ("ä", "at most 128)"), ("con", "a device name on Windows"), ("d" * 129, "not a session id"),
        ("../demo", "a path must end in"), ("postgres://elsewhere/d/s", "a path must end in"),
    ],
)  # fmt: skip
def test_an_invalid_session_name_is_exit_2_with_a_suggestion(session, message):
    with pytest.raises(Usage) as error:
        paths.path_of(Env(HOME), session)
    assert message in str(error.value)
    assert ("did you mean" in str(error.value)) == ("did you mean" in message)


@pytest.mark.parametrize(
    ("store", "folder"),
    [(None, "/h/sessions"), ("", "/h/sessions"), ("dir:/work", "/work"), ("dir:rel", "rel"),
     ("dir:~/s", "/user/s")],
)  # fmt: skip
def test_the_store_is_a_folder_by_name_else_the_homes_own(store, folder, monkeypatch):
    monkeypatch.setenv("HOME", "/user")
    env = Env(HOME | ({} if store is None else {"CODEH_STORE": store}))
    assert paths.sessions_dir(env) == folder
    assert paths.path_of(env, "s") == os.path.join(folder, "s.jsonl")
    assert paths.own_dir(env) == "/h/sessions"


@pytest.mark.parametrize(
    ("path", "id"),
    [("/h/sessions/demo.jsonl", "demo"), ("a.b.json", "a.b"), ("/x/demo", "demo"), ("/x/de.mo", "de.mo"),
     ("postgres://h/d/demo", "demo"), (os.fsdecode(b"/x/\xff.jsonl"), "?")],
)  # fmt: skip
def test_a_files_name_stands_for_an_id(path, id):
    assert paths.id_of(path) == id


def test_a_session_beside_it_with_a_name_much_like_it_was_meant(tmp_path):
    for name in ("demo.jsonl", "other.jsonl", "dmeo.txt", "dmeoo!.jsonl"):
        (tmp_path / name).touch()
    assert paths.similar_id(str(tmp_path / "dmeo.jsonl")) == " (did you mean demo?)"
    assert paths.hint(str(tmp_path / "dmeo.jsonl")) == " (did you mean demo?)"
    assert paths.similar_id(str(tmp_path / "unlike.jsonl")) == ""
    assert paths.hint(str(tmp_path / "unlike.jsonl")) == " (`codeh-history list` shows all)"
    assert paths.similar_id(str(tmp_path / "none/dmeo.jsonl")) == ""


def test_a_session_is_there_where_anything_is(tmp_path):
    (tmp_path / "a.jsonl").touch()
    assert paths.exists(str(tmp_path / "a.jsonl"))
    assert paths.exists(str(tmp_path))
    assert not paths.exists(str(tmp_path / "b.jsonl"))

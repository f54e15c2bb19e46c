"""`import`: reading the file, copying or updating sessions, and reporting."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from typing import NamedTuple

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.commands import import_ as importing
from codeh_history.commands.import_ import HEAD, Imported, import_session, note_result, opened
from codeh_history.programs.model import (
    ABANDONED,
    AgentUsage,
    Entry,
    Piece,
    Problem,
    Session,
    with_branches,
)
from codeh_history.store import program_files
from codeh_history.sync.encryption import FIRST, is_bundle
from in_process import readable, run_in_process, run_ok
from program_files import SAMPLES, SESSION, Pi, played, written
from support import append_text, lines, run
from support import session_path as path_of
from terminal_output import on_terminal

SIZES = [0, 1, HEAD - 1, HEAD, HEAD + 1, 200_000]


def content(size):
    return bytes(number % 251 for number in range(size))


@pytest.mark.parametrize("piped", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_it_can_be_read_again_and_again(size, *, piped):
    pieces = [content(size)[at : at + 5000] for at in range(0, size, 5000)]
    with readable(pieces if piped else content(size)) as stdin, opened(Env({}, stdin=stdin), "-") as file:
        assert file.read(HEAD) == content(size)[:HEAD]
        file.seek(0)
        for _ in range(2):
            assert os.pread(file.fileno(), size + 1, 0) == content(size)
        assert file.read() == content(size)


def test_a_partly_read_file_is_read_from_its_offset(tmp_path):
    (tmp_path / "f").write_bytes(b"read already" + content(2000))
    with (tmp_path / "f").open("rb") as file:
        os.lseek(file.fileno(), 12, os.SEEK_SET)
        with opened(Env({}, stdin=file.fileno()), "-") as stdin:
            assert os.pread(stdin.fileno(), 3000, 0) == content(2000)
            assert stdin.read() == content(2000)


def test_a_file_is_closed_and_an_error_names_it(tmp_path):
    (tmp_path / "f").write_bytes(b"x")
    before = len(os.listdir("/dev/fd"))
    with opened(Env({}), str(tmp_path / "f")) as file:
        assert file.read() == b"x"
    assert len(os.listdir("/dev/fd")) == before
    with pytest.raises(Usage, match=r"none: no such file$"), opened(Env({}), str(tmp_path / "none")):
        pass


def test_a_bundle_is_recognised_by_its_first_member():
    head = FIRST.encode().ljust(257, b"\0") + b"ustar".ljust(255, b"\0")
    assert is_bundle(head)
    assert not is_bundle(head[:256])
    assert not is_bundle(b"other.json".ljust(257, b"\0") + head[257:])
    assert not is_bundle(head.replace(b"ustar", b"other"))
    assert not is_bundle(head.replace(b".json\0", b".jsonl"))


class Flags(NamedTuple):
    into: str | None = None
    report: bool = False
    verbose: bool = False
    strict: bool = False
    branches: bool = False


def notes(tmp_path, session, **options):
    with (tmp_path / "err").open("wb") as err:
        imported = Imported("p-s", 1, created=True)
        note_result(Env({}, stderr=err.fileno()), Flags(**options), "f", session, imported)
    return (tmp_path / "err").read_text().replace("codeh-history: f: ", "").splitlines()


def test_repairs_and_skips_are_reported_with_their_line(tmp_path):
    session = Session("p", "s", problems=[
        Problem(3, "skips", "not JSON"), Problem(0, "forgets", "no parent", "by its place"), Problem(4, "doubles", "twice"),
    ])  # fmt: skip
    assert notes(tmp_path, session) == ["line 3: not JSON", "no parent (by its place)"]


def test_a_database_of_an_unknown_program_is_named(tmp_path):
    path = tmp_path / "notes.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE notes (text)")
    done = run_in_process("import", str(path), home=tmp_path)
    assert done.code == 65
    assert b"a database of an unknown program" in done.err


@pytest.mark.parametrize("program", ["claude-code", "pi", "aider", "llm"])
def test_a_file_of_another_kind_is_refused_as_of_the_program_that_was_named(home, tmp_path, program):
    path = tmp_path / "notes.txt"
    path.write_text("just a note\n")
    done = run_in_process("import", "--from", program, str(path))
    assert (done.code, done.out) == (65, b"")
    why = f"no message of {program} in it; nothing was imported"
    assert done.err.decode() == f"codeh-history: {path}: {why}\n"
    assert not (home / "sessions").exists()


def test_strict_refuses_a_file_with_a_lost_line(tmp_path):
    path = written(tmp_path / "s.jsonl", [*played(Pi(), "user a one").lines, "{damage"])
    done = run_in_process("import", "--strict", str(path), home=tmp_path)
    assert (done.code, done.out) == (65, b"")
    assert b"line 3: not an object" in done.err
    assert done.err.endswith(b"; nothing was imported\n")
    run_ok("import", str(path), home=tmp_path)


def test_many_problems_show_the_first_and_report_all(tmp_path):
    session = Session("p", "s", problems=[Problem(n, "skips", "not JSON") for n in range(1, 26)])
    messages = notes(tmp_path, session)
    assert len(messages) == 21
    assert messages[-1] == "and 5 more (`codeh-history verify f` lists all)"
    reported = [orjson.loads(raw) for raw in notes(tmp_path, session, report=True) if raw.startswith("{")]
    assert [line["line"] for line in reported] == list(range(1, 26))
    assert {line["session"] for line in reported} == {"p-s"}


def test_2026_11_23_skipped_content_is_listed_before_interface_records(tmp_path):
    session = Session("p", "s", skipped=Counter({"thought": 2, "zebra": 1}))
    for kind in ("attachment", "attachment", "mode"):
        session.skip(kind, own=True)
    expected = ["not imported: 2 thoughts", "not imported: 1 zebra"]
    assert notes(tmp_path, session) == [*expected, "not imported: 3 interface records (-v names them)"]
    named = ["not imported: 2 attachments", "not imported: 1 mode"]
    assert notes(tmp_path, session, verbose=True) == [*expected, *named]
    report = notes(tmp_path, session, report=True)
    reported = [orjson.loads(line) for line in report if line.startswith("{")]
    assert [line["left"] for line in reported] == ["thought", "zebra", "attachment", "mode"]
    assert reported[0] == {"session": "p-s", "left": "thought", "count": 2}


@pytest.mark.parametrize("wanted", [True, False])
def test_branches_and_sub_agents_become_sessions_on_request(*, wanted):
    branch = Session("p", "b")
    session = Session("p", "s", skipped=Counter({ABANDONED: 3, "other": 1}), branches=lambda: [branch],
                      agent_usage=lambda: [AgentUsage("u", None, {"agent": "a"})])  # fmt: skip
    sessions = list(with_branches([session], branches=wanted))
    assert sessions == ([(session, True), (branch, False)] if wanted else [(session, True)])
    assert session.skipped == ({"other": 1} if wanted else {ABANDONED: 3, "other": 1})
    assert bool(list(session.agent_usage())) == (not wanted)
    assert list(session.branches()) == []  # what holds all of the file is let go


TS = "2026-01-01T00:00:00.000Z"


def source(*texts, id="abc"):
    """A session of a program: a prompt, an answer, a prompt, …, each with its text as its id."""
    session = Session("codex", id, created=TS)
    for number, text in enumerate(texts):
        kind = ("user", "codeh")[number % 2]
        session.items.append(Entry(f"i-{text}", kind, TS, [Piece(number + 1, [{"text": text}])]))
    return session


def texts(home, id):
    return [line["parts"][0]["text"] for line in lines(path_of(home, id)) if line["type"] == "message"]


def test_a_locally_continued_copy_is_kept_and_the_source_gets_a_new_session(env, home):
    import_session(env, source("a", "b"), "/src")
    append_text(path_of(home, "codex-abc"), "mine")
    assert import_session(env, source("a", "b"), "/src").id == "codex-abc"
    before = path_of(home, "codex-abc").read_bytes()
    done = import_session(env, source("a", "b", "c"), "/src")
    assert (done.id, done.created) == ("codex-abc-2", True)
    assert done.conflict
    assert path_of(home, "codex-abc").read_bytes() == before
    assert texts(home, "codex-abc-2") == ["a", "b", "c"]
    assert lines(path_of(home, "codex-abc-2"))[0]["parent"] == {"session": "codex-abc", "at": "i-b"}
    again = import_session(env, source("a", "b", "c", "d"), "/src")
    assert again == Imported("codex-abc-2", 1, created=False)
    append_text(path_of(home, "codex-abc-2"), "mine too")
    third = import_session(env, source("a", "b", "c", "d", "e"), "/src")
    assert (third.id, texts(home, "codex-abc-3")) == ("codex-abc-3", ["a", "b", "c", "d", "e"])


def test_another_session_of_that_name_is_never_written_to(env, home):
    import_session(env, source("x", id="a b"), "/src")  # whose name is made of its id
    before = path_of(home, "codex-a-b").read_bytes()
    with pytest.raises(BadData, match=r"codex-a-b.jsonl: another session of that id; --into NEW "):
        import_session(env, source("y", id="a/b"), "/src")
    path_of(home, "codex-own").write_bytes(b'{"type":"session","version":1,"id":"codex-own"}\n')
    with pytest.raises(BadData, match=r"another session of that id"):
        import_session(env, source("y", id="own"), "/src")
    assert path_of(home, "codex-a-b").read_bytes() == before


def test_a_chosen_name_is_a_new_session_or_its_copy(env, home):
    assert import_session(env, source("a"), "/src", "mine") == Imported("mine", 1, created=True)
    assert lines(path_of(home, "mine"))[0]["id"] == "mine"
    assert import_session(env, source("a", "b"), "/src", "mine") == Imported("mine", 1, created=False)
    with pytest.raises(BadData, match=r"mine.jsonl: another session of that id; --into NEW"):
        import_session(env, source("y", id="other"), "/src", "mine")
    append_text(path_of(home, "mine"), "from here")
    with pytest.raises(BadData, match=r"mine.jsonl: it was continued here .*; --into NEW"):
        import_session(env, source("a", "b", "c"), "/src", "mine")


def test_data_that_could_not_be_read_back_is_not_stored(env, home):
    session = source("a")
    deep = "x"
    for _ in range(205):
        deep = [deep]
    call = {"functionCall": {"name": "f", "args": {"a": deep}}}
    session.items.append(Entry("deep", "codeh", TS, [Piece(2, [call])]))
    with pytest.raises(BadData, match=r"^/src: deep: nested deeper than 200 levels$"):
        import_session(env, session, "/src")
    assert not path_of(home, "codex-abc").exists()


WHERE = {
    "claude-code": f".claude/projects/-work/{SESSION}.jsonl",
    "codex": f".codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-{SESSION}.jsonl",
    "pi": f".pi/agent/sessions/--work--/2026-01-02_{SESSION}.jsonl",
}


def test_a_summary_line_counts_actions(capfd, home):
    done = [("imported", "pi"), *[("imported", "codex")] * 2, ("failed", "pi")]
    common = {"session": None, "path": "/x"}
    lines = [{**common, "action": action, "program": program} for action, program in done]
    importing.summarize(Env({"CODEH_HOME": str(home)}), lines)
    assert capfd.readouterr().err == "codeh-history: 3 imported, 1 failed\n"


def test_a_terminal_gets_a_table_and_a_sum_and_a_pipe_json_lines(home):
    def imported(*argv):
        shown = on_terminal("import", "--all", *argv, HOME=str(home))
        drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", shown).splitlines()
        return [line for line in drawn if line and "importing" not in line]

    for program in ("claude-code", "codex"):
        written(home / WHERE[program], SAMPLES[program]())
    heading, *rows, total = imported()
    assert heading.split() == ["session", "action", "lines", "from"]
    assert sorted(row.split()[1] for row in rows) == ["imported", "imported"]
    assert all(run("show", row.split()[0]).code == 0 for row in rows)
    assert total == "codeh-history: 2 imported"
    assert imported() == ["codeh-history: nothing new"]
    written(home / WHERE["pi"], SAMPLES["pi"]())
    assert imported("--jsonl")[-1].startswith('{"session":"pi-')
    done = run("import", "--all", env={"HOME": str(home)})
    assert (done.out, done.err) == (b"", b"")


def test_an_interrupted_import_still_prints_what_it_did(home, monkeypatch, capfd):
    for program in ("claude-code", "codex"):
        written(home / WHERE[program], SAMPLES[program]())
    opened = program_files.opened

    def interrupted(path):
        if "rollout" in path:
            raise KeyboardInterrupt
        return opened(path)

    monkeypatch.setattr(program_files, "opened", interrupted)
    monkeypatch.setattr(Env, "terminal", lambda _, fd: fd == 1)
    env = Env({"CODEH_HOME": str(home), "HOME": str(home)})
    with pytest.raises(KeyboardInterrupt):
        importing.import_all(env, ["claude-code", "codex"], None, branches=False)
    out, err = capfd.readouterr()
    assert "imported" in out
    assert "codeh-history: 1 imported" in err

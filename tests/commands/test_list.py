"""`list`: one line per session on a terminal, the selection of sessions, and piped output."""

import os
import time

import pytest

from codeh_history.commands.list_ import abbreviations
from in_process import write_session
from program_files import SAMPLES, SESSION
from program_files import written as write
from strategies import encode
from support import run
from terminal_output import STYLES, on_terminal

IDS = [f"claude-code-5e551000-{n}000-4000-8000-00000000c1a0" for n in (0, 1)]


def append(id, *argv, day=2):
    run("append", "-s", id, *argv, env={"CODEH_NOW": f"2026-01-0{day}T22:00:00Z"})


def listed(*argv, columns=80, **env):
    """The lines of the table."""
    shown = on_terminal("list", *argv, columns=columns, **env)
    return STYLES.sub("", shown).splitlines()


def written(home, id, cwd, model="", **header):
    """A session with a prompt and an answer."""
    records = [
        {"type": "session", "version": 1, "id": id, "created": "2026-01-02T03:00:00.000Z", "cwd": cwd, **header},
        {"type": "message", "id": "u", "ts": "2026-01-02T03:00:00.000Z", "kind": "user", "role": "user",
         "parts": [{"text": f"a long question about {id} " * 9}]},
        {"type": "message", "id": "a", "ts": "2026-01-02T03:00:01.000Z", "kind": "codeh", "role": "model",
         "parts": [{"text": "yes"}], **({"model": model} if model else {})},
    ]  # fmt: skip
    write_session(home, encode(records), id)


@pytest.mark.parametrize("columns", [80, 100, 200])
def test_a_session_is_one_line_with_program_and_directory(columns, home):
    for id in ("codex-01a1ffc8-d3f6-7031-bef7-b5fe621ff888", *IDS):
        program = id[: id.index("-5" if "5e55" in id else "-01")]
        origin = {"from": program, "id": id, "path": "/x"}
        written(home, id, "/home/me/a-project-with-a-name/", imported=origin)
    written(home, "demo", "/home/me/barn")
    heading, *rows = listed(columns=columns)
    assert heading.split() == ["id", "last", "msgs", "program", "directory", "title"]
    assert len(rows) == 4
    assert max(map(len, [heading, *rows])) <= columns
    short = [id[: len("claude-code-5e551000-0")] for id in IDS]
    assert sorted(row.split()[0] for row in rows) == [*short, "codex-01a1ffc8-d", "demo"]
    (codex,) = (row for row in rows if row.startswith("codex"))
    assert " codex " in codex
    assert ("a-project…" in codex) == (columns < 100)
    for row in rows:
        assert run("show", row.split()[0]).code == 0  # the shortened id names it


DIFFERENT = {
    "at the end": [f"claude-code-5e551000-0000-4000-8000-00000000c1a{n}" for n in range(3)],
    "in the middle": [f"gemini-cli-5e551000-0000-{n}000-8000-00000000c1a0" for n in range(3)],
    "after 114 characters": [f"{'the-same-beginning-' * 6}{n}" for n in range(12)],
    "before the end": [f"{'a-' * 20}{n}{'-b' * 3}" for n in range(3)],
}


@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("ids", DIFFERENT.values(), ids=DIFFERENT)
def test_ids_with_a_long_common_prefix_are_one_line_each(ids, columns, home):
    for id in ids:
        written(home, id, "/home/me/a-project/", imported={"from": "claude-code", "id": id, "path": "/x"})
    heading, *rows = listed(columns=columns)
    assert max(map(len, [heading, *rows])) <= columns
    assert len(rows) == len(ids)
    assert all(" a long" in row for row in rows)
    shown = [row.split()[0] for row in rows]
    assert {run("list", "--jsonl", "-s", id).lines[0]["id"] for id in shown} == set(ids)


def test_an_ambiguous_abbreviation_names_the_sessions(home):
    for id in IDS:
        written(home, id, "/x")
    done = run("show", "claude-code…c1a0")
    assert done.code == 3
    assert all(id in done.err.decode() for id in IDS)
    none = run("show", "claude-code…c1a9").err.decode()
    assert none == "codeh-history: claude-code…c1a9: no such session\n"


@pytest.mark.parametrize("verb", [["list", "-s"], ["usage"]], ids=lambda verb: verb[0])
@pytest.mark.parametrize("name", ["none", "./none.jsonl"])
def test_a_session_that_does_not_exist_is_no_row(home, verb, name):
    done = run(*verb, name)
    assert (done.code, done.out) == (3, b"")
    assert done.err.startswith(f"codeh-history: {name}: no such session".encode())


def test_the_program_column_needs_imported_sessions(home):
    append("demo", "-m", "hello")
    run("set", "-s", "demo", "title=Greetings")
    heading, row = listed()
    assert heading.split() == ["id", "last", "msgs", "directory", "title"]
    assert row.split()[0] == "demo"
    assert row.split()[-1] == "Greetings"


def test_without_a_title_a_session_is_listed_by_its_first_prompt(home):
    for day in (3, 4, 5):
        append(f"s{day}", "-m", f"question {day}", day=day)
    now = {"CODEH_NOW": "2026-01-07T05:00:00Z", "TZ": "Asia/Kolkata"}
    rows = [row.split() for row in listed("-n", "2", **now)[1:]]
    assert [row[:3] for row in rows] == [["s5", "01-06", "03:30"], ["s4", "01-05", "03:30"]]
    assert rows[0][-2:] == ["question", "5"]
    assert listed("-n", "1", **{**now, "CODEH_NOW": "2026-01-05T22:01:00Z"})[1].split()[1] == "03:30"
    assert listed("-n", "1", **{**now, "CODEH_NOW": "2027-01-05T22:01:00Z"})[1].split()[1] == "2026-01-06"


def test_an_imported_session_is_listed_once(home):
    folder = home.parent / ".claude/projects/-work"
    folder.mkdir(parents=True)
    file = folder / "5e551000-0000-4000-8000-00000000c1a0.jsonl"
    write(file, SAMPLES["claude-code"]())
    env = {"HOME": str(home.parent)}
    before = run("list", "--all-programs", "--jsonl", env=env).lines
    assert [row["path"] for row in before] == [str(file)]
    run("import", str(file), "--into", "mine", env=env)
    after = run("list", "--all-programs", "--jsonl", env=env).lines
    assert [row["id"] for row in after] == ["mine"]


def test_a_moved_session_is_listed_once_from_its_newest_file(home):
    files = [home.parent / f".claude/projects/{folder}/{SESSION}.jsonl" for folder in ("-a", "-b", "-c")]
    for file, changed in zip(files, (2, 3, 1), strict=True):
        write(file, SAMPLES["claude-code"]())
        os.utime(file, (changed, changed))
    env = {"HOME": str(home.parent)}
    listed = run("list", "--all-programs", "--jsonl", env=env).lines
    assert [row["path"] for row in listed] == [str(files[1])]


def test_many_long_ids_are_shortened_at_once():  # 2026-11-27
    ids = [f"2026-11-23-summarize-the-following-meeting-{number}" for number in range(6000)]
    started = time.process_time()
    short = abbreviations(ids, (), 26)
    assert time.process_time() - started < 3
    assert short[ids[7]] == "2026-11-23-summarize-…ng-7"
    assert len(set(short.values())) == len(ids)

"""Summarising while others write: appends, changes of what is to be covered, and two runs at once."""

from __future__ import annotations

import fcntl
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import terminal
from codeh_history.session.records import dumps
from summarizing import GOOD, HOW_IT_STANDS, LONG, changed_in, digest, session, shown, summarize
from support import append_text, lines, run, session_path, start

PROGRAM = f"{sys.executable} -m codeh_history"


def until(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.01)


def test_appends_are_neither_blocked_nor_lost_while_a_command_thinks(home: Path) -> None:
    path = session(home, "demo", 51)
    asked, go = home / "asked", home / "go"
    command = f"touch {asked}; while [ ! -e {go} ]; do sleep 0.02; done; {GOOD}"
    process = start("summarize", "demo", "--via", command, "--counter", "approx", home=home)
    until(asked)
    ids = [append_text(path, f"meanwhile {n}") for n in range(100)]
    go.touch()
    assert process.wait(60) == 0
    records = lines(path)
    assert [record["id"] for record in records if str(record.get("parts")).find("meanwhile") > 0] == ids
    assert [record["type"] for record in records].count("summary") == 1
    assert len(records[-1]["covers"]) == 20
    assert shown("demo")[-100:] == ids


CHANGES = f"n=$(cat {{home}}/runs 2>/dev/null | wc -l); echo run >> {{home}}/runs; {PROGRAM} update u0 -s demo -m changed$n >/dev/null"


def test_a_change_meanwhile_is_taken_in(home: Path) -> None:
    path = session(home, "demo", 51)
    once = f"[ -e {home}/runs ] || {{ {CHANGES.format(home=home)}; }}; tee {home}/prompt >/dev/null; echo 'The user asked.'"
    done = summarize("demo", "--via", once)
    assert done.code == 0, done.err
    assert "User: changed0" in (home / "prompt").read_text()
    assert [record["type"] for record in lines(path)].count("summary") == 1


def test_changing_again_and_again_is_75(home: Path) -> None:
    path = session(home, "demo", 51)
    always = f"{CHANGES.format(home=home)}; {GOOD}"
    done = summarize("demo", "--via", always)
    assert done.code == 75
    assert len((home / "runs").read_text().splitlines()) == 2
    assert [record["type"] for record in lines(path)].count("summary") == 0


@pytest.mark.parametrize(
    "meanwhile",
    ["clear -s demo", "undo -s demo --id a1", "undo -s demo --id S", "fork demo", "persist demo -i --all"],
)
def test_what_else_may_happen_meanwhile(home: Path, meanwhile: str) -> None:
    """Cleared: nothing is left to do. One message undone: done again. Another's undo, a fork: no matter."""
    path = session(home, "demo", 51)
    with path.open("ab") as file:
        file.write(dumps({"type": "summary", "id": "S", "summary": "tea", "covers": []}) + b"\n")
    command = f"[ -e {home}/runs ] || {PROGRAM} {meanwhile} >/dev/null; echo run >> {home}/runs; {GOOD}"
    done = summarize("demo", "--via", command)
    assert done.code == 0, done.err
    runs = len((home / "runs").read_text().splitlines())
    stored = [record for record in lines(path) if record["type"] == "summary" and record["id"] != "S"]
    assert (runs, len(stored)) == {"clear": (1, 0), "undo -s demo --id a": (2, 1)}.get(
        meanwhile[:19].removesuffix(" -s demo"), (1, 1)
    )
    if stored:
        assert ("a1" in stored[0]["covers"]) == ("a1" not in meanwhile)


@pytest.mark.parametrize("how", HOW_IT_STANDS)
def test_a_message_changed_in_how_it_stands_is_seen(home: Path, how: str) -> None:
    """Pinned, edited and not yet committed, or shortened meanwhile: the summary is written anew."""
    path = session(home, "demo", 51)
    (home / "line").write_bytes(changed_in(how, path))
    once = f"[ -e {home}/runs ] || cat {home}/line >> {path}; echo run >> {home}/runs; tee {home}/prompt >/dev/null; echo 'The user asked.'"
    done = summarize("demo", "--via", once)
    assert done.code == 0, done.err
    assert len((home / "runs").read_text().splitlines()) == 2
    (summary,) = [record for record in lines(path) if record["type"] == "summary"]
    assert ("u0" in summary["covers"]) == (how == "replaced")
    assert ("a stub" in (home / "prompt").read_text()) == (how == "replaced")


def run_once_meanwhile(home: Path, path: Path, records: list[dict[str, Any]]) -> str:
    """A summariser's command; when it runs first, these records are appended."""
    (home / "lines").write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    return f"[ -e {home}/runs ] || cat {home}/lines >> {path}; echo run >> {home}/runs; {GOOD}"


def test_the_newest_exchange_is_not_covered_though_it_was_not_the_newest_before(home: Path) -> None:
    path = session(home, "demo", 51)
    gone = [
        {"type": "revert", "id": f"r{kind}{n}", "of": f"{kind}{n}"} for n in range(10, 51) for kind in "ua"
    ]
    done = summarize("demo", "--via", run_once_meanwhile(home, path, gone))
    assert done.code == 0, done.err
    assert [record["type"] for record in lines(path)].count("summary") == 0
    assert "u9" in shown("demo")


def test_a_summary_undone_meanwhile_is_not_folded(home: Path) -> None:
    path = session(home, "demo", 2)
    with path.open("ab") as file:
        for n in range(6):
            file.write(
                dumps({"type": "summary", "id": f"S{n}", "summary": f"{LONG} {n}", "covers": []}) + b"\n"
            )
    undo = [{"type": "revert", "id": "r", "of": "S0"}]
    done = summarize("demo", "--via", run_once_meanwhile(home, path, undo))
    assert done.code == 0, done.err
    assert [record["type"] for record in lines(path)].count("summary") == 6
    assert (home / "runs").read_text() == "run\n"  # five are not too many


# -- all sessions -----------------------------------------------------------------------------------


def test_two_runs_at_once_with_appends_going_on(home: Path) -> None:
    """Every batch is summarised once, asked for once, and every append is there, in order."""
    names = [f"s{n:02d}" for n in range(40)]
    paths = {name: session(home, name, 51 + n % 3) for n, name in enumerate(names)}
    stored: dict[str, list[str]] = {name: [] for name in names}

    def keep_appending() -> None:
        for number in range(8 * len(names)):  # never so many that a session is due once more
            time.sleep(0.004)
            name = names[number % len(names)]
            stored[name].append(append_text(paths[name], f"meanwhile {number}"))

    writer = threading.Thread(target=keep_appending)
    writer.start()
    argv = (
        "summarize",
        "--all",
        "--counter",
        "approx",
        "--via",
        f"echo run >> {home}/runs; {GOOD}",
        "--jobs",
        "2",
    )
    runs = [start(*argv, home=home, stdout=-1, stderr=-1) for _ in range(2)]
    outputs = [process.communicate(timeout=300) for process in runs]
    writer.join()
    assert [process.returncode for process in runs] == [0, 0], outputs
    told = [line for out, _ in outputs for line in lines(out)]
    assert sorted(line["session"] for line in told) == names
    assert len((home / "runs").read_text().splitlines()) == len(names)  # nobody was asked twice
    for name in names:
        records = lines(paths[name])
        covered = [id for record in records if record["type"] == "summary" for id in record["covers"]]
        assert covered == [f"{kind}{n}" for n in range(len(covered) // 2) for kind in "ua"]
        assert len(covered) >= 20
        assert len(covered) == len(set(covered))
        assert [r["id"] for r in records if "meanwhile" in str(r.get("parts"))] == stored[name]


def every(*argv: str, **how: Any) -> Any:
    return summarize("--all", *argv, **how)


def test_all_is_silent_where_nothing_is_due(home: Path) -> None:
    session(home, "small", 12)
    session(home, "full", 50)
    done = every()
    assert (done.code, done.out, done.err) == (0, b"", b"")
    assert every(env={"CODEH_HOME": str(home / "none")}).code == 0


def test_one_bad_session_does_not_stop_the_rest(home: Path) -> None:
    session(home, "a", 51)
    bad = session(home, "b", 51)
    bad.write_bytes(bad.read_bytes().replace(b'"version":1', b'"version":2'))
    (home / "sessions" / "c.jsonl").mkdir()
    session_path(home, "d").write_bytes(b"\x00\xff not a session\n" * 99)
    ref = {"type": "ref", "id": "r", "kind": "user", "role": "user", "blockIds": ["0" * 64], "flowId": "e"}
    with session(home, "e", 51).open("ab") as file:
        file.write(dumps(ref) + b"\n")
    session(home, "f", 51)
    before = digest(bad)
    done = every()
    assert done.code == 6
    assert done.err == b""
    assert [(line["session"], line["action"]) for line in done.lines] == [
        ("a", "summarized"), ("b", "failed"), ("c", "failed"), ("e", "failed"), ("f", "summarized"),
    ]  # fmt: skip
    reasons = {line["session"]: line.get("reason", "") for line in done.lines}
    assert "version 2" in reasons["b"]
    assert "not a regular file" in reasons["c"]
    assert "0" * 64 in reasons["e"]
    assert all(
        {"session", "action", "exchanges", "covered", "before", "after"} <= line.keys()
        for line in done.lines
    )
    assert digest(bad) == before


def test_all_with_a_failing_command(home: Path) -> None:
    paths = [session(home, name, 51) for name in ("a", "b", "c")]
    before = [digest(path) for path in paths]
    done = every("--via", "exit 9", "--jobs", "3")
    assert done.code == 6
    assert [line["session"] for line in done.lines] == ["a", "b", "c"]
    assert all(line["action"] == "failed" and "ended with 9" in line["reason"] for line in done.lines)
    assert all(line["before"] == line["after"] > 0 for line in done.lines)
    assert [digest(path) for path in paths] == before


def test_all_leaves_locked_and_streaming_sessions_alone(home: Path) -> None:
    locked, streaming = session(home, "locked", 51), session(home, "streaming", 51)
    session(home, "free", 51)
    stuck = session(home, "stuck", 51)  # its stream was given up: something was said after it
    opened = dumps({"type": "open", "id": "p", "kind": "codeh", "role": "model"}) + b"\n"
    said = dumps({"role": "user", "parts": [{"text": "are you there?"}]}) + b"\n"
    for path, more in ((streaming, opened), (stuck, opened + said)):
        with path.open("ab") as file:
            file.write(more)
    with locked.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = every()
    assert done.code == 0
    assert sorted(line["session"] for line in done.lines) == ["free", "stuck"]
    assert [line["session"] for line in every().lines] == ["locked"]


def test_older_forms_are_left_alone(home: Path) -> None:
    path = home / "sessions" / "old.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(dumps([{"role": "user", "parts": [{"text": str(n)}]} for n in range(60)]))
    assert (every().code, every().out) == (0, b"")


def on_a_terminal(*argv: str, home: Path, stdout: int | None = None) -> bytes:
    """What the command shows on a terminal that is its stderr (and its stdout, unless given)."""
    master, slave = terminal.opened()
    process = start(
        *argv, home=home, stdout=slave if stdout is None else stdout, stderr=slave, stdin=slave,
        env={"TERM": "xterm-256color", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(slave)
    shown = b"".join(terminal.chunks(master))
    assert process.wait(60) == 0
    return shown


def test_a_progress_bar_on_a_terminal_only(home: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        session(home, name, 51)
    with (tmp_path / "out").open("wb") as out:
        shown_there = on_a_terminal(
            "summarize", "--all", "--counter", "approx", home=home, stdout=out.fileno()
        )
    assert b"summarizing" in shown_there
    assert b"2/2" in shown_there
    assert [line["session"] for line in lines(tmp_path / "out")] == ["a", "b"]
    assert run("undo", "-s", "a").code == 0
    both = on_a_terminal("summarize", "--all", "--counter", "approx", home=home)
    assert b'{"session":"a","action":"summarized"' in both


def test_not_due_is_told_on_a_terminal_only(home: Path) -> None:
    session(home, "demo", 12)
    assert b"not due" in on_a_terminal("summarize", "demo", home=home)
    assert summarize("demo").err == b""

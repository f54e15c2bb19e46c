"""`summarize --all`: every session that has something to do, and no failure of one stops the others."""

import fcntl

from codeh_history.session.records import dumps
from summarizing import (
    digest,
    on_a_terminal,
    session,
    summarize,
)
from support import lines, run, session_path


def every(*argv, **how):
    return summarize("--all", *argv, **how)


def test_one_bad_session_does_not_stop_the_rest(home):
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


def test_all_leaves_locked_and_streaming_sessions_alone(home):
    locked, streaming = session(home, "locked", 51), session(home, "streaming", 51)
    session(home, "free", 51)
    stuck = session(home, "stuck", 51)  # its stream was given up: something was said after it
    opened = dumps({"type": "open", "id": "p", "kind": "codeh", "role": "model"}) + b"\n"
    later = dumps({"role": "user", "parts": [{"text": "are you there?"}]}) + b"\n"
    for path, more in ((streaming, opened), (stuck, opened + later)):
        with path.open("ab") as file:
            file.write(more)
    with locked.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        done = every()
    assert done.code == 0
    assert sorted(line["session"] for line in done.lines) == ["free", "stuck"]
    assert [line["session"] for line in every().lines] == ["locked"]


def test_older_forms_are_left_alone(home):
    path = home / "sessions" / "old.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(dumps([{"role": "user", "parts": [{"text": str(n)}]} for n in range(60)]))
    assert (every().code, every().out) == (0, b"")


def test_a_progress_bar_on_a_terminal_only(home, tmp_path):
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

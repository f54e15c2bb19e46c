"""Limits: old sessions go to the trash and back; messages above a limit are hidden in whole units."""

import fcntl
import os

import pytest

from codeh_history.base.env import Env
from codeh_history.store.awaiting import awaiting
from in_process import write_session
from secret_examples import user
from strategies import encode
from support import lines, run, session_path
from talks import call, result, talk

NOW = "2026-06-01T00:00:00Z"


def session(home, name, last, *more):
    """A session whose newest message is of this time."""
    header = {"type": "session", "version": 1, "id": name, "created": "2026-01-01T00:00:00.000Z"}
    write_session(home, encode([header, user("u", "x", ts=last), *more]), name)


def prune(*argv, now=NOW):
    return run("prune", *argv, env={"CODEH_NOW": now})


def three(home):
    session(home, "old", "2026-01-02T00:00:00Z")
    session(home, "middle", "2026-03-01T00:00:00Z")
    session(home, "new", "2026-05-31T00:00:00Z")


@pytest.mark.parametrize(
    "argv, expected",
    [
        (("--older-than", "90d"), ["middle", "old"]),
        (("--older-than", "120d"), ["old"]),
        (("--older-than", "20w"), ["old"]),
        (("--older-than", "2026-04-01"), ["middle", "old"]),
        (("--older-than", "365d"), []),
        (("--keep", "2"), ["old"]),
        (("--keep", "1"), ["middle", "old"]),
        (("--keep", "0"), ["new", "middle", "old"]),
        (("--keep", "9"), []),
    ],
)
def test_without_yes_removals_are_only_listed(home, argv, expected):
    three(home)
    done = prune(*argv)
    assert done.code == 0
    assert done.out.decode().split() == expected
    assert (b"--yes" in done.err) == bool(expected)
    assert sorted(os.listdir(home / "sessions")) == ["middle.jsonl", "new.jsonl", "old.jsonl"]
    moved = prune(*argv, "--yes")
    assert moved.out == done.out
    left = {"middle.jsonl", "new.jsonl", "old.jsonl"} - {f"{name}.jsonl" for name in expected}
    assert set(os.listdir(home / "sessions")) == left
    for name in expected:
        assert run("rm", "--restore", name).code == 0
    assert sorted(os.listdir(home / "sessions")) == ["middle.jsonl", "new.jsonl", "old.jsonl"]


def test_sessions_in_use_are_kept(home):
    three(home)
    session(home, "asked", "2026-01-02T00:00:00Z")
    opened = {"type": "open", "id": "p", "kind": "codeh", "role": "model"}
    session(home, "left", "2026-01-02T00:00:00Z", opened)  # its writer was killed
    env = Env({"CODEH_HOME": str(home)})
    with session_path(home, "old").open("rb") as held, awaiting(env, str(session_path(home, "asked"))):
        fcntl.flock(held, fcntl.LOCK_EX)
        done = prune("--older-than", "90d", "--yes")
    assert done.code == 0
    assert done.out.decode().split() == ["middle", "left"]
    assert b"old: not moved: " in done.err
    assert b"asked: not moved: a command waits for an answer" in done.err


def test_a_pinned_session_stays_until_it_is_unpinned(home):
    three(home)
    run("set", "-s", "old", "pinned=true", env={"CODEH_NOW": NOW})
    done = prune("--keep", "1", "--yes")
    assert done.text == "middle"
    assert b"old: not moved: it is pinned" in done.err
    run("set", "-s", "old", "pinned=false", env={"CODEH_NOW": NOW})
    assert prune("--keep", "1").text == "old"


def test_what_cannot_be_moved_is_an_error(home):
    three(home)
    (home / "trash").write_text("not a folder")
    done = prune("--keep", "2", "--yes")
    assert (done.code, done.out) == (74, b"")
    assert b"old: not moved: " in done.err


def test_a_session_that_grows_in_the_meantime_is_kept(home):
    from codeh_history.base.errors import HistoryError
    from codeh_history.commands import prune
    from codeh_history.store import trash

    three(home)
    env = Env({"CODEH_HOME": str(home), "CODEH_NOW": NOW})
    ((id, _, size, _),) = [s for s in prune.newest_first(env) if s[0] == "old"]
    run("append", "-s", "old", "-m", "still here")
    with pytest.raises(HistoryError, match="in use"):
        trash.remove(env, id, size=size)
    assert session_path(home, "old").exists()


SOON = "2026-06-01T00:01:00.001Z"
SUMMARY = {"type": "summary", "id": "S", "createdAt": SOON, "summary": "x", "covers": []}


@pytest.mark.parametrize("record", [SUMMARY, user("v", ts="2027-01-01T00:00:00Z")])
def test_a_record_from_the_future_stops_prune(home, record):
    three(home)
    session(home, "odd", "2026-01-02T00:00:00Z", record)
    done = prune("--older-than", "90d", "--yes")
    assert (done.code, done.out) == (65, b"")
    assert b"clock" in done.err
    assert len(os.listdir(home / "sessions")) == 4


def test_a_record_written_meanwhile_or_by_a_clock_that_is_ahead_stops_nothing(home):
    three(home)
    session(home, "ahead", "2026-06-01T00:00:20Z")
    done = prune("--older-than", "90d", "--yes")
    assert (done.code, done.out) == (0, b"middle\nold\n")


def test_odd_files_are_kept_and_stop_nothing(home):
    three(home)
    (home / "sessions" / "old2.json").write_text("[]")
    (home / "sessions" / "folder.jsonl").mkdir()
    (home / "sessions" / "notes.txt").write_text("x")
    link = home / "sessions" / "link.jsonl"
    link.symlink_to(session_path(home, "old"))
    done = prune("--keep", "0", "--yes")
    assert done.code == 0
    assert done.out.decode().split() == ["new", "middle", "old"]
    assert sorted(os.listdir(home / "sessions")) == ["folder.jsonl", "link.jsonl", "notes.txt", "old2.json"]


# -- messages above a number ------------------------------------------------------------------------


def append_limited(home, records, most):
    write_session(home, encode(records), "demo")
    done = run("append", "-s", "demo", "-m", "newest", "--max-items", str(most))
    assert done.code == 0, done.err
    return [r["id"] for r in run("show", "demo", "--jsonl").lines if "role" in r]


def test_103_messages_become_99_in_whole_turns_reversibly(home):
    shown = append_limited(home, talk(51), 100)  # 102 and the new one
    assert len(shown) == 99
    assert shown[0] == "u2"
    record = lines(session_path(home, "demo"))[-1]
    assert record["type"] == "compaction"
    assert run("undo", "-s", "demo").text == f"compaction {record['id']}"
    assert len([r for r in run("show", "demo", "--jsonl").lines if "role" in r]) == 103


def test_no_pair_is_split_by_the_limit(home):
    records = [talk(1)[0]]
    for n in range(20):
        records += [call(f"c{n}", f"k{n}"), result(f"r{n}", f"k{n}")]
    shown = append_limited(home, [*records, talk(1)[1]], 100)
    assert len(shown) == 43
    shown = append_limited(home, [*records[:-1], *talk(3)[2:]], 7)
    assert shown[0] == "u1"

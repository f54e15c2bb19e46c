"""Which sessions were begun in this directory, and which of them is the newest."""

import os
import time
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import NotFound
from codeh_history.base.times import from_millis, to_millis
from codeh_history.session.records import dumps
from codeh_history.store import begun
from codeh_history.store.resolve import for_reading, for_writing

NOON = "2026-01-02T12:00:00.000Z"


@pytest.fixture
def env(tmp_path, monkeypatch):
    """An empty home, seen from the directory `here`."""
    (tmp_path / "home" / "sessions").mkdir(parents=True)
    (tmp_path / 'h"er é').mkdir()
    monkeypatch.chdir(tmp_path / 'h"er é')
    return Env({"CODEH_HOME": str(tmp_path / "home")}, stderr=os.open(os.devnull, os.O_WRONLY))


def made(env, id, *messages, changed=None, packed=True, **header):
    """A session with messages of these times, its file last changed then (else at the last of them)."""
    path = Path(env.home, "sessions", f"{id}.jsonl")
    first = {"type": "session", "version": 1, "id": id, "created": NOON, "cwd": env.cwd(), **header}
    lines = [dumps({k: v for k, v in first.items() if v is not None})]
    lines += [
        dumps({"type": "message", "id": ts, "ts": ts, "role": "user", "parts": []}) for ts in messages
    ]
    head = lines[0] if packed else lines[0].replace(b'":', b'": ').replace(b',"', b', "')
    path.write_bytes(b"\n".join([head, *lines[1:], b""]))
    seconds = (to_millis(changed or max([*messages, NOON])) or 0) / 1000
    os.utime(path, (seconds, seconds))
    return str(path)


def test_the_newest_is_told_by_messages_though_another_changed_later(env):
    """As after a nightly `summarize --all`, which changes files in any order."""
    made(env, "yesterday", "2026-01-03T12:00:00.000Z", changed="2026-01-05T03:17:01.000Z")
    today = made(env, "today", "2026-01-04T12:00:00.000Z", changed="2026-01-05T03:17:00.000Z")
    made(env, "between", "2026-01-03T18:00:00.000Z", changed="2026-01-05T03:18:00.000Z")
    assert begun.newest(env) == today


def test_a_session_that_was_just_begun_is_the_newest(env):
    older = "2026-01-02T11:00:00.000Z"
    made(env, "older", older, created=older, changed="2026-01-02T13:00:00.000Z")
    empty = made(env, "empty")
    assert begun.newest(env) == empty
    fork = made(env, "fork", NOON, created="2026-01-02T12:30:00.000Z", changed="2026-01-02T12:30:00.000Z")
    assert begun.newest(env) == fork


@pytest.mark.parametrize(
    "header",
    [{"imported": {"from": "codex", "id": "x"}}, {"cwd": "/elsewhere"}, {"cwd": None}],
    ids=["a copy", "begun elsewhere", "rescued or seeded"],
)
def test_what_was_not_begun_here_is_never_meant(env, header):
    made(env, "other", "2026-01-03T12:00:00.000Z", **header)
    assert begun.newest(env) is None
    for choose in (for_reading, for_writing):
        with pytest.raises(NotFound, match="no session was begun in this directory"):
            choose(env, None)
    own = made(env, "own", NOON)
    assert for_reading(env, None).path == for_writing(env, None).path == own


def test_headers_with_blanks_are_read_too_and_odd_files_passed_over(env):
    own = made(env, "own", NOON, packed=False)
    Path(env.home, "sessions", "empty.jsonl").touch()
    Path(env.home, "sessions", "folder.jsonl").mkdir()
    os.symlink("nowhere", Path(env.home, "sessions", "link.jsonl"))
    made(env, "no id", "2026-01-03T12:00:00.000Z")
    assert begun.newest(env) == own


@pytest.mark.parametrize("type", [b"[]", b"{}", b"7", b"null"])
def test_a_damaged_last_line_is_passed_over(env, type):
    """2026-11-27: one whose type is a list or an object ended `append -m` and `prune` with exit 70."""
    own = made(env, "own", NOON)
    with open(own, "ab") as file:
        file.write(b'{"type":%s,"ts":"2026-01-03T12:00:00.000Z","parts":[]}\n' % type)
    assert begun.times(own)[1] == NOON
    assert begun.newest(env) == own


def test_few_headers_are_read_where_the_newest_was_begun_here(env, monkeypatch):
    for hour in range(10, 20):
        made(env, f"old-{hour}", f"2026-01-02T{hour}:00:00.000Z", cwd="/elsewhere")
    own = made(env, "own", "2026-01-03T12:00:00.000Z")
    read = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: read.append(str(fd)) or pread(fd, size, at))
    assert [
        path for _, path in zip(range(1), (path for _, path in begun.begun_here(env)), strict=False)
    ] == [own]
    assert len(read) <= 2


def test_which_were_used_in_the_last_hour(env):
    now = time.time_ns() // 1_000_000
    minute = 60_000
    ago = {"old": 61, "an-hour": 59, "new": 0}
    for id, minutes in ago.items():
        made(env, id, from_millis(now - minutes * minute))
    made(env, "summarized", from_millis(now - 90 * minute), changed=from_millis(now))
    made(env, "elsewhere", from_millis(now), cwd="/elsewhere")
    assert begun.recently_used(env) == ["new", "an-hour"]
    env.environ = {**env.environ, "CODEH_NOW": from_millis(now + 30 * minute)}
    assert begun.recently_used(env) == ["new"]

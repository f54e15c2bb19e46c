"""What is known of a store's sessions: that of one which stayed what it was, and of whose fork each is."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from pathlib import Path

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.store.cache import Cache
from codeh_history.store.stores import Files
from codeh_history.sync import remembered
from codeh_history.sync.remembered import ABSENT, Brief
from codeh_history.sync.side import Side


class Looked(Side):
    """A store that keeps which sessions were read."""

    def __init__(self, env: Env) -> None:
        files = Files(env, f"{env.home}/sessions")
        super().__init__(files, [], "here", files.name)
        self.looked: list[str] = []

    def read(self, session: str) -> bytes | None:
        self.looked.append(session)
        return super().read(session)


@pytest.fixture
def env(home: Path) -> Env:
    (home / "sessions").mkdir(parents=True)
    return Env({"CODEH_HOME": str(home)})


def lay(env: Env, name: str, *, age: int = 3600, **header: object) -> bytes:
    """A session that was last changed so many seconds ago."""
    path = Path(env.home) / "sessions" / f"{name}.jsonl"
    data = orjson.dumps({"type": "session", "version": 1, "id": name, **header}) + b"\n"
    path.write_bytes(data)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return data


def briefs(env: Env, side: Looked) -> dict[str, Brief]:
    """As a process of its own finds them; times of change are taken from the files' own."""
    stamps = {
        name: stamp._replace(changed=stamp.changed - 10**13) for name, stamp in side.sessions().items()
    }
    return remembered.briefs(env, side, stamps)


def test_what_stayed_what_it_was_is_not_read_again(env: Env) -> None:
    one, two = lay(env, "a"), lay(env, "b", parent={"session": "a"})
    side = Looked(env)
    expected = {
        "a": Brief(hashlib.sha256(one).hexdigest(), None),
        "b": Brief(hashlib.sha256(two).hexdigest(), "a"),
    }
    assert briefs(env, side) == expected
    assert sorted(side.looked) == ["a", "b"]
    side.looked.clear()
    assert briefs(env, side) == expected
    assert side.looked == []
    lay(env, "a", later=1)
    assert briefs(env, side)["a"] != expected["a"]
    assert side.looked == ["a"]


def test_what_was_just_written_is_read_again(env: Env) -> None:
    lay(env, "a", age=0)
    side = Looked(env)
    for _ in range(2):
        remembered.briefs(env, side, side.sessions())
    assert side.looked == ["a", "a"]


@pytest.mark.parametrize(
    ("header", "parent"),
    [({}, None), ({"parent": {"session": "p", "at": "m"}}, "p"), ({"parent": "p"}, None), ({"parent": {}}, None),
     ({"parent": {"session": 7}}, None)],
)  # fmt: skip
def test_a_fork_is_told_by_its_header(env: Env, header: dict[str, object], parent: str | None) -> None:
    lay(env, "a", **header)
    assert briefs(env, Looked(env))["a"].parent == parent


def test_an_empty_session_is_none_and_one_that_cannot_be_read_is_like_no_other(env: Env) -> None:
    (Path(env.home) / "sessions" / "empty.jsonl").touch()
    side = Looked(env)
    assert briefs(env, side)["empty"] == ABSENT
    lay(env, "a")
    stamps = side.sessions()
    path = Path(env.home) / "sessions" / "a.jsonl"
    path.unlink()
    path.mkdir()
    assert remembered.briefs(env, side, stamps)["a"] == Brief(side.place, None)


def test_a_spoiled_memory_is_none(env: Env) -> None:
    data = lay(env, "a")
    side = Looked(env)
    for value in (b"{", b"[1]", b"[1,[1,2,3],7]", b"\xff", "text"):
        briefs(env, side)
        with sqlite3.connect(Cache(env.home).path) as db:
            db.execute("update known set value = ?", (value,))
        assert briefs(env, side)["a"].hash == hashlib.sha256(data).hexdigest()

"""Which sessions are synced together: those that differ, each with its forks; what is known of one is remembered."""

import hashlib
import os
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import NotFound
from codeh_history.store.stores import Files
from codeh_history.sync.replica import Replica
from codeh_history.sync.run import ABSENT, Brief, briefs, families


def store(**sessions):
    return {name: Brief(*brief) for name, brief in sessions.items()}


def test_what_is_equal_is_left_out_with_all_its_forks():
    same = store(a=("1", None), b=("2", "a"), c=("3", None))
    assert families([same, same], []) == []
    assert families([same, store(a=("1", None), b=("2", "a"), c=("4", None))], []) == [["c"]]


def test_a_fork_brings_all_that_it_is_a_fork_of():
    one = store(a=("1", None), b=("2", "a"), z=("9", None))
    assert families([one, store(a=("1", None), c=("3", "b"), z=("9", None))], []) == [["a", "b", "c"]]
    assert families([store(a=("1", "gone")), store(b=("2", "gone"))], []) == [["a", "b"]]


def test_naming_one_session_syncs_its_family_only():
    one = store(a=("1", None), b=("2", "a"), c=("3", None))
    two = store(a=("1", None), b=("8", "a"), c=("4", None))
    assert families([one, two], ["a"]) == [["a", "b"]]
    assert families([one, two], ["a", "c"]) == [["a", "b"], ["c"]]
    assert families([one, one], ["a"]) == []
    with pytest.raises(NotFound, match=r"x: no such session in either store"):
        families([one, two], ["a", "x"])


names = st.sampled_from("abcdef")
stores = st.dictionaries(names, st.builds(Brief, st.sampled_from("12"), st.none() | names), max_size=6)


@given(stores, stores)
def test_each_session_is_in_one_family_and_a_fork_in_that_of_its_parent(one, two):
    grouped = families([one, two], [])
    assert families([two, one], []) == grouped
    placed = [name for family in grouped for name in family]
    assert len(placed) == len(set(placed))
    differ = {n for n in one.keys() | two.keys() if one.get(n, ABSENT).hash != two.get(n, ABSENT).hash}
    assert differ <= set(placed)
    where = {name: family for family in grouped for name in family}
    for each in (one, two):
        for name, brief in each.items():
            if name in where and brief.parent in one.keys() | two.keys():
                assert brief.parent in where[name]


class Looked(Replica):
    """A store that keeps which sessions were read."""

    def __init__(self, env):
        files = Files(env, f"{env.home}/sessions")
        super().__init__(files, [], "here", files.name)
        self.looked = []

    def read(self, session):
        self.looked.append(session)
        return super().read(session)


def write_session(env, name, *, age=3600, **header):
    """A session that was last changed so many seconds ago."""
    path = Path(env.home) / "sessions" / f"{name}.jsonl"
    data = orjson.dumps({"type": "session", "version": 1, "id": name, **header}) + b"\n"
    path.write_bytes(data)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return data


def remembered(env, side):
    """As a process of its own finds them; times of change are taken from the files' own."""
    stamps = side.sessions().items()
    return briefs(env, side, {name: at._replace(changed=at.changed - 10**13) for name, at in stamps})


def test_unchanged_sessions_are_not_read_again(env):
    one, two = write_session(env, "a"), write_session(env, "b", parent={"session": "a"})
    side = Looked(env)
    hashes = [hashlib.sha256(data).hexdigest() for data in (one, two)]
    expected = {"a": Brief(hashes[0], None), "b": Brief(hashes[1], "a")}
    assert remembered(env, side) == expected
    assert sorted(side.looked) == ["a", "b"]
    side.looked.clear()
    assert remembered(env, side) == expected
    assert side.looked == []
    write_session(env, "a", later=1)
    assert remembered(env, side)["a"] != expected["a"]
    assert side.looked == ["a"]


@pytest.mark.parametrize(
    ("header", "parent"),
    [({}, None), ({"parent": {"session": "p", "at": "m"}}, "p"), ({"parent": "p"}, None), ({"parent": {}}, None),
     ({"parent": {"session": 7}}, None)],
)  # fmt: skip
def test_a_fork_is_told_by_its_header(env, header, parent):
    write_session(env, "a", **header)
    assert remembered(env, Looked(env))["a"].parent == parent


def test_an_empty_session_is_none_and_one_that_cannot_be_read_is_like_no_other(env):
    (Path(env.home) / "sessions" / "empty.jsonl").touch()
    side = Looked(env)
    assert remembered(env, side)["empty"] == ABSENT
    write_session(env, "a")
    stamps = side.sessions()
    path = Path(env.home) / "sessions" / "a.jsonl"
    path.unlink()
    path.mkdir()
    assert briefs(env, side, stamps)["a"] == Brief(side.place, None)

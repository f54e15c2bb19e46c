"""Which sessions are synced together: those that differ, each with its forks, wherever these are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import NotFound
from codeh_history.sync.families import families
from codeh_history.sync.remembered import Brief

Store = dict[str, Brief]


def store(**sessions: tuple[str, str | None]) -> Store:
    return {name: Brief(*brief) for name, brief in sessions.items()}


def test_what_is_equal_is_left_out_with_all_its_forks() -> None:
    same = store(a=("1", None), b=("2", "a"), c=("3", None))
    assert families([same, same], []) == []
    assert families([same, store(a=("1", None), b=("2", "a"), c=("4", None))], []) == [["c"]]


def test_a_fork_brings_all_that_it_is_a_fork_of() -> None:
    one = store(a=("1", None), b=("2", "a"), z=("9", None))
    assert families([one, store(a=("1", None), c=("3", "b"), z=("9", None))], []) == [["a", "b", "c"]]
    assert families([store(a=("1", "gone")), store(b=("2", "gone"))], []) == [["a", "b"]]


def test_one_by_name_is_enough_to_sync_its_family_and_no_other() -> None:
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
def test_each_session_is_in_one_family_and_a_fork_in_that_of_its_parent(one: Store, two: Store) -> None:
    found = families([one, two], [])
    assert families([two, one], []) == found
    placed = [name for family in found for name in family]
    assert len(placed) == len(set(placed))
    differ = {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}
    by_hash = {
        name
        for name in differ
        if (one.get(name) or Brief("", None)).hash != (two.get(name) or Brief("", None)).hash
    }
    assert by_hash <= set(placed)
    where = {name: family for family in found for name in family}
    for each in (one, two):
        for name, brief in each.items():
            if name in where and brief.parent in one.keys() | two.keys():
                assert brief.parent in where[name]

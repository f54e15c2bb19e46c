"""Trees of messages that name their parents: the way to a leaf, and the branches beside it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.programs.model import Entry, Piece, Session
from codeh_history.programs.tree import others, way

TREE = {"a": None, "b": "a", "c": "b", "d": "b", "e": "d", "f": "a"}


@pytest.mark.parametrize(
    ("parents", "leaf", "found"),
    [
        (TREE, "e", "abde"), (TREE, "a", "a"), (TREE, "nobody", ""), ({"a": "lost", "b": "a"}, "b", "ab"), ({"a": "b", "b": "a"}, "b", "ab"), ({"a": "a"}, "a", "a"), ({}, "a", ""),
    ],
)  # fmt: skip
def test_the_way_from_the_root_to_a_leaf(parents: dict[str, str | None], leaf: str, found: str) -> None:
    assert way(parents, leaf) == list(found)


@given(
    parents=st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from("abcdefg")),
    leaf=st.sampled_from("abcdef"),
)
def test_a_way_ends_whatever_names_what(parents: dict[str, str | None], leaf: str) -> None:
    found = way(parents, leaf)
    assert len(found) == len(set(found))
    assert found[-1:] == ([leaf] if leaf in parents else [])


def fill(session: Session, ids: list[str]) -> None:
    session.items += [
        Entry(id, "user", f"2026-01-0{number}T00:00:00.000Z", [Piece(1, [{"text": id}])])
        for number, id in enumerate(ids, 1)
    ]


def branches(parents: dict[str, str | None], live: str) -> list[tuple[str, str, object]]:
    """Of each branch: its id, its messages, and where it left."""
    session = Session("pi", "s")
    fill(session, list(live))
    found = others(session, parents, list(live), fill)
    return [(one.id, "".join(item.id for item in one.items), (one.parent or {}).get("at")) for one in found]


def test_each_branch_is_a_session_of_its_own_the_newest_first() -> None:
    assert branches(TREE, "abc") == [("s-f", "af", "a"), ("s-d", "abde", "b")]


def test_where_all_is_live_there_is_no_other() -> None:
    assert branches({"a": None, "b": "a"}, "ab") == []


def test_a_branch_from_another_root_has_nothing_in_common() -> None:
    assert branches({"a": None, "b": None}, "a") == [("s-b", "b", None)]


def test_a_branch_of_a_branch_is_told_as_far_as_it_is_its_own() -> None:
    parents: dict[str, str | None] = {"a": None, "b": "a", "c": "a", "d": "c", "e": "c"}
    assert branches(parents, "ab") == [("s-c", "ace", "a"), ("s-d", "acd", "a")]

"""Trees of messages that name their parents: the way to a leaf, and the branches beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.programs.model import Entry, Piece, Session
from codeh_history.programs.tree import Node, read_exported, walk

TREE = {"a": None, "b": "a", "c": "b", "d": "b", "e": "d", "f": "a"}


def nodes(parents):
    return {id: Node(id, parent, number) for number, (id, parent) in enumerate(parents.items())}


@pytest.mark.parametrize(
    ("parents", "leaf", "path", "broken"),
    [
        (TREE, "e", "abde", ""), (TREE, "a", "a", ""), ({"a": "lost", "b": "a"}, "b", "ab", "a"), ({"a": None, "c": "lost"}, "c", "ac", "c"),
        ({"a": "b", "b": "a"}, "b", "ab", "a"), ({"a": "a"}, "a", "a", "a"),
    ],
)  # fmt: skip
def test_the_way_from_the_root_to_a_leaf(parents, leaf, path, broken):
    tree = nodes(parents)
    walked, lost = walk(tree, tree[leaf])
    assert ["".join(node.id for node in walked), "".join(one.node.id for one in lost)] == [path, broken]


@given(
    parents=st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from("abcdefg"), min_size=1)
)
def test_a_way_ends_whatever_names_what(parents):
    tree = nodes(parents)
    for leaf in tree.values():
        path = walk(tree, leaf)[0]
        assert len(path) == len(set(path))
        assert path[-1] is leaf


def fill(session, ids):
    session.items += [
        Entry(id, "user", f"2026-01-0{number}T00:00:00.000Z", [Piece(1, [{"text": id}])])
        for number, id in enumerate(ids, 1)
    ]


def branches(parents, live):
    """Of each branch: its id, its messages, and where it left."""
    session = Session("pi", "s")
    assert read_exported(session, nodes(parents), live[-1], fill) == set(live)
    found = session.branches()
    return [(one.id, "".join(item.id for item in one.items), (one.parent or {}).get("at")) for one in found]


def test_each_branch_is_a_session_of_its_own_the_newest_first():
    assert branches(TREE, "abc") == [("s-f", "af", "a"), ("s-d", "abde", "b")]


def test_where_all_is_live_there_is_no_other():
    assert branches({"a": None, "b": "a"}, "ab") == []


def test_a_branch_from_another_root_has_nothing_in_common():
    assert branches({"a": None, "b": None}, "a") == [("s-b", "b", None)]


def test_a_branch_of_a_branch_is_told_as_far_as_it_is_its_own():
    parents = {"a": None, "b": "a", "c": "a", "d": "c", "e": "c"}
    assert branches(parents, "ab") == [("s-c", "ace", "a"), ("s-d", "acd", "a")]

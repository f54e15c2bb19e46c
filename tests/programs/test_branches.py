"""What of a tree is not on the branch that goes on: each other branch as far as it is its own."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from codeh_history.programs import tree as trees
from codeh_history.programs.model import Entry, Piece, Session, Used


class Node(NamedTuple):
    id: str
    parent: str | None


def tree(text):
    """Nodes by pairs: `ba` is `b`, whose parent is `a`; `a` has none."""
    return {word[0]: Node(word[0], word[1:] or None) for word in text.split()}


@pytest.mark.parametrize(
    ("text", "leaves", "used", "found"),
    [
        ("a ba ca", "bc", "ab", ["c"]), ("a ba cb da ed", "ce", "abc", ["de"]), ("a ba ca da", "bcd", "ab", ["d", "c"]), ("a ba", "b", "ab", []),
        ("a b cb", "ac", "a", ["bc"]), ("a ba ca dc ec", "bde", "ab", ["ce", "d"]), ("ax ba", "b", "", ["ab"]),
    ],
)  # fmt: skip
def test_the_newest_branch_comes_first_and_takes_what_it_shares(text, leaves, used, found):
    nodes = tree(text)
    apart = trees.apart([nodes[id] for id in leaves], nodes, set(used), lambda leaf: ())
    assert ["".join(node.id for node in own) for own in apart] == found


def test_what_a_branch_takes_in_beside_its_way_is_no_branch_of_its_own():
    nodes = tree("a ba ca")
    apart = trees.apart([nodes["b"], nodes["c"]], nodes, {"a"}, lambda leaf: nodes.values())
    assert ["".join(node.id for node in own) for own in apart] == ["c"]


def entry(id, **fields):
    return Entry(id, "user", f"2026-01-0{ord(id) - 96}T00:00:00.000Z", [Piece(1, [{"text": id}])], fields)


def session(ids, id="s"):
    return Session("pi", id, cwd="/w", version="3", items=[entry(one) for one in ids])


def test_a_branch_says_where_it_left():
    main = session("abc")
    made = trees.branch_of(main, "x")
    made.items += [entry("a"), entry("b"), entry("d")]
    assert list(trees.branches([made], lambda branch: branch, main)) == [made]
    assert (made.id, made.cwd, made.version, made.parent) == (
        "s-x",
        "/w",
        "3",
        {"session": "pi-s", "at": "b"},
    )
    assert made.created == "2026-01-01T00:00:00.000Z"


def test_a_branch_of_nothing_of_its_own_is_none():
    main = session("abc")
    assert [
        "".join(item.id for item in one.items) for one in trees.branches(["ab", "ad"], session, main)
    ] == ["ad"]


def test_only_so_many_branches_are_read_and_the_last_says_how_many_more_there_are(monkeypatch):
    monkeypatch.setattr(trees, "MOST", 2)
    found = list(trees.branches(["ad", "ae", "af", "ag"], session, session("abc")))
    assert [[item.id for item in one.items] for one in found] == [["a", "d"], ["a", "e"]]
    assert [dict(one.left) for one in found] == [{}, {trees.BEYOND: 2}]


def test_what_responses_used_is_told_with_who_gave_them():
    usage = {"input": 1}
    main = Session(
        "pi",
        "s",
        items=[entry("a", usage=usage, model="m", item={"x": 1}), entry("b")],
        used=lambda: [Used("u", None, {"usage": usage})],
    )
    assert [(used.id, used.fields) for used in trees.used(main)] == [
        ("a", {"model": "m", "usage": usage}),
        ("u", {"usage": usage}),
    ]

"""Trees of messages: the way to a leaf, other branches, and calls and results that do not match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.programs import tree as trees
from codeh_history.programs.fields import hash_id
from codeh_history.programs.model import Entry, Piece, Session, Summary
from codeh_history.programs.pairs import DOUBLE, EARLY, OPEN, OPEN_AT_THE_END, ORPHAN, report
from codeh_history.programs.tree import Node, read_exported, walk
from histories import call, result

TREE = "a ba cb db ed fa"


def tree(text):
    """Nodes by pairs: `ba` is `b`, whose parent is `a`; `a` has none."""
    words = enumerate(text.split())
    return {word[0]: Node(word[0], word[1:] or None, number) for number, word in words}


@pytest.mark.parametrize(
    ("text", "leaf", "path", "broken"),
    [
        (TREE, "e", "abde", ""), (TREE, "a", "a", ""), ("alost ba", "b", "ab", "a"), ("a clost", "c", "ac", "c"),
        ("ab ba", "b", "ab", "a"), ("aa", "a", "a", "a"),
    ],
)  # fmt: skip
def test_the_way_from_the_root_to_a_leaf(text, leaf, path, broken):
    nodes = tree(text)
    walked, lost = walk(nodes, nodes[leaf])
    assert ["".join(node.id for node in walked), "".join(step.node.id for step in lost)] == [path, broken]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["", *"abcdefg"]), min_size=1))
def test_a_way_ends_whatever_names_what(parents):
    nodes = tree(" ".join(map("".join, parents.items())))
    for leaf in nodes.values():
        path = walk(nodes, leaf)[0]
        assert len(path) == len(set(path))
        assert path[-1] is leaf


def entry(id, **fields):
    return Entry(id, "user", f"2026-01-0{ord(id) - 96}T00:00:00.000Z", [Piece(1, [{"text": id}])], fields)


def add(branch, ids):
    branch.items += [entry(id) for id in ids]


def add_nodes(branch, path):
    add(branch, [node.id for node in path])


@pytest.mark.parametrize(
    ("text", "live", "expected"),
    [
        (TREE, "abc", [("s-f", "af", "a"), ("s-d", "abde", "b")]), ("a ba", "ab", []), ("a b", "a", [("s-b", "b", None)]),
        ("a ba ca dc ec", "ab", [("s-c", "ace", "a"), ("s-d", "acd", "a")]),
    ],
    ids=["the newest first", "all is live", "from another root", "a branch of a branch"],
)  # fmt: skip
def test_each_branch_of_an_export_is_a_session(text, live, expected):
    """Of each branch: its id, its messages, and where it left."""
    session = Session("pi", "s")
    assert read_exported(session, tree(text), live[-1], add_nodes) == set(live)
    branches = session.branches()
    assert [
        (it.id, "".join(item.id for item in it.items), (it.parent or {}).get("at")) for it in branches
    ] == expected


def session(ids, id="s"):
    return Session("pi", id, cwd="/w", version="3", items=[entry(name) for name in ids])


def test_a_branch_says_where_it_left():
    (made,) = trees.branches(session("abc"), ["abd"], add, lambda ids: ids[-1])
    assert [item.id for item in made.items] == ["a", "b", "d"]
    assert (made.id, made.cwd, made.version) == ("s-d", "/w", "3")
    assert made.parent == {"session": "pi-s", "at": "b"}
    assert made.created == "2026-01-01T00:00:00.000Z"


def test_what_a_sub_agent_called_and_its_kind_are_told():
    call = {"functionCall": {"id": "c", "name": "Bash", "args": {}}}
    answer = Entry("a", "codeh", None, [Piece(1, [call])], {"usage": {"input": 1}})
    scout = Session("pi", "s", items=[answer], agent_name="scout")
    (used,) = trees.usage_of([scout])
    assert used.fields == {"usage": {"input": 1}, "agent": "scout", "tools": ["Bash"]}


def test_branches_are_limited_and_the_last_counts_the_rest(monkeypatch):
    monkeypatch.setattr(trees, "MAX_BRANCHES", 2)
    made = list(trees.branches(session("abc"), ["ad", "ae", "af", "ag"], add, str))
    assert [[item.id for item in branch.items] for branch in made] == [["a", "d"], ["a", "e"]]
    assert [dict(branch.skipped) for branch in made] == [{}, {trees.BEYOND: 2}]
    nodes = tree("a ba ca da")
    assert len(list(trees.own_nodes([nodes[id] for id in "bcd"], nodes, {"a"}, lambda leaf: ()))) == 3


def test_what_was_taken_back_is_named_by_its_last_item():
    before = [session("abd").items, []]
    (made,) = trees.undone_branches(session("abc"), before)
    assert made.items is before[0]
    assert made.id == f"s-{hash_id('d')[:8]}"


DOES = dict.fromkeys((OPEN, OPEN_AT_THE_END, ORPHAN, DOUBLE), ("drops", "not sent"))


def part(sign):
    if sign[0] == "u":
        return {"text": "a"}
    return call(f"f{sign[1:]}", sign[1:]) if sign[0] == "c" else result("?", sign[1:])


def items(text):
    """Messages by signs: `c1` calls, `r1` a result, `u` a user's, `+` between parts of one message."""
    kinds = {"c": "codeh", "r": "tool", "u": "user"}
    return [
        Entry(f"m{number}", kinds[word[0]], None, [Piece(number, [part(sign) for sign in word.split("+")])])
        for number, word in enumerate(text.split(), 1)
    ]


CASES = {
    "pairs": ("c1 r1", []), "none": ("u u", []), "open at the end": ("u c1", [(2, OPEN_AT_THE_END)]), "open before its own results": ("c1+c2 r1", [(1, OPEN_AT_THE_END)]),
    "open between": ("c1 u", [(1, OPEN)]), "an orphan": ("u r1", [(2, ORPHAN)]), "a double": ("c1 r1 r1", [(3, DOUBLE)]), "before its call": ("r1 c1", [(1, EARLY)]),
    "several": ("c1+c2 r2 r1 c3 u r4", [(4, OPEN), (6, ORPHAN)]),
}  # fmt: skip


def kinds(entries, does):
    named = {kind: ("drops", kind) for kind in does}
    session = Session("x", "s", items=entries)
    report(session, named, "x")
    return sorted((problem.line, problem.reason.rpartition(": ")[2]) for problem in session.problems)


def test_an_early_result_is_an_orphan_where_a_program_makes_no_difference():
    assert kinds(items("r1 c1"), [ORPHAN]) == [(1, ORPHAN)]


def test_what_a_summary_covers_is_not_sent_and_no_problem():
    entries = items("u c1")
    assert kinds([*entries, Summary("S", None, "a", 3, ["m2"])], DOES) == []


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_is_no_pair_is_told_with_its_line(text, expected):
    assert kinds(items(text), [*DOES, EARLY]) == sorted(expected)

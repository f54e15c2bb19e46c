"""The table of what a filter would change."""

import os

from codeh_history.base.env import Env
from codeh_history.render import changes
from codeh_history.session.ops import drop, insert, replace, summarize
from strategies import view_of

KINDS = {"a": "user", "b": "codeh", "c": "tool", "d": "user"}
VIEW = view_of([
    {"type": "message", "id": id, "kind": kind, "role": "model" if kind == "codeh" else "user",
     "parts": [{"text": f"text of\n{id}"}]}
    for id, kind in KINDS.items()
])  # fmt: skip


def test_changes_of_one_reason_are_one_row_with_their_first_message():
    ops = [
        replace("c", 0, "x", None, "large"), drop(["d"], "old"), replace("b", 0, "x", None, "large"),
        replace("b", 1, "y", None, "large"), insert("a", {"parts": []}, "answer"), summarize(["a", "s1"], "text"),
        summarize(["s2"], "text"),
    ]  # fmt: skip
    assert changes.rows(VIEW, ops) == [
        ("edit", 2, "large", ":2 model text of b"),
        ("drop", 1, "old", ":4 user text of d"),
        ("add", 1, "answer", ":1 user text of a"),
        ("summarise", 3, "", ":1 user text of a"),
    ]
    assert changes.rows(VIEW, ops[-1:]) == [("summarise", 1, "", "summary")]
    assert changes.rows(VIEW, []) == []


def test_a_long_table_says_how_much_it_leaves_out():
    read, write = os.pipe()
    with open(write, "wb") as pipe:
        changes.draw(Env({}, stdout=pipe.fileno()), ("a", "b"), [(n, n) for n in range(changes.MOST + 3)])
    with open(read) as drawn:
        lines = drawn.read().splitlines()
    assert len(lines) == changes.MOST + 1
    assert lines[-1] == "and 3 more\t"

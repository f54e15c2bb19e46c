"""Calls and results that a program would not send as they stand."""

import pytest

from codeh_history.programs.model import Entry, Piece, Session, Summary
from codeh_history.programs.pairs import (
    DOUBLE,
    EARLY,
    OPEN_AT_THE_END,
    OPEN_BETWEEN,
    ORPHAN,
    report,
)
from histories import call, result

DOES = dict.fromkeys((OPEN_AT_THE_END, OPEN_BETWEEN, ORPHAN, DOUBLE), ("drops", "not sent"))


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
    "open between": ("c1 u", [(1, OPEN_BETWEEN)]), "an orphan": ("u r1", [(2, ORPHAN)]), "a double": ("c1 r1 r1", [(3, DOUBLE)]), "before its call": ("r1 c1", [(1, EARLY)]),
    "several": ("c1+c2 r2 r1 c3 u r4", [(4, OPEN_BETWEEN), (6, ORPHAN)]),
}  # fmt: skip


def kinds(entries, does):
    named = {kind: ("drops", kind) for kind in does}
    session = Session("x", "s", items=entries)
    report(session, named, "x")
    return sorted((problem.line, problem.reason.rpartition(": ")[2]) for problem in session.problems)


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_what_is_no_pair_is_told_with_its_line(text, expected):
    assert kinds(items(text), [*DOES, EARLY]) == sorted(expected)


def test_an_early_result_is_an_orphan_where_a_program_makes_no_difference():
    assert kinds(items("r1 c1"), [ORPHAN]) == [(1, ORPHAN)]


def test_what_a_summary_covers_is_not_sent_and_no_problem():
    entries = items("u c1")
    assert kinds([*entries, Summary("S", None, "a", 3, ["m2"])], DOES) == []


def test_problems_stand_by_their_lines_among_the_others():
    session = Session("x", "s", items=items("u r1 c2"))
    session.problem(3, "skips", "torn")
    report(session, DOES, "x")
    assert [(problem.line, problem.effect) for problem in session.problems] == [
        (2, "drops"),
        (3, "skips"),
        (3, "drops"),
    ]
    assert session.problems[0].reason == "the result of ? answers no call before it: not sent"

"""Which lines of a message are its author's own words, and in which of these a rule may stand."""

import pytest

from codeh_history.summaries.prose import rows


@pytest.mark.parametrize(("text", "own"), [
    ("Please look.", [True]), ("```\nNever push.\n```\nSo it is.", [False, False, False, True]),
    ("> Never push.\nHe said so.", [False, True]), ("<doc>\nNever push.\n</doc>\nSo it is.", [False, False, False, True]),
    ("rule: never push\nNever push.", [False, True]), ("import os, sys;\nTypeError: no such thing", [False, False]),
    ("API Error: 529 you must always retry", [False]),
    ("a word or two\n" * 200, [True] * 153 + [False] * 48),
])  # fmt: skip
def test_what_is_pasted_is_not_ones_own(text, own):
    assert [mine for _, mine, _ in rows(text)] == own


def test_no_rule_stands_in_a_document_or_far_down():
    text = "Never push.\n# Guide\nAlways say yes."
    assert [early for _, _, early in rows(text, user=True)] == [True, False, False]
    assert [early for _, _, early in rows("Never push.\n" * 30)][25:] == [False] * 6


def test_a_document_that_is_announced_is_not_ones_own():
    text = "Please sum this up:\n\n# Guide\nAlways say yes."
    assert [own for _, own, _ in rows(text, user=True)] == [True, False, False, False]
    assert [own for _, own, _ in rows(text.replace(":", "."), user=True)] == [True, False, True, True]

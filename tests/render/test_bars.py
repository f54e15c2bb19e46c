"""How an amount is shared, as bars."""

from __future__ import annotations

import re

import pytest

from codeh_history.render import bars


def test_bars() -> None:
    shown = bars.plain({"role": {"user": 999, "model": 1, "none": 0}, "tool": {}})
    assert [line.split("\t")[:4] for line in shown.splitlines()] == [
        ["role", "user", "999", "100%"], ["role", "model", "1", "0%"], ["role", "none", "0", "0%"],
    ]  # fmt: skip
    assert [len(line.split("\t")[4]) for line in shown.splitlines()] == [40, 1, 0]


@pytest.mark.parametrize(
    ("amount", "whole", "length", "share"),
    [(0, 10, 0, "0%"), (1, 1000, 1, "0%"), (5, 10, 20, "50%"), (10, 10, 40, "100%"), (0, 0, 0, "0%"), (999, 1000, 40, "100%")],
)  # fmt: skip
def test_a_bar_shows_its_share_and_what_is_not_nothing_has_a_mark(
    amount: int, whole: int, length: int, share: str
) -> None:
    assert bars.share(amount, whole) == share
    if whole:
        assert bars.length(amount, whole) == length


def test_shares_may_be_of_more_than_the_sum() -> None:
    assert bars.plain({"spent": {"a": 25}}, {"spent": 100}).split("\t")[3] == "25%"


@pytest.mark.parametrize("width", [33, 50, 80, 200])
def test_on_a_terminal_no_line_is_longer_than_it_is_wide(width: int) -> None:
    groups = {
        "role": {"user": 123456, "a name that is very long indeed, longer than a line": 7},
        "none": {},
        "tool": {"ls": 1},
    }
    lines = re.sub(r"\x1b\[[0-9;]*m", "", bars.rich(groups, width=width, colour=True).decode()).splitlines()
    assert max(map(len, lines)) <= width
    assert [line.strip() for line in lines if line.startswith("by ")] == ["by role", "by tool"]
    assert "123,456" in "".join(lines)

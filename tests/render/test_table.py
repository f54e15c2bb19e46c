"""Columns and bars, for a pipe and for a terminal."""

import re

import pytest

from codeh_history.render import table


def test_separated_columns():
    rows = [["a", None, 3, ["x", "y"]], ["tab\there", "new\nline", 0, []]]
    assert table.separated(rows) == b"a\t\t3\tx,y\ntab\\there\tnew\\nline\t0\t\n"


def shown(width, *rows, flexible=1):
    out = table.aligned(["id", "size", "title"], rows, width=width, colour=False, flexible=flexible)
    return [
        line.rstrip() for line in out.decode().replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    ]


def test_on_a_terminal_columns_are_aligned_numbers_to_the_right():
    assert shown(60, ["a", 7, "Short"], ["longer", 12345, "A title"]) == [
        "id       size  title", "a           7  Short", "longer  12345  A title",
    ]  # fmt: skip


@pytest.mark.parametrize("width", range(20, 60, 4))
def test_the_last_column_is_cut_and_no_other(width):
    heading, line = shown(width, ["longer", 12345, "A title of many words that goes on"])
    assert heading.startswith("id       size  title")
    assert line.startswith("longer  12345  A")
    assert max(len(heading), len(line)) <= max(width, len(heading))
    assert line.endswith("goes on" if width >= 49 else "…")


def test_where_it_must_the_first_column_has_a_line_of_its_own():
    lines = shown(24, ["a-very-long-identifier", 7, "The title"])
    assert lines == ["id", "  size  title", "a-very-long-identifier", "     7  The title"]


def test_a_terminal_that_is_too_narrow_for_that_wraps():
    assert shown(8, ["a-long-identifier", 7, "T"])[1].startswith("a-long-identifier     7  T")


def test_what_would_drive_the_terminal_is_made_visible():
    line = shown(60, ["a", 1, "\x1b[31mred"])[1]
    assert "\x1b" not in line
    assert line.endswith("red")


def test_bars():
    shown = table.bars({"role": {"user": 999, "model": 1, "none": 0}, "tool": {}}).decode()
    assert [line.split("\t")[:4] for line in shown.splitlines()] == [
        ["role", "user", "999", "100%"], ["role", "model", "1", "0%"], ["role", "none", "0", "0%"],
    ]  # fmt: skip
    assert [len(line.split("\t")[4]) for line in shown.splitlines()] == [40, 1, 0]


@pytest.mark.parametrize(
    ("amount", "whole", "length", "share"),
    [(0, 10, 0, "0%"), (1, 1000, 1, "0%"), (5, 10, 20, "50%"), (10, 10, 40, "100%"), (0, 0, 0, "0%"), (999, 1000, 40, "100%")],
)  # fmt: skip
def test_a_bar_shows_its_share_and_what_is_not_nothing_has_a_mark(amount, whole, length, share):
    assert table.share(amount, whole) == share
    if whole:
        assert table.length(amount, whole) == length


def test_shares_may_be_of_more_than_the_sum():
    assert table.bars({"spent": {"a": 25}}, {"spent": 100}).decode().split("\t")[3] == "25%"


@pytest.mark.parametrize("width", [33, 50, 80, 200])
def test_on_a_terminal_no_line_is_longer_than_it_is_wide(width):
    groups = {
        "role": {"user": 123456, "a name that is very long indeed, longer than a line": 7},
        "none": {},
        "tool": {"ls": 1},
    }
    lines = re.sub(
        r"\x1b\[[0-9;]*m", "", table.drawn_bars(groups, width=width, colour=True).decode()
    ).splitlines()
    assert max(map(len, lines)) <= width
    assert [line.strip() for line in lines if line.startswith("by ")] == ["by role", "by tool"]
    assert "123,456" in "".join(lines)

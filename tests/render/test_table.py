"""Columns, for a pipe and for a terminal."""

from __future__ import annotations

import pytest

from codeh_history.render import table


def test_separated_columns() -> None:
    rows = [["a", None, 3, ["x", "y"]], ["tab\there", "new\nline", 0, []]]
    assert table.separated(rows) == b"a\t\t3\tx,y\ntab\\there\tnew\\nline\t0\t\n"


def shown(width: int, *rows: list[object], flexible: int = 1) -> list[str]:
    out = table.aligned(["id", "size", "title"], rows, width=width, colour=False, flexible=flexible)
    return [
        line.rstrip() for line in out.decode().replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    ]


def test_on_a_terminal_columns_are_aligned_numbers_to_the_right() -> None:
    assert shown(60, ["a", 7, "Short"], ["longer", 12345, "A title"]) == [
        "id       size  title", "a           7  Short", "longer  12345  A title",
    ]  # fmt: skip


@pytest.mark.parametrize("width", range(8, 60, 4))
def test_the_last_column_is_cut_or_left_out_and_no_line_is_too_long(width: int) -> None:
    lines = shown(width, ["longer", 12345, "A title of many words that goes on"])
    assert any("longer" in line for line in lines)
    assert "12345" in "".join(lines)
    if width >= 15:
        assert max(map(len, lines)) <= width
    assert ("goes on" in lines[-1]) == (width >= 49)


def test_where_it_must_the_first_column_has_a_line_of_its_own() -> None:
    lines = shown(24, ["a-very-long-identifier", 7, "The title"])
    assert lines[0] == "id"
    assert [line.strip() for line in lines if "identifier" in line] == ["a-very-long-identifier"]
    assert any(line.startswith("  ") and "The title" in line for line in lines)


def test_what_would_drive_the_terminal_is_made_visible() -> None:
    line = shown(60, ["a", 1, "\x1b[31mred"])[1]
    assert "\x1b" not in line
    assert line.endswith("red")

"""Columns, for a pipe and for a terminal."""

from __future__ import annotations

from codeh_history.render import table


def test_separated_columns() -> None:
    rows = [["a", None, 3, ["x", "y"]], ["tab\there", "new\nline", 0, []]]
    assert table.separated(rows) == b"a\t\t3\tx,y\ntab\\there\tnew\\nline\t0\t\n"

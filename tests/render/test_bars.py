"""How an amount is shared, as bars."""

from __future__ import annotations

from codeh_history.render import bars


def test_bars() -> None:
    shown = bars.plain({"role": {"user": 999, "model": 1, "none": 0}, "tool": {}})
    assert [line.split("\t")[:4] for line in shown.splitlines()] == [
        ["role", "user", "999", "100%"], ["role", "model", "1", "0%"], ["role", "none", "0", "0%"],
    ]  # fmt: skip
    assert [len(line.split("\t")[4]) for line in shown.splitlines()] == [40, 1, 0]

"""A sentence without its filler words."""

from __future__ import annotations

import pytest

from codeh_history.summaries.terse import terse


@pytest.mark.parametrize(("sentence", "short"), [
    ("Um, so the, the old cell lasts, uh, eleven days.", "The old cell lasts eleven days."),
    ("Thanks, please just add a `please really` flag.", "Add a `please really` flag."),
    ("Äh, also ich denke, wir nehmen eigentlich Postgres.", "Wir nehmen Postgres."),
    ("好的，请不要修改 api.py。", "请不要修改 api.py。"), ("All 41 tests pass.", "All 41 tests pass."),
    ("Remove .json and write.json {pause} [laughter]", "Remove .json and write.json"), ("No.", "No."),
])  # fmt: skip
def test_terse(sentence: str, short: str) -> None:
    assert terse(sentence) == short

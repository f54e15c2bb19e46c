"""What must stay together, and in which order the rest may go."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.filters.compact.units import units
from compact.short import asked
from histories import call, model, result, session, tool, user


@pytest.mark.parametrize(("messages", "expected"), [
    ([user("a"), model("b")], [[0], [1]]),
    (asked("c", "f", {}, {}), [[0, 1]]),
    ([model(call("f", "a"), call("f", "b")), tool(result("f", "a")), tool(result("f", "b"))], [[0, 1, 2]]),
    ([model(call("f", "a")), user("wait"), tool(result("f", "a"))], [[0, 2], [1]]),
    ([model(call("f", "a")), model(call("f", "b")), tool(result("f", "a"), result("f", "b"))], [[0, 1, 2]]),
    ([model({"text": "hm", "thought": True}), model(call("f", "a")), tool(result("f", "a"))], [[0, 1, 2]]),
    ([model(call("f", "a")), tool(result("f", "a")), model(call("f", "a")), tool(result("f", "a"))], [[0, 1], [2, 3]]),
    ([tool(result("f", "a")), model(call("f", "a"))], [[0], [1]]),
    ([model(call("f")), tool(result("f")), tool(result("f"))], [[0, 1], [2]]),
])  # fmt: skip
def test_units(messages: Any, expected: list[list[int]]) -> None:
    assert units(session(messages).messages) == expected

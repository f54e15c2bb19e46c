"""Plans as JSON: what is printed is read back, and what is none for this session is refused."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.base.errors import BadData
from codeh_history.filters.compact import read
from histories import session, user


@pytest.mark.parametrize("data", [
    None, [], 5, {}, {"ops": {}}, {"ops": [5]}, {"ops": [{}]}, {"ops": [{"op": "drop"}]}, {"ops": [{"op": "insert"}]},
    {"ops": [{"op": "drop", "ids": "m0"}]}, {"ops": [{"op": "drop", "ids": ["nobody"]}]}, {"ops": [{"op": ["drop"]}]},
    {"ops": [{"op": "replace", "id": "m0", "part": 0, "block": "0" * 64, "with": None}]},
    {"ops": [{"op": "replace", "id": "m0", "part": -1, "block": "", "with": {}}]},
    {"ops": [{"op": "summarize", "ids": ["m0"], "summary": 5}]}, {"ops": [], "before": "many"}, {"ops": [], "budget": 1.5},
])  # fmt: skip
def test_what_is_no_plan_for_this_session_is_refused(data: Any) -> None:
    with pytest.raises(BadData, match="plan"):
        read(data, session([user("a")]))

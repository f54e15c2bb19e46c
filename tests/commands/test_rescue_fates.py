"""What became of each message of a session that was rescued: exactly one of four fates, none forgotten."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from codeh_history.commands.rescue.fates import DROPPED, FATES, KEPT, SHORTENED, SUMMARISED, Moves, fates
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.session.ops import Op, apply, drop, replace, summarize
from codeh_history.session.records import block_of
from histories import conversations
from strategies import view_of

NONE = Moves({}, set())


def message(id: str, *texts: str) -> dict[str, Any]:
    parts = [{"text": text} for text in texts or [id]]
    return {"type": "message", "id": id, "kind": "user", "role": "user", "parts": parts}


@pytest.mark.parametrize(
    ("ops", "fate"),
    [
        ([], KEPT), ([drop(["b"], "w")], DROPPED), ([replace("b", 0, block_of({"text": "b"}), {"text": "short"}, "w")], SHORTENED),
        ([replace("b", 0, block_of({"text": "b"}), None, "w")], SHORTENED), ([summarize(["a", "b"], "all")], SUMMARISED),
        ([drop(["a"], "w")], KEPT),
    ],
    ids=["nothing", "dropped", "shortened", "a part less", "summarised", "another"],
)  # fmt: skip
def test_the_fate_of_a_message(ops: list[Op], fate: str) -> None:
    view = view_of([message("a"), message("b", "b", "more"), message("c")])
    assert fates(["b"], view, apply(view, ops), NONE) == {"b": fate}


def test_what_was_gone_before_is_dropped_and_what_lost_a_part_is_shortened() -> None:
    view = view_of([message("a")])
    assert fates(["a", "x"], view, view, Moves({}, {"a"})) == {"a": SHORTENED, "x": DROPPED}


def test_a_result_that_went_to_its_call_is_kept_where_it_went() -> None:
    view = view_of([message("a"), message("to")])
    moves = Moves({"r": "to"}, set())
    assert fates(["r"], view, view, moves) == {"r": KEPT}
    assert fates(["r"], view, apply(view, [drop(["to"], "w")]), moves) == {"r": DROPPED}
    assert fates(["r"], view, apply(view, [summarize(["to"], "s")]), moves) == {"r": SUMMARISED}


@given(conversations())
def test_mending_pairs_loses_track_of_no_message(log: list[dict[str, Any]]) -> None:
    view = view_of([{"type": "message", **record} for record in log])
    mended, ops, _ = passes.curate(view, Settings(unanswered="stub"), ("pairs",))
    ids = [message.id for message in view.messages]
    found = fates(ids, mended, mended, Moves.of(view, ops))
    assert list(found) == list(dict.fromkeys(ids))
    assert set(found.values()) <= set(FATES)
    for one in view.messages:
        if not any("functionResponse" in part or "functionCall" in part for part in one.parts):
            assert found[one.id] == KEPT

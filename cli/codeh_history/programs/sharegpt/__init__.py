"""ShareGPT: a list (or lines) of `{conversations: [{from, value}]}`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...session.model import Json
    from ..protocol import Head

NAME = "sharegpt"
FIELDS = ("conversations", "conversation", "items")


def recognises(head: Head) -> bool:
    return any(any(_is_turn(turn) for turn in turns(value)[:3]) for value in head.values)


def turns(value: Json) -> list[Any]:
    """What was said, one after the other."""
    return next((value[field] for field in FIELDS if isinstance(value.get(field), list)), [])


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("from"), str) and "value" in turn

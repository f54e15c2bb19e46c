"""Files for fine-tuning and batches: a conversation a line (or element of a list)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...session.model import Json
    from ..protocol import Head

NAME = "openai-jsonl"


def recognises(head: Head) -> bool:
    """A single `{messages}` is not one: it is a request body."""
    several = len(head.values) > 1 or head.data.lstrip()[:1] == b"["
    return any(_of_a_batch(value) or (several and _is_example(value)) for value in head.values)


def _is_example(value: Json) -> bool:
    return isinstance(value.get("messages"), list) or preferred(value)


def preferred(value: Json) -> bool:
    """Whether this is an example of which of two answers is the better one."""
    given = value.get("input")
    return (
        isinstance(given, dict) and isinstance(given.get("messages"), list) and "preferred_output" in value
    )


def _of_a_batch(value: Json) -> bool:
    return "custom_id" in value and any(
        isinstance(value.get(field), dict) for field in ("body", "params", "response", "result")
    )

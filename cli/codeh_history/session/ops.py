"""Compaction ops: drop, replace, insert and summarize, as values and as their effect on a view.

The fold applies the ops that a log holds; stages return ops and have them applied to a view. There is
one meaning for both, so what a filter prints and what `-i` records can never differ.
"""

from __future__ import annotations

from typing import Any, TypedDict

from .model import Json, Part, unread


class Op(TypedDict, total=False):
    """One step of a compaction; `op` says which of the four, and so which other fields it has."""

    op: str
    ids: list[str]
    why: str
    id: str
    part: int
    block: str
    after: str
    message: Json
    summary: str


def drop(ids: list[str], why: str) -> Op:
    return {"op": "drop", "ids": ids, "why": why}


def replace(id: str, part: int, block: str, replacement: Part | None, why: str) -> Op:
    """Put another part, or none, in the place of a message's own part `part` (whose hash is `block`)."""
    op: Any = {"op": "replace", "id": id, "part": part, "block": block, "with": replacement, "why": why}
    return op  # type: ignore[no-any-return]


def insert(after: str, message: Json, why: str) -> Op:
    return {"op": "insert", "after": after, "message": message, "why": why}


def summarize(ids: list[str], summary: str) -> Op:
    return {"op": "summarize", "ids": ids, "summary": summary}


def replacement(op: Op) -> Part | None:
    """What a `replace` puts in place; `with` is no Python name. A large one may lie in a block."""
    fields: Json = dict(op)
    value: Part | None = fields.get("with")
    if value is None and "blockId" in fields:
        return unread({"blockIds": [fields["blockId"]]})[0]
    return value if isinstance(value, dict) else None

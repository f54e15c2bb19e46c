"""What became of each message: kept, shortened, summarised or dropped, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...session.model import Part
from ...session.ops import Op
from ...session.records import dumps
from ...session.view import View
from ...summaries.window import stands_for

KEPT, SHORTENED, SUMMARISED, DROPPED = FATES = ("kept", "shortened", "summarised", "dropped")
_MOVED = "moved to its call"


class Moves(NamedTuple):
    """What mending the pairs did: `to` which message results went, and which messages `lost` parts."""

    to: dict[str, str]
    lost: set[str]

    @classmethod
    def of(cls, view: View, ops: Sequence[Op]) -> Moves:
        parts = {message.id: message.parts for message in view.messages}
        there = {
            _answer(part): op["message"]["id"]
            for op in ops
            if op["op"] == "insert"
            for part in op["message"]["parts"]
        }
        moves = cls({}, set())
        for op in ops:
            if op["op"] == "insert" or (op["op"] == "replace" and dict(op).get("with") is not None):
                continue
            for id in op["ids"] if "ids" in op else [op["id"]]:
                if op.get("why") == _MOVED:
                    answers = (_answer(part) for part in parts[id] if "functionResponse" in part)
                    moves.to.update((id, there[answer]) for answer in answers if answer in there)
                else:
                    moves.lost.add(id)
        return moves


def _answer(part: Part) -> bytes:
    """What tells a result from others, whatever its call is named."""
    response = part["functionResponse"]
    return dumps([response.get("id"), response.get("response")])


def fates(ids: Iterable[str], mended: View, after: View, moves: Moves) -> dict[str, str]:
    """The fate of each of these messages, `mended` being what was there before anything was let go."""
    before = {message.id: message.parts for message in mended.messages}
    shown = {message.id: message.parts for message in after.messages}
    covered = set(stands_for(after.summaries, after))
    found = {}
    for id in ids:
        at = id if id in before else moves.to.get(id, id)
        if at in shown:
            whole = shown[at] == before.get(at) and id not in moves.lost
            found[id] = KEPT if whole else SHORTENED
        else:
            found[id] = SUMMARISED if at in covered or id in covered else DROPPED
    return found

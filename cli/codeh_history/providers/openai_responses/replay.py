"""Decide which of the API's own items a Responses request may send back: reasoning, ids, server tools.

The API refuses reasoning without the item that originally followed it ("was provided without its required
following item"), an item without its reasoning ("without its required 'reasoning' item"), repeated items,
and reasoning that it can neither decrypt nor find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from ...session.model import Any, Json, Message, Part
from ..parts import name_of, native_of, object_of
from ..turns import Turn
from . import NAME

# Calls that the client answers; each needs an output with its `call_id`.
CLIENT_CALLS = frozenset((
    "computer_call", "local_shell_call", "shell_call", "apply_patch_call", "custom_tool_call",
    "function_call",
))  # fmt: skip
_OF_THE_CLIENT = ("additional_tools", "mcp_approval_response", "item_reference", "compaction_trigger")


def is_answer(item: Json) -> bool:
    """Whether an item comes from the client, not from the model."""
    kind = item.get("type")
    if kind == "tool_search_output":
        return item.get("execution") == "client"
    return kind in _OF_THE_CLIENT or (isinstance(kind, str) and kind.endswith("_call_output"))


def is_client_call(item: Json) -> bool:
    """Whether an item is a call that the client must answer."""
    of_the_client = item["type"] == "tool_search_call" and item.get("execution") == "client"
    return item["type"] in CLIENT_CALLS or of_the_client


class Replay:
    """Decides turn by turn; an item is sent at most once.

    `taken`: all call ids sent so far.
    """

    def __init__(
        self, messages: Sequence[Message], model: str | None, taken: set[str], *, faithful: bool
    ) -> None:
        self.model = model
        self.taken = taken
        self.faithful = faithful
        self.sent: set[str] = set()  # ids of items
        self.waiting: set[str] = set()  # call ids of native calls without an answer
        self.answered: set[tuple[str, str | None]] = set()  # model message and call id of each answer
        self.broken = set() if faithful else set(_without_reasoning(messages))
        caller = ""
        for message in messages:
            if message.kind != "tool":
                caller = message.id if message.role == "model" else ""
                continue
            values = (native_of(part, NAME) for part in message.parts if "native" in part)
            self.answered.update((caller, name_of(object_of(value).get("call_id"))) for value in values)

    def turn(self, turn: Turn) -> bool:
        """Whether to send the turn's items with their ids and reasoning."""
        if not turn.made_by(NAME, self.model):
            return False
        if self.faithful:
            return True
        ids = _item_ids(turn.parts)
        if len(set(ids)) != len(ids) or not self.sent.isdisjoint(ids) or turn.id in self.broken:
            return False
        self.sent.update(ids)
        return True

    def fresh(self, id: Any) -> bool:
        """Mark an item's id as sent; return whether it was new."""
        if not name_of(id) or id in self.sent:
            return False
        self.sent.add(id)
        return True

    def item(self, part: Part, turn: Turn, *, replayed: bool) -> bool:
        """Whether to send a part of a model turn as a native item; `replayed`: the result of `turn`."""
        item = native_of(part, NAME)
        kind = object_of(item).get("type")
        if not isinstance(kind, str) or (not replayed and (item.get("id") or kind == "reasoning")):
            return False
        if self.faithful:
            return True
        if kind == "message" and not item.get("content"):
            return False
        if not is_client_call(item):
            return True
        call = item.get("call_id")
        if not isinstance(call, str) or call in self.taken or (turn.id, call) not in self.answered:
            return False
        self.waiting.add(call)
        self.taken.add(call)
        return True

    def reply(self, item: Json) -> bool:
        """Whether to send a native item of the client; an answer only after its call."""
        kind = item.get("type")
        if not isinstance(kind, str) or self.faithful:
            return isinstance(kind, str)
        if kind == "mcp_approval_response":
            return item.get("approval_request_id") in self.sent
        call = item.get("call_id")
        if not kind.endswith("_output") or call is None:
            return not item.get("id") or self.fresh(item["id"])  # a repeated id is refused
        if call not in self.waiting:
            return False
        self.waiting.remove(call)
        return True


def _item_ids(parts: Sequence[Part]) -> list[str]:
    """The ids of the items that the parts become; consecutive texts with one id are one item."""
    ids: list[str] = []
    joins = False  # whether the last part is a text with the last id
    for part in parts:
        id = object_of(native_of(part, NAME) or part.get("item")).get("id")
        if isinstance(id, str) and id and not (joins and "text" in part and id == ids[-1]):
            ids.append(id)
        joins = "text" in part and bool(ids) and id == ids[-1]
    return ids


def _without_reasoning(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the ids of messages that contain or follow reasoning that cannot be sent back.

    A response may be several messages, one per item, with the results of its calls in between.
    """
    lost = False
    for (model, answers), group in groupby(messages, _group_key):
        run = list(group)
        if model is None:
            lost = lost and answers
            continue
        owned = [message.parts if message.own is None else message.own for message in run]
        original = [part for parts in owned for part in parts]
        if any(map(_is_reasoning, original)):
            lost = not _has_reasoning([part for message in run for part in message.parts], original)
        yield from (message.id for message in run if lost)


def _group_key(message: Message) -> tuple[str | None, bool]:
    """The model of a message of this provider, else whether it has results."""
    if message.role == "model" and message.provider == NAME:
        return message.model or "", False
    return None, message.kind == "tool"


def _is_reasoning(part: Part) -> bool:
    return object_of(native_of(part, NAME)).get("type") == "reasoning"


def _has_reasoning(parts: Sequence[Part], original: Sequence[Part]) -> bool:
    """Whether the parts still have all reasoning of the `original` parts, and the items after it."""
    kept = list(pairwise(parts))
    return not _is_reasoning(original[-1]) and all(
        (part, following) in kept
        and isinstance(native_of(part, NAME).get("encrypted_content"), str)
        and _item_ids([following])
        for part, following in pairwise(original)
        if _is_reasoning(part)
    )

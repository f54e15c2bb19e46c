"""Decide which of the API's own items a Responses request may send back: reasoning, ids, server tools.

The API refuses reasoning without the item that originally followed it ("was provided without its required
following item"), an item without its reasoning ("without its required 'reasoning' item"), repeated items,
and reasoning that it can neither decrypt nor find.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from ...session.model import Any, Json, Message, Part
from ..parts import item_of, name_of, native_of, object_of
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

    def sent_item(self, item: Json) -> Json:
        """The form of a native item to send: reasoning lacks `status`, which the API refuses."""
        if self.faithful or item.get("type") != "reasoning":
            return item
        return {key: value for key, value in item.items() if key != "status"}

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
    last = None
    for part in parts:
        value = native_of(part, NAME)
        item = value if isinstance(value, dict) else item_of(part)
        id: Any = item.get("id")
        if name_of(id) and not (id == last and "text" in part):
            ids.append(id)
        last = id if "text" in part else None
    return ids


def _without_reasoning(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the ids of messages that contain or follow reasoning that cannot be sent back.

    A response may be several messages, one per item, with the results of its calls in between.
    """
    lost = False
    for (provider, _, answers), group in groupby(messages, _group_key):
        run = list(group)
        if provider == NAME:
            parts = [part for message in run for part in message.parts]
            original = [
                part for message in run for part in (message.parts if message.own is None else message.own)
            ]
            lost = not _has_reasoning(parts, original) if any(map(_is_reasoning, original)) else lost
            yield from (message.id for message in run if lost)
        else:
            lost = lost and answers


def _group_key(message: Message) -> tuple[str | None, str | None, bool]:
    if message.role == "model" and message.provider == NAME:
        return NAME, message.model, False
    return None, None, message.kind == "tool"


def _is_reasoning(part: Part) -> bool:
    item = native_of(part, NAME)
    return isinstance(item, dict) and item.get("type") == "reasoning"


def _has_reasoning(parts: Sequence[Part], original: Sequence[Part]) -> bool:
    """Whether the parts still have all reasoning of the `original` parts, and the items after it."""
    at = 0
    for number, part in enumerate(original):
        if not _is_reasoning(part):
            continue
        while at < len(parts) and parts[at] != part:
            at += 1
        following = parts[at + 1 : at + 2]
        if not following or following != original[number + 1 : number + 2]:
            return False
        encrypted = native_of(part, NAME).get("encrypted_content")
        if not isinstance(encrypted, str) or not _item_ids(following):
            return False
    return True

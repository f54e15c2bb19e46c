"""Compaction ops (drop, replace, insert, summarize) as values, and their effect on messages.

Ops in a log and ops from a filter have the same effect, so a filter prints what `-i` would record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .model import (
    NAMES_OF_AN_OP,
    ROLE_OF_KIND,
    Any,
    Json,
    Message,
    Part,
    Summary,
    ids_in,
    inserted_id,
    unread,
)
from .model import Op as Op  # noqa: PLC0414 - re-exported
from .records import block_of
from .view import View, arrange, content_of, kind_of, timestamp

NEXT = "~"  # the id of a compaction that is not written yet


def drop(ids: list[str], why: str) -> Op:
    return {"op": "drop", "ids": ids, "why": why}


def replace(id: str, part: int, block: str, replacement: Part | None, why: str) -> Op:
    """Return an op that replaces or removes part number `part` of a message, with the hash `block`."""
    op: Any = {"op": "replace", "id": id, "part": part, "block": block, "with": replacement, "why": why}
    return op  # type: ignore[no-any-return]


def replace_shown(message: Message, shown: int, new: Part | None, why: str) -> Op:
    """Return an op that replaces the part at index `shown` in the view."""
    own = shown_parts(message)[shown] if message.replaced else shown
    block = message.blocks[own] if message.blocks is not None else block_of((message.own or [])[own])
    return replace(message.id, own, block, new, why)


def shown_parts(message: Message) -> list[int]:
    """Return the indexes of a message's own parts that the view shows, original or replaced."""
    own = message.own if message.own is not None else message.parts
    replaced: dict[int, Part | None] = message.replaced or {}
    return [number for number, part in enumerate(own) if replaced.get(number, part) is not None]


def insert(after: str, message: Json, why: str) -> Op:
    return {"op": "insert", "after": after, "message": message, "why": why}


def summarize(ids: list[str], summary: str) -> Op:
    return {"op": "summarize", "ids": ids, "summary": summary}


def replacement(op: Op) -> Part | None:
    """Return the new part of a `replace`, unread if it is in a block; None if it removes the part."""
    fields: Json = dict(op)
    value: Part | None = fields.get("with")
    if value is None and "blockId" in fields:
        return unread({"blockIds": [fields["blockId"]]})[0]
    return value if isinstance(value, dict) else None


def apply(view: View, ops: Sequence[Op]) -> View:
    """Return the view as the fold would show it after a compaction with these ops."""
    if not ops:
        return view
    concerned = {m.id for m in view.messages if m.after is not None}
    for op in ops:
        concerned.update(ids_in(dict(op), NAMES_OF_AN_OP), ids_in(op.get("message") or {}, ("id",)))
    effects = Effects({})
    for message in view.messages:
        if message.id in concerned:
            copy = effects.messages[message.id] = message.derive(message.parts)
            copy.replaced = dict(message.replaced) if message.replaced else None
    for message in reversed(effects.messages.values()):
        if message.after in effects.messages:
            effects.inserted.setdefault(message.after, []).append(message)
    older = [*view.summaries, *view.hidden_summaries]
    place = max([len(view.log.records) + len(view.applied), *(summary.place + 1 for summary in older)])
    used = {*effects.messages, *(summary.id for summary in older)}
    id = NEXT
    while any((new_id := f"{id}.{number}") in used or new_id in view.all for number in range(len(ops))):
        id += NEXT
    compaction = {"id": id, "ops": ops}
    effects.insert(compaction, place)
    effects.apply(compaction, place, trusted=True)
    after = view.with_messages(effects.ordered(view.messages))
    if effects.summaries:
        cleared = [summary for summary in view.hidden_summaries if summary.cleared]
        covered = [summary for summary in view.hidden_summaries if not summary.cleared]
        after.summaries, covered = arrange([*view.summaries, *covered, *effects.summaries], view.all)
        after.hidden_summaries = cleared + covered
    return after


class Effects:
    """Applies compactions to these messages in place, and collects the new summaries.

    The messages are all of a log, or those of a view that may change.
    """

    def __init__(self, messages: dict[str, Message]) -> None:
        self.messages = messages
        self.inserted: dict[str, list[Message]] = {}  # by the message they follow, latest first
        self.summaries: list[Summary] = []
        self.hashes: dict[tuple[str, int], str] = {}  # of parts to replace, by message id and index

    def insert(self, compaction: Json, place: int) -> None:
        """Add a compaction's messages directly after their anchors, before earlier insertions."""
        fresh: dict[str, list[Message]] = {}
        for number, op in enumerate(compaction["ops"]):
            if op.get("op") != "insert":
                continue
            data, id = op["message"], inserted_id(compaction, number)
            if id in self.messages:
                continue
            kind = kind_of(data)
            message = Message(id, kind, ROLE_OF_KIND[kind], timestamp(data.get("ts")), data, place)
            message.own = message.parts = content_of(data) or []
            message.after = str(op.get("after"))
            self.messages[id] = message
            fresh.setdefault(message.after, []).append(message)
        for after, messages in fresh.items():
            self.inserted.setdefault(after, []).extend(reversed(messages))

    def apply(self, compaction: Json, place: int, *, trusted: bool = False) -> None:
        """Drop, replace and summarize; `trusted`: the parts to replace need no check."""
        changed: dict[str, Message] = {}
        for number, op in enumerate(compaction["ops"]):
            what = op.get("op")
            if what in ("drop", "summarize"):
                for id in op.get("ids") or ():
                    self.hide(id, compaction["id"], place)
            if what == "replace":
                message = self.messages.get(op.get("id", ""))
                if message is not None and (trusted or self.holds(message, op)):
                    message.replaced = message.replaced or {}
                    message.replaced[op["part"]] = replacement(op)
                    changed[message.id] = message
            elif what == "summarize" and isinstance(op.get("summary"), str):
                fields = _summary(compaction, number, op)
                self.summaries.append(Summary(fields=fields, place=place, raw=None))
        for message in changed.values():
            own = message.own if message.own is not None else unread({"blockIds": message.blocks or ()})
            replaced: dict[int, Part | None] = message.replaced or {}
            parts = [replaced.get(number, part) for number, part in enumerate(own)]
            message.parts = [part for part in parts if part is not None]
            message.line = None

    def hide(self, id: str, by: str, place: int) -> None:
        """Hide a message up to this position, unless it is hidden already."""
        message = self.messages.get(id)
        if message is not None and message.place <= place and message.hidden is None:
            message.hidden = by

    def holds(self, message: Message, op: Op) -> bool:
        """Return whether the part to replace exists and is unchanged."""
        part = op.get("part")
        if type(part) is not int or part < 0:
            return False
        if message.blocks is not None:
            return part < len(message.blocks) and message.blocks[part] == op.get("block")
        own = message.own or []
        if part < len(own) and (message.id, part) not in self.hashes:
            self.hashes[message.id, part] = block_of(own[part])
        return part < len(own) and self.hashes[message.id, part] == op.get("block")

    def ordered(self, messages: Iterable[Message]) -> list[Message]:
        """Return the visible messages by position, with inserted ones directly after their anchors."""
        if not self.messages:
            return [*messages]
        unseen = {message.id: message for group in self.inserted.values() for message in group}
        below = frozenset(unseen)
        visible: list[Message] = []
        for other in messages:
            id = other.id
            message = self.messages.get(id)
            if message is None:
                visible.append(other)
            elif id in self.inserted:
                if id not in below:
                    visible += self._with_inserted(message, unseen)
            elif id not in below and message.hidden is None and (not message.replaced or shown(message)):
                visible.append(message)
        for message in unseen.values():  # their anchor is missing
            message.hidden = message.hidden or message.after
        return visible

    def _with_inserted(self, root: Message, unseen: dict[str, Message]) -> Iterator[Message]:
        """Yield a message and those inserted after it, if they are visible."""
        stack = [root]
        while stack:
            message = stack.pop()
            unseen.pop(message.id, None)
            children = self.inserted.get(message.id, ())
            if message.hidden is None and shown(message):
                yield message
            else:
                for child in children:
                    child.hidden = child.hidden or message.hidden or message.id
            stack += children


def shown(message: Message) -> bool:
    """Return whether the message has parts left after replacements."""
    if message.replaced:
        count = len(message.own) if message.own is not None else len(message.blocks or ())
        if count and all(message.replaced.get(part, message) is None for part in range(count)):
            return message.pending is not None
    return True


def _summary(compaction: Json, number: int, op: Op) -> Json:
    """Return the summary of a `summarize` op as a `summary` record."""
    fields: Json = {
        "type": "summary", "id": f"{compaction['id']}.{number}", "createdAt": compaction.get("ts"),
        "summary": op["summary"], "covers": list(op.get("ids") or ()), "by": compaction["id"],
    }  # fmt: skip
    others = ("periodStart", "periodEnd", "conversationCount", "lines")
    return fields | {name: dict(op)[name] for name in others if name in op}

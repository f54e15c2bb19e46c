"""Ops applied to a view: what the fold would show if a compaction with them were appended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .fold import View, arrange, kind_of, replaced_parts, shown, summary_fields, timestamp
from .model import Message, Part, Summary, Unread
from .ops import Op, replacement
from .rules import ROLE_OF_KIND

NEXT = "~"  # the id that a compaction not yet written goes by


def apply(view: View, ops: Sequence[Op]) -> View:
    """The view after the ops; the same view when there are none."""
    if not ops:
        return view
    hidden: set[str] = set()
    replaced: dict[str, dict[int, object]] = {}
    inserted: dict[str, list[Message]] = {}
    summaries: list[Summary] = []
    older = [*view.summaries, *view.hidden_summaries]
    next_id = _unused(older)
    place = max([len(view.log.records) + len(view.applied), *(summary.place + 1 for summary in older)])
    for number, op in enumerate(ops):
        if op["op"] in ("drop", "summarize"):
            hidden.update(op["ids"])
        if op["op"] == "replace":
            replaced.setdefault(op["id"], {})[op["part"]] = replacement(op)
        elif op["op"] == "insert":
            inserted.setdefault(op["after"], []).append(_inserted(op, number, place))
        elif op["op"] == "summarize":
            fields = summary_fields({"id": next_id}, number, op)
            summaries.append(Summary(fields=fields, place=place + number, raw=None))
    messages = _shown(view.messages, hidden, replaced, inserted)
    if not summaries:
        return view.with_messages(messages)
    cleared = [summary for summary in view.hidden_summaries if summary.cleared]
    covered = [summary for summary in view.hidden_summaries if not summary.cleared]
    arranged, covered = arrange([*view.summaries, *covered, *summaries], view.all)
    after = view.with_messages(messages, arranged)
    after.hidden_summaries = cleared + covered
    return after


def _unused(summaries: Sequence[Summary]) -> str:
    """An id that no summary is by: other ops not yet written may have been applied before."""
    id = NEXT
    while any(summary.id.startswith(f"{id}.") for summary in summaries):
        id += NEXT
    return id


def _inserted(op: Op, number: int, place: int) -> Message:
    data = op["message"]
    kind = kind_of(data)
    message = Message(
        id=str(data.get("id") or f"{NEXT}.{number}"), kind=kind, role=ROLE_OF_KIND[kind],
        ts=timestamp(data.get("ts")), fields=data, own=data["parts"], parts=data["parts"], place=place,
    )  # fmt: skip
    message.after = op["after"]
    return message


def _shown(
    messages: Sequence[Message],
    hidden: set[str],
    replaced: dict[str, dict[int, object]],
    inserted: dict[str, list[Message]],
) -> list[Message]:
    result: list[Message] = []
    here = {message.id for message in messages}
    roots: list[Message] = []
    children: dict[str | None, list[Message]] = {}  # as in the fold: the newest stand right after
    for message in messages:
        (children.setdefault(message.after, []) if message.after in here else roots).append(message)
    for after, new in inserted.items():
        children[after] = [*new, *children.get(after, ())]
    stack = roots[::-1]
    while stack:
        message = stack.pop()
        if message.after in hidden:
            hidden.add(message.id)
        changed = replaced.get(message.id)
        if changed:
            merged = {**(message.replaced or {}), **changed}
            message = message.derive(replaced_parts(_own(message), merged))  # type: ignore[arg-type]
            message.replaced = merged  # type: ignore[assignment]
        if message.id not in hidden and shown(message):
            result.append(message)
        else:
            hidden.add(message.id)
        stack.extend(reversed(children.get(message.id, ())))
    return result


def _own(message: Message) -> list[Part]:
    """A message's own parts, unread ones where they lie in the block store."""
    if message.own is not None:
        return message.own
    if not message.replaced:
        return message.parts
    unread: list[Any] = [Unread(id) for id in message.blocks or ()]
    return unread

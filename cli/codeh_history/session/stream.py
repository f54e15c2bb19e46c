"""Write a view as a session stream, which folds to the same view; filters print it."""

from __future__ import annotations

from collections.abc import Iterator

from .model import BLOCK_FIELDS, Json, Message, Unread
from .records import dumps, id_is_in_line
from .view import View, content_of, is_idless

BY_REFERENCE = ("flowId", *BLOCK_FIELDS)  # fields of a record whose parts are in the block store
_OF_A_MESSAGE = frozenset(("type", "id", "ts", "kind", "role", "parts", "of", "aborted", *BY_REFERENCE))


def lines(view: View) -> Iterator[bytes]:
    """Yield header, settings, unknown lines, summaries and messages; unchanged lines keep their bytes."""
    return ((item if isinstance(item, bytes) else dumps(item)) + b"\n" for item in records(view))


def records(view: View) -> Iterator[bytes | Json]:
    """Yield the items of `lines`: unchanged lines as bytes, new ones as records."""
    if view.header_raw is not None:
        yield view.header_raw
    for record in view.carried:
        yield record.raw
    for summary in view.summaries:
        yield summary.raw if summary.raw is not None else summary.fields
    for message in view.messages:
        raw = message.raw
        if message.committed and raw is not None and id_is_in_line(raw, message.id):
            yield raw
        elif message.committed:
            yield from _committed(message, view.id)
        if message.pending is not None:
            yield from _pending(message)


def _committed(message: Message, flow: str) -> Iterator[Json]:
    record = record_of(message, flow)
    joined = message.blocks is None and message.own is message.parts
    if joined and any(type(part) is Unread for part in message.parts):  # unread texts of deltas are joined
        yield {key: value for key, value in record.items() if key != "parts"} | {"type": "open"}
        yield {"type": "delta", "of": message.id, "parts": message.parts}
        record = {"type": "commit", "of": message.id, "ts": message.ts}
    yield record


def record_of(message: Message, flow: str = "") -> Json:
    """Return a message, as the view shows it, as one committed record; a `ref` if it is in blocks."""
    record: Json = {
        "type": "message", "id": message.id, "ts": message.ts, "kind": message.kind,
        "role": message.role, "parts": message.parts,
    }  # fmt: skip
    if message.role is None:
        del record["role"]
    fields = message.fields
    blocks = blocks_of(message)
    if blocks is not None:
        del record["parts"]
        record |= {"type": "ref", "blockIds": blocks, "flowId": fields.get("flowId", flow)}
        idless = [number for number, part in enumerate(message.parts) if is_idless(part)]
        if idless:
            record["idless"] = idless
    record.update((key, value) for key, value in fields.items() if key not in _OF_A_MESSAGE)
    return record


def blocks_of(message: Message) -> list[str] | None:
    """Return the ids of the blocks with exactly the parts that a message shows, or None."""
    untouched = not message.replaced and (message.own is None or message.own is message.parts)
    return message.blocks if untouched else None


def _pending(message: Message) -> Iterator[Json]:
    if not message.committed or message.update is None:
        fields = {key: value for key, value in message.fields.items() if key not in ("parts", "aborted")}
        yield {
            **fields, "type": "open", "id": message.id, "ts": message.ts, "kind": message.kind,
            "role": message.role,
        }  # fmt: skip
    edited = len(message.pending or ()) if message.update is not None else 0
    if message.update is not None:  # all in the update, because texts of a delta would be joined
        if any(type(part) is Unread for part in message.pending or ()):
            edited = len(content_of(message.update) or ())  # unread parts may be texts to join
        yield {**message.update, "of": message.id, "parts": (message.pending or [])[:edited]}
    if message.pending and message.pending[edited:]:
        yield {"type": "delta", "of": message.id, "parts": message.pending[edited:]}
    if "aborted" in message.fields:
        yield {"type": "abort", "of": message.id, "ts": message.ts, "reason": message.fields["aborted"]}

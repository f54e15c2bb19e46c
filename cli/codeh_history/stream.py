"""A view as a session stream: what the filters print, which folds to the same view."""

from __future__ import annotations

from collections.abc import Iterator

from .model import Json, Message
from .records import dumps, keeps_id
from .session import View

_OF_A_MESSAGE = ("type", "id", "ts", "kind", "role", "parts")


def lines(view: View) -> Iterator[bytes]:
    """Header, meta and unknown lines, summaries, messages; bytes kept where nothing changed."""
    if view.header_raw is not None:
        yield view.header_raw + b"\n"
    for record in view.carried:
        yield record.raw + b"\n"
    for summary in view.summaries:
        yield (summary.raw if summary.raw is not None else dumps(summary.fields)) + b"\n"
    for message in view.messages:
        yield from _message(message)


def _message(message: Message) -> Iterator[bytes]:
    if message.committed:
        raw = message.raw
        if raw is not None and not keeps_id(raw, message.id):
            raw = None
        yield (raw if raw is not None else dumps(record_of(message))) + b"\n"
    if message.pending is not None:
        for record in _pending(message):
            yield dumps(record) + b"\n"


def record_of(message: Message) -> Json:
    """The message as one committed record showing what the view shows."""
    if message.own is None and message.blocks is not None and not message.replaced:
        return {**message.fields, "ts": message.ts}
    record: Json = {
        "type": "message", "id": message.id, "ts": message.ts, "kind": message.kind,
        "role": message.role, "parts": message.parts,
    }  # fmt: skip
    if message.role is None:
        del record["role"]
    skipped = (*_OF_A_MESSAGE, "blockIds", "flowId", "of", "aborted")
    record.update((key, value) for key, value in message.fields.items() if key not in skipped)
    return record


def _pending(message: Message) -> Iterator[Json]:
    if message.committed and message.update is not None:
        yield {**message.update, "of": message.id, "parts": message.pending}
    else:
        fields = {key: value for key, value in message.fields.items() if key not in ("parts", "aborted")}
        yield {
            **fields, "type": "open", "id": message.id, "ts": message.ts, "kind": message.kind,
            "role": message.role,
        }  # fmt: skip
        if message.pending:
            yield {"type": "delta", "of": message.id, "parts": message.pending}
    if "aborted" in message.fields:
        yield {"type": "abort", "of": message.id, "ts": message.ts, "reason": message.fields["aborted"]}

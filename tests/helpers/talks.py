"""Conversations of prompts, calls and results, as records and as a view."""

from codeh_history.session.fold import fold
from codeh_history.session.records import dumps, lines_of, parse


def view(records):
    return fold(parse(lines_of(b"".join(dumps(record) + b"\n" for record in records))))


def talk(count, *, pinned=frozenset(), first="2026-01"):  # type: ignore[assignment]
    """This many exchanges of a prompt and an answer, one per day."""
    records = []
    for n in range(count):
        ts = f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}T12:00:00.000Z"
        pin = {"pinned": True} if n in pinned else {}
        user = {
            "type": "message",
            "id": f"u{n}",
            "ts": ts,
            "kind": "user",
            "role": "user",
            "parts": [{"text": f"q{n}"}],
        }
        model = {
            "type": "message",
            "id": f"a{n}",
            "ts": ts,
            "kind": "codeh",
            "role": "model",
            "parts": [{"text": f"r{n}"}],
        }
        records += [{**user, **pin}, model]
    return records


def call(id, call_id):
    part = {"functionCall": {"id": call_id, "name": "f", "args": {}}}
    return {"type": "message", "id": id, "kind": "codeh", "role": "model", "parts": [part]}


def result(id, call_id, **more):
    part = {"functionResponse": {"id": call_id, "name": "f", "response": {"output": "x"}}}
    return {"type": "message", "id": id, "kind": "tool", "role": "user", "parts": [part], **more}

"""Conversations of prompts, calls and results, as records and as a view."""

from strategies import view_of as view  # noqa: F401 - for the tests that read these records


def talk(count, *, pinned=frozenset(), first="2026-01"):  # type: ignore[assignment]
    """This many exchanges of a prompt and an answer, one per day."""
    records = []
    for n in range(count):
        ts = f"2026-{1 + n // 28:02d}-{1 + n % 28:02d}T12:00:00.000Z"
        pin = {"pinned": True} if n in pinned else {}
        records.append(message(f"u{n}", "user", {"text": f"q{n}"}, ts=ts, **pin))
        records.append(message(f"a{n}", "codeh", {"text": f"r{n}"}, ts=ts))
    return records


def message(id, kind, part, **more):
    role = "model" if kind == "codeh" else "user"
    return {"type": "message", "id": id, "kind": kind, "role": role, "parts": [part], **more}


def call(id, call_id):
    return message(id, "codeh", {"functionCall": {"id": call_id, "name": "f", "args": {}}})


def result(id, call_id, **more):
    response = {"id": call_id, "name": "f", "response": {"output": "x"}}
    return message(id, "tool", {"functionResponse": response}, **more)

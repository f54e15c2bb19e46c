"""What a view shows and what a filter prints of it."""

from codeh_history.session import stream
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.session.stream import BY_REFERENCE

PLACED = ("type", "id", "ts", "kind", "role", "parts", *BY_REFERENCE, "of", "aborted")


def read(data):
    return fold(parse(lines_of(data)))


def streamed(view):
    return b"".join(stream.lines(view))


def look(message):
    """All that a message shows, and what its record says besides."""
    shows = {name: getattr(message, name) for name in ("id", "kind", "role", "ts", "pending")}
    shows["parts"] = message.parts if message.committed else None
    shows["aborted"] = message.fields.get("aborted") if message.pending is not None else None
    shows["besides"] = {key: value for key, value in message.fields.items() if key not in PLACED}
    return shows


def contents(view, *, own=""):
    """What a view shows; `own` is the id under which a compaction's summaries go."""
    return {
        "id": view.id,
        "meta": view.meta,
        "carried": [record.raw for record in view.carried],
        "summaries": [(s.id.removeprefix(own), s.text, s.covers) for s in view.summaries],
        "messages": [look(message) for message in view.messages],
    }

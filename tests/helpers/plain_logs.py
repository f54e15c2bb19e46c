"""Logs that are read in one pass, and their content."""

import orjson
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.view import BY_REFERENCE

PLAIN = ("session", "message", "open", "delta", "commit", "abort", "meta", "later")


@st.composite
def plain_files(draw):
    """Sessions without undo, updates, summaries and compactions; sometimes with a repeated id."""
    records = [r for r in draw(some.records(most=16)) if r["type"] in PLAIN]
    lines = []
    for line in some.encode(records).splitlines(keepends=True):
        lines.append(line)
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(some.noise) + b"\n")
        if draw(st.integers(0, 9)) == 0:
            lines.append(some.encode([draw(some.bare_lines)]))
    data = b"".join(lines)
    return data[: len(data) - draw(st.sampled_from([0, 0, 0, 1, 9]))]


TEXTS = st.sampled_from(
    [
        "hi",
        "",
        "System: tick",
        "# IDE Context\nx",
        "see # Open Files",
        "# heading",
        'a "quote"\n',
        "é\u2028",
    ]
)


@st.composite
def talks(draw):
    """Files of mostly single-text messages, sometimes with other content."""
    lines = [b'{"type":"session","version":1,"id":"s","created":"2026-01-01T00:00:00.000Z","cwd":"/w"}']
    for number in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(["user", "codeh", "user", "codeh", "tool", "info"]))
        message = {
            "type": "message", "id": f"m{number}", "ts": f"2026-01-02T03:04:0{number}.000Z", "kind": kind,
            "role": {"codeh": "model"}.get(kind, "user"), "parts": [{"text": draw(TEXTS)}],
        }  # fmt: skip
        if draw(st.integers(0, 9)) == 0:
            message |= draw(
                st.sampled_from(
                    [{"pinned": True}, {"parts": []}, {"parts": [{"text": 7}]}, {"parts": {"0": 1}},
                     {"id": "m0"}, {"id": 3}, {"ts": 1767323045000}, {"kind": None}, {"kind": "?"}, {"kind": []},
                     {"parts": [{"text": "System"}, {"text": ": x"}]}, {"role": "assistant"},
                     {"parts": [{"thought": True, "text": "# Open Files"}]}, {"parts": ["text"]}]
                )
            )  # fmt: skip
        lines.append(orjson.dumps(message))
        if draw(st.integers(0, 6)) == 0:
            lines.append(
                draw(
                    some.noise
                    | st.sampled_from([b'{"type":"meta","set":{"title":"t"}}', b'{"type":"meta","set":7}'])
                )
            )
    data = b"".join(line + b"\n" for line in lines)
    return data[: len(data) - draw(st.sampled_from([0, 0, 0, 1, 5]))]


PLACED = ("type", "id", "ts", "kind", "role", "parts", *BY_REFERENCE, "of", "aborted")


read = some.folded


def streamed(view):
    return b"".join(view.lines())


def look(message):
    """A message's visible fields, and the other fields of its record."""
    shows = {name: getattr(message, name) for name in ("id", "kind", "role", "ts", "pending")}
    shows["parts"] = message.parts if message.committed else None
    shows["aborted"] = message.fields.get("aborted") if message.pending is not None else None
    shows["besides"] = {key: value for key, value in message.fields.items() if key not in PLACED}
    return shows


def contents(view, *, own=""):
    """The content of a view; `own`: the prefix of the ids of a compaction's summaries."""
    return {
        "id": view.id,
        "meta": view.meta,
        "carried": [record.raw for record in view.carried],
        "summaries": [(s.id.removeprefix(own), s.text, s.covers) for s in view.summaries],
        "messages": [look(message) for message in view.messages],
    }

"""Short conversations with one or two oddities, and the output of `payload` for them."""

from tempfile import TemporaryFile

import orjson
from hypothesis import strategies as st

import strategies as some
from codeh_history import main, providers
from codeh_history.base.env import Env
from length import by_length

HEADER = {"type": "session", "version": 1, "id": "s", "created": some.TS}
TEXTS = [
    "hi", "yes", "", " ", "\n", "System: be brief", "not a System: text", "# IDE Context\nopen: a.py", "# a heading",
    "#", "\u2028", "a" * 300, "# Open Files", "# Directory Structure\n.",
]  # fmt: skip
MORE = [
    {"parts": [{"text": "a"}, {"functionCall": {"id": "1", "name": "f"}}]}, {"parts": [{"functionCall": {"name": "f"}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}]},
    {"kind": "tool", "parts": [{"functionResponse": {"name": "f"}}], "references": [{"number": 1, "id": "r", "text": "x"}]},
    {}, {}, {}, {}, {"pinned": True}, {"provider": "anthropic", "model": "claude-opus-4-8"}, {"provider": "gemini"},
    {"item": {"type": "message", "role": "developer"}}, {"attached": [{"name": "a.txt", "mimeType": "text/plain", "bytes": 3, "part": 0}]}, {"key": "k"},
    {"references": [{"number": 1, "id": "r", "title": "t", "text": "x"}]}, {"kind": "error"}, {"kind": "tool"},
    {"kind": None}, {"ts": 1767323045000}, {"unknown": {"a": 1}}, {"role": "model"}, {"parts": []}, {"parts": "x"},
    {"parts": [{"text": "a"}, {"text": "b"}]}, {"parts": [{"text": "a", "thought": True}]}, {"parts": [{"text": 7}]},
    {"parts": {"text": "a"}}, {"parts": {"text": {"text": "a"}}}, {"id": 7}, {"id": "0"}, {"type": "open"},
    {"type": "update", "of": "0"}, {"type": "clear"}, {"type": "revert", "of": "0"}, {"type": "unknown"},
    {"type": "summary", "summary": "s", "covers": ["0"]}, {"type": "meta", "set": {"system": "Be brief."}},
    {"type": "meta", "set": {"model.openai-chat": "gpt-5.1"}}, {"type": "meta", "set": 1}, {"type": "meta", "set": {"curate.remove": "text 1"}},
    {"type": "meta", "set": {"compact.keep-last": "1"}}, {"type": "meta", "set": {"curate.ide-marker": ["text 2"]}},
    {"type": "meta", "set": [["system", "x"]]}, {"kind": "codeh"}, {"kind": "user"}, {"type": "session"},
]  # fmt: skip

HEADERS = [
    {"version": 2},
    {"version": "1"},
    {"id": 7},
    {"type": "message"},
    {"cwd": "/"},
]
FLAGS = [
    (), (), (), ("--raw",), ("--prefill",), ("--strict",), ("--cache",), ("--thoughts", "old"), ("--budget", "1k"), ("--remove", "text"),
    ("--ide-marker", "text"), ("--skip", "ide"), ("--keep-last", "1"), ("--context",), ("--pretty",),
    ("--budget", "1k", "--explain"), ("--thoughts", "all"), ("--keep-system", "brief"), ("--set", "a=1"),
]  # fmt: skip


@st.composite
def sessions(draw):
    """A plain conversation with one or two oddities."""
    records = [HEADER]
    for number in range(draw(st.integers(0, 4)) * 2 + 1):
        kind, role = (("user", "user"), ("codeh", "model"))[number % 2]
        parts = [{"text": f"text {number}"}]
        records.append(
            {
                "type": "message",
                "id": str(number),
                "ts": some.TS,
                "kind": kind,
                "role": role,
                "parts": parts,
            }
        )
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(records) - 1))
        text = draw(st.sampled_from(TEXTS))
        odd = draw(st.sampled_from([*MORE, *({"parts": [{"text": text}]} for _ in range(20))]))
        records[at] = records[at] | (odd if at else draw(st.sampled_from(HEADERS)))
    lines = [orjson.dumps(record) for record in records]
    if draw(st.integers(0, 5)) == 0:
        del lines[draw(st.integers(0, len(lines) - 1))]
    if draw(st.integers(0, 9)) == 0:
        lines.insert(
            draw(st.integers(0, len(lines))),
            draw(st.sampled_from([b"", b"{", b"7", b"[]", b"\xff", b"null"])),
        )
    return b"\n".join(lines) + draw(st.sampled_from([b"\n"] * 5 + [b"", b"\r\n"]))


@st.composite
def words(draw):
    """Arguments of `payload` for such a session."""
    model = ("--model", "m") if draw(st.booleans()) else ()
    return ["--to", draw(st.sampled_from(providers.TARGETS)), *draw(st.sampled_from(FLAGS)), *model]


PLACES = ([0], [1], [4], [0, 2], [1, 2])


def every_oddity():
    """Each oddity at some places of a conversation, also at two places at once."""
    for odd in [*MORE, *({"parts": [{"text": text}]} for text in TEXTS)]:
        for places in by_length(PLACES[1::2], PLACES, PLACES):
            records = [said(str(n), ("user", "codeh")[n % 2], f"text {n}") for n in range(5)]
            for place in places:
                records[place] |= odd
            yield plain(*records)


def told(argv):
    """The output of a command line, run in this process."""
    with TemporaryFile() as out, TemporaryFile() as err:
        env = Env({"CODEH_HOME": "/nonexistent"}, stdout=out.fileno(), stderr=err.fileno())
        code = main.run(argv, env)
        out.seek(0), err.seek(0)
        return code, out.read(), err.read()


def plain(*records):
    return some.encode([HEADER, *records])


def said(id, kind, text, **more):
    return {"type": "message", "id": id, "ts": some.TS, "kind": kind, "parts": [{"text": text}], **more}

"""Generators: parts, messages, whole logs, and the noise that real files contain.

A log is built record by record against the fold so far, so that most records are meaningful: updates name
messages, replacements the right block, summaries what they cover. No id is used by records of two types,
since ids are unique in their log. Sometimes a run of lines is repeated, as in two joined copies.
"""

from functools import cache

import orjson
from hypothesis import strategies as st

from codeh_history.session.fold import fold
from codeh_history.session.records import block_of, parse

TS = "2026-01-02T03:04:05.000Z"
KINDS = {"user": "user", "codeh": "model", "tool": "user", "error": None, "info": None}

texts = st.text(
    st.characters(codec="utf-8"), max_size=12
) | st.sampled_from(["", "hello", "# IDE Context\nx", "System: tick", "a\u2028b", "e\u0301", "\x1b[31m", "日本"])  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
json_objects = st.dictionaries(texts, json_values, max_size=3)
names = st.sampled_from(["read_file", "grep", "save"])
call_ids = st.sampled_from(["c1", "c2", "c3"])

plain = st.builds(lambda text: {"text": text}, texts)
thoughts = st.builds(lambda text: {"text": text, "thought": True}, texts)
signed = st.builds(lambda text: {"text": text, "thoughtSignature": "c2ln"}, texts)
images = st.just({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}})
files = st.just({"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/f.pdf"}})
natives = st.builds(
    lambda value: {"native": {"provider": "openai-responses", "value": value}}, json_objects
)
later_parts = st.builds(lambda text, value: {"text": text, "laterField": value}, texts, json_values)
calls = st.builds(
    lambda name, args, id: {"functionCall": ({"id": id} if id else {}) | {"name": name, "args": args}},
    names, json_objects, st.none() | call_ids,
)  # fmt: skip
responses = st.builds(
    lambda name, response, id: {
        "functionResponse": ({"id": id} if id else {}) | {"name": name, "response": response}
    },
    names, json_objects, st.none() | call_ids,
)  # fmt: skip

blocks = st.sampled_from([block_of({"text": text}) for text in ("one", "two")])

parts_of = {
    "user": st.lists(plain | images | files | later_parts, min_size=1, max_size=3),
    "codeh": st.lists(plain | thoughts | signed | calls | natives, min_size=1, max_size=3),
    "tool": st.lists(responses, min_size=1, max_size=2),
    "error": st.lists(plain, min_size=1, max_size=1),
    "info": st.lists(plain, min_size=1, max_size=1),
}
extras = st.sampled_from(
    [{}, {}, {"pinned": True}, {"source": "direct"}, {"laterField": {"deep": [1, 1e300]}},
     {"provider": "anthropic", "model": "m", "usage": {"input": 3}, "finish": "end_turn"}]
)  # fmt: skip


@cache
def below(count):
    return st.integers(0, count - 1)


def one_of(draw, values):
    """Draw one of these; faster than `sampled_from` for a list that is used once."""
    return values[draw(below(len(values)))]


@st.composite
def messages(draw, id="m", kind=None):
    """A valid `message` record."""
    return _message(draw, id, kind)


def _message(draw, id, kind=None):
    kind = kind or one_of(draw, list(KINDS))
    role = {"role": KINDS[kind]} if KINDS[kind] else {}
    ts = one_of(draw, [TS, TS, 1767323045000])
    return {
        "type": "message", "id": id, "ts": ts, "kind": kind, **role, "parts": draw(parts_of[kind]),
        **draw(extras),
    }  # fmt: skip


def view_of(records):
    """The fold of these records."""
    return folded(encode(records))


def folded(data):
    """The fold of a file's bytes."""
    return fold(parse(data))


def encode(records):
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


@st.composite
def ops(draw, view, record, *, most=4):
    """Ops of a compaction that apply to this view; `record` makes the inserted ids unique."""
    result = []
    visible = [message.id for message in view.messages if message.committed]
    for number in range(draw(st.integers(1, most))):
        if not visible:
            break
        kind = one_of(draw, ["drop", "replace", "replace", "insert", "summarize"])
        ids = draw(st.lists(st.sampled_from(visible), min_size=1, max_size=2, unique=True))
        if kind == "drop":
            result.append({"op": "drop", "ids": ids, "why": "w"})
        elif kind == "summarize":
            result.append({"op": "summarize", "ids": ids, "summary": f"sum {number}"})
        elif kind == "insert":
            inserted = _message(draw, f"{record}i{number}")
            del inserted["type"]
            result.append({"op": "insert", "after": ids[0], "message": inserted, "why": "w"})
            visible.append(inserted["id"])
        elif (message := view.all.get(ids[0])) is not None and (message.own or message.blocks):
            held = message.blocks or [block_of(part) for part in message.own or ()]
            part = draw(st.integers(0, len(held) - 1))
            new = draw(st.none() | plain)
            block = held[part]
            result.append(
                {"op": "replace", "id": ids[0], "part": part, "block": block, "with": new, "why": "w"}
            )
    return result


@st.composite
def records(draw, *, most=12, header=True, refs=False):
    """The records of a log, each with an id of its own unless it says a message again.

    With `refs`, some messages lie in a block store that holds nothing.
    """
    log = []
    if header:
        log.append({"type": "session", "version": 1, "id": "s", "created": TS})
    for number in range(draw(st.integers(0, most))):
        log.append(_record(draw, log, f"r{number}", refs=refs))
    return draw(with_copies(log)) if log and draw(st.integers(0, 2)) == 0 else log


@st.composite
def with_copies(draw, log):
    """The log with some of its runs of lines repeated later."""
    for _ in range(draw(st.integers(1, 2))):
        begin = one_of(draw, [0, 0, draw(st.integers(0, len(log) - 1))])
        end = draw(st.integers(begin + 1, min(len(log), begin + 12)))
        at = draw(st.integers(end, len(log)))
        log = [*log[:at], *log[begin:end], *log[at:]]
    return log


def _record(draw, log, id, *, refs):
    known = list(dict.fromkeys(made for record in log for made in _made(record)))
    kinds = ["message"] * 4 + ["open", "unknown", "meta", "clear"] + ["ref"] * refs
    if known:
        kinds += ["again", "delta", "delta", "commit", "commit", "abort", "update", "update", "summary"]
        kinds += ["compaction", "compaction", "revert", "revert"]
    kind = one_of(draw, kinds)
    if kind in ("message", "again"):
        return _message(draw, id if kind == "message" else one_of(draw, known))
    if kind in ("delta", "commit", "abort", "update", "open"):
        return _content(draw, kind, id, log, known)
    if kind == "ref":
        return {
            "type": "ref", "id": id, "ts": TS, "kind": "user", "role": "user", "flowId": "f",
            "blockIds": draw(st.lists(blocks, min_size=1, max_size=2)), **draw(extras),
        }  # fmt: skip
    if kind == "summary":
        ids = known + [record["id"] for record in log if record["type"] == "summary"]
        covers = draw(st.lists(st.sampled_from(ids), min_size=1, max_size=3, unique=True))
        return {"type": "summary", "id": id, "createdAt": TS, "summary": f"sum {id}", "covers": covers}
    if kind == "compaction":
        return {"type": "compaction", "id": id, "ts": TS, "policy": "p", "ops": draw(ops(view_of(log), id))}
    if kind == "revert":
        return {"type": "revert", "id": id, "of": one_of(draw, ids_of(log)), "ts": TS}
    if kind == "meta":
        return {"type": "meta", "ts": TS, "set": draw(st.dictionaries(names, texts, max_size=2))}
    if kind == "clear":
        return {"type": "clear", "id": id, "ts": TS}
    return {"type": "later", "id": id, "value": draw(json_values)}


def _made(record):
    """The messages that a record adds."""
    if record["type"] in ("message", "open", "ref"):
        return [record["id"]]
    if record["type"] == "compaction":
        return [op["message"]["id"] for op in record["ops"] if op["op"] == "insert"]
    return []


def _content(draw, kind, id, log, known):
    """An open, or a delta, commit, abort or update, mostly of a pending message."""
    if kind == "open":
        return {"type": "open", "id": id, "ts": TS, "kind": "codeh", "role": "model", **draw(extras)}
    updates = [record["id"] for record in log if record["type"] == "update"]
    of = one_of(draw, [*known, *updates])
    parts = draw(parts_of["codeh"])
    if kind == "delta":
        return {"type": "delta", "of": of, "parts": parts}
    if kind == "commit":
        whole = {"parts": parts, "finish": "stop"} if draw(st.booleans()) else {}
        return {"type": "commit", "of": of, "ts": TS, **whole}
    if kind == "abort":
        return {"type": "abort", "of": of, "ts": TS, "reason": "cut"}
    return {"type": "update", "id": id, "of": of, "ts": TS, "parts": parts}


def ids_of(log):
    """The ids that a revert can name."""
    return list(dict.fromkeys(r["id"] for r in log if "id" in r and r["type"] != "session"))


bare_lines = st.builds(
    lambda role, parts: {"role": role, "parts": parts},
    st.sampled_from(["user", "model"]), st.lists(plain | calls, min_size=1, max_size=2),
)  # fmt: skip
noise = st.sampled_from(
    [b"", b"  ", b"\r", b"not json", b'{"type":"message","id":', b"\0\0\0\0", b"[]", b"7", b'{"type":7}',
     b'{"type":"delta","of":"m"}', b'{"role":"assistant","parts":[]}', b"\xff\xfe", b'{"x":1}']
)  # fmt: skip


@st.composite
def files_of(draw, *, torn=True, refs=False):
    """The bytes of a session file: records and bare lines, blank and damaged lines, CRLF, a torn tail."""
    lines = []
    bare = draw(st.lists(bare_lines, max_size=2))
    for record in draw(records(refs=refs)):
        spelled = orjson.dumps(record)
        if draw(st.integers(0, 5)) == 0:
            spelled = orjson.dumps(record, option=orjson.OPT_INDENT_2).replace(b"\n", b" ")
        if draw(st.integers(0, 5)) == 0:
            spelled += b"\r"
        lines.append(spelled)
        if bare and draw(st.integers(0, 3)) == 0:
            lines.append(orjson.dumps(one_of(draw, bare)) + one_of(draw, [b"", b"", b"\r"]))
        if draw(st.integers(0, 4)) == 0:
            lines.append(draw(noise))
    data = b"".join(line + b"\n" for line in lines)
    if torn and data and draw(st.integers(0, 3)) == 0:
        data = data[: len(data) - draw(st.integers(1, min(40, len(data))))]
    return data

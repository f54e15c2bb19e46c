"""Short notation for logs: the contract's sequences, a builder of records, and their views."""

import orjson

import strategies
from codeh_history.commands.undo import newest
from codeh_history.session.records import block_of
from conformance import cases

CALL = {"functionCall": {"name": "f", "args": {}}}
TS = "2026-01-01T00:00:00.000Z"


class Writer:
    """Builds a log: each method appends one record."""

    def __init__(self):
        self.lines = []

    def add(self, **record):
        self.lines.append(record)
        return self

    def a(self, id, *texts, parts=None, kind="user"):
        parts = parts if parts is not None else [{"text": t} for t in texts or (id,)]
        return self.add(type="message", id=id, ts=TS, kind=kind, role="user", parts=parts)

    def o(self, id):
        return self.add(type="open", id=id, ts=TS, kind="codeh", role="model")

    def d(self, of, *parts):
        return self.add(
            type="delta", of=of, parts=[{"text": p} if isinstance(p, str) else p for p in parts]
        )

    def c(self, of, parts=None):
        return self.add(type="commit", of=of, ts=TS, **({"parts": parts} if parts else {}))

    def ab(self, of):
        return self.add(type="abort", of=of, ts=TS, reason="cut")

    def u(self, id, of, text):
        return self.add(type="update", id=id, of=of, ts=TS, parts=[{"text": text}])

    def s(self, id, *covers):
        return self.add(type="summary", id=id, createdAt=TS, summary=id, covers=list(covers), by="outline")

    def k(self, id, *ops):
        return self.add(type="compaction", id=id, ts=TS, policy="p", ops=list(ops))

    def x(self, id="X"):
        return self.add(type="clear", id=id, ts=TS)

    def r(self, id, of):
        return self.add(type="revert", id=id, of=of, ts=TS)

    def undo(self):
        target = newest(self.view())
        assert target is not None
        return self.r(f"R{len(self.lines)}", target.id)

    def bytes(self):
        return b"".join(orjson.dumps(line) + b"\n" for line in self.lines)

    def view(self):
        return strategies.folded(self.bytes())


def drop(*ids):
    return {"op": "drop", "ids": list(ids), "why": "test"}


def swap(id, part, was, text):
    new = None if text is None else {"text": text}
    block = block_of({"text": was})
    return {"op": "replace", "id": id, "part": part, "block": block, "with": new, "why": "test"}


def put(after, id):
    message = {"id": id, "ts": TS, "kind": "user", "role": "user", "parts": [{"text": id}]}
    return {"op": "insert", "after": after, "message": message}


def text_of(parts):
    return "+".join(p.get("text", "call" if "functionCall" in p else "?") for p in parts)


def shown(message):
    text = message.id
    if (
        message.committed
        and not any("blockId" in p for p in message.parts)
        and text_of(message.parts) != message.id
    ):
        text += "=" + text_of(message.parts)
    return text + ("" if message.pending is None else "~" + text_of(message.pending))


def short(view):
    return " ".join([s.id for s in view.summaries] + [shown(m) for m in view.messages])


def w():
    return Writer()


def eleven():
    return w().a("a", "v1").u("U", "a", "v2").c("U").a("b")


def twice(common, first, second):
    """Two diverged copies of a log, concatenated."""
    log = w()
    log.lines = [*common.lines, *first.lines, *common.lines, *second.lines]
    return log


SEQUENCES = cases("sequence-")


def folded(case):
    return strategies.folded(case.log)


def expected_view(case):
    """The view of a case in the short notation."""
    return case.about.rpartition("  →  ")[2]

"""Logs in short: the sequences of the contract, a writer of records, what they fold to."""

from __future__ import annotations

from typing import Any

import orjson

from codeh_history.session.fold import View, fold
from codeh_history.session.model import Message
from codeh_history.session.records import block_of, lines_of, parse
from codeh_history.session.undo import newest
from conformance import Case, cases

CALL = {"functionCall": {"name": "f", "args": {}}}
TS = "2026-01-01T00:00:00.000Z"


class Writer:
    """Builds a log: each method appends one record."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def add(self, **record: Any) -> Writer:
        self.lines.append(record)
        return self

    def a(self, id: str, *texts: str, parts: list[Any] | None = None, kind: str = "user") -> Writer:
        parts = parts if parts is not None else [{"text": t} for t in texts or (id,)]
        return self.add(type="message", id=id, ts=TS, kind=kind, role="user", parts=parts)

    def o(self, id: str) -> Writer:
        return self.add(type="open", id=id, ts=TS, kind="codeh", role="model")

    def d(self, of: str, *parts: Any) -> Writer:
        return self.add(
            type="delta", of=of, parts=[{"text": p} if isinstance(p, str) else p for p in parts]
        )

    def c(self, of: str, parts: Any = None) -> Writer:
        return self.add(type="commit", of=of, ts=TS, **({"parts": parts} if parts else {}))

    def ab(self, of: str) -> Writer:
        return self.add(type="abort", of=of, ts=TS, reason="cut")

    def u(self, id: str, of: str, text: str) -> Writer:
        return self.add(type="update", id=id, of=of, ts=TS, parts=[{"text": text}])

    def s(self, id: str, *covers: str) -> Writer:
        return self.add(type="summary", id=id, createdAt=TS, summary=id, covers=list(covers), by="outline")

    def k(self, id: str, *ops: Any) -> Writer:
        return self.add(type="compaction", id=id, ts=TS, policy="p", ops=list(ops))

    def x(self, id: str = "X") -> Writer:
        return self.add(type="clear", id=id, ts=TS)

    def r(self, id: str, of: str) -> Writer:
        return self.add(type="revert", id=id, of=of, ts=TS)

    def undo(self) -> Writer:
        target = newest(self.view())
        assert target is not None
        return self.r(f"R{len(self.lines)}", target.id)

    def bytes(self) -> bytes:
        return b"".join(orjson.dumps(line) + b"\n" for line in self.lines)

    def view(self) -> View:
        return fold(parse(lines_of(self.bytes())))


def drop(*ids: str) -> Any:
    return {"op": "drop", "ids": list(ids), "why": "test"}


def swap(id: str, part: int, was: str, text: str | None) -> Any:
    new = None if text is None else {"text": text}
    block = block_of({"text": was})
    return {"op": "replace", "id": id, "part": part, "block": block, "with": new, "why": "test"}


def put(after: str, id: str) -> Any:
    message = {"id": id, "ts": TS, "kind": "user", "role": "user", "parts": [{"text": id}]}
    return {"op": "insert", "after": after, "message": message}


def text_of(parts: list[Any]) -> str:
    return "+".join(p.get("text", "call" if "functionCall" in p else "?") for p in parts)


def shown(message: Message) -> str:
    text = message.id
    if (
        message.committed
        and not any("blockId" in p for p in message.parts)
        and text_of(message.parts) != message.id
    ):
        text += "=" + text_of(message.parts)
    return text + ("" if message.pending is None else "~" + text_of(message.pending))


def short(view: View) -> str:
    return " ".join([s.id for s in view.summaries] + [shown(m) for m in view.messages])


def w() -> Writer:
    return Writer()


def eleven() -> Writer:
    return w().a("a", "v1").u("U", "a", "v2").c("U").a("b")


def twice(common: Writer, first: Writer, second: Writer) -> Writer:
    """Two copies of a log that went on apart, one after the other."""
    log = w()
    log.lines = [*common.lines, *first.lines, *common.lines, *second.lines]
    return log


SEQUENCES = cases("sequence-")


def folded(case: Case) -> View:
    return fold(parse(lines_of(case.log)))


def told(case: Case) -> str:
    """The view of a case in the short notation."""
    return case.about.rpartition("  →  ")[2]

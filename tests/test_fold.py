"""The 42 sequences of the fold, written in their own short notation (see `log_of`)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.model import Message
from codeh_history.records import block_of, lines_of, parse
from codeh_history.session import View, fold
from codeh_history.undo import newest

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
    if message.committed and message.own is not None and text_of(message.parts) != message.id:
        text += "=" + text_of(message.parts)
    return text + ("" if message.pending is None else "~" + text_of(message.pending))


def short(view: View) -> str:
    return " ".join([s.id for s in view.summaries] + [shown(m) for m in view.messages])


def w() -> Writer:
    return Writer()


def three() -> Writer:
    return w().a("a").o("m").d("m", "par").ab("m")


def eleven() -> Writer:
    return w().a("a", "v1").u("U", "a", "v2").c("U").a("b")


def fourteen() -> Writer:
    return w().a("a", "big").k("K", swap("a", 0, "big", "s")).u("U", "a", "new").c("U")


def seventeen() -> Writer:
    return w().a("a", "p0", "p1", "p2").k("K", swap("a", 0, "p0", None)).k("L", swap("a", 1, "p1", "s"))


def called() -> Writer:
    return w().a("a").a("call").a("b").k("K", put("call", "r"))


def summed() -> Writer:
    return w().a("a").a("b").a("c").s("S", "a").s("T", "b").s("Z", "a", "b", "S", "T")


def cleared() -> Writer:
    return w().a("a").s("S", "a").x().a("b")


def streamed() -> Writer:
    return w().o("m").d("m", "Hi").x().a("b").c("m")


SIGNED = {"text": "", "thoughtSignature": "c2ln"}
REF = {"type": "ref", "id": "a", "ts": TS, "kind": "user", "role": "user", "flowId": "f"}

SEQUENCES: dict[str, tuple[Writer, str]] = {
    "1": (w().a("a").o("m").d("m", "Hel").a("b").d("m", "lo").c("m"), "a m=Hello b"),
    "2": (w().o("m").d("m", "Hi").c("m").d("m", "!").c("m"), "m=Hi"),
    "3": (three(), "a m~par"),
    "4": (three().c("m"), "a m=par"),
    "5": (w().o("m").d("m", "Hel").u("U", "m", "X").d("m", "y").c("m"), "m=Xy"),
    "6": (w().o("m").d("m", "Hel").d("m", "lo").d("m", CALL).d("m", "x").c("m"), "m=Hello+call+x"),
    "7": (w().o("m").d("m", "a").d("m", SIGNED).d("m", "b").c("m"), "m=a++b"),
    "8": (w().o("m").add(type="delta", of="m", parts=7).c("m", [{"text": "whole"}]), "m=whole"),
    "9": (w().a("a", "v1").u("U", "a", "v2"), "a=v1~v2"),
    "10": (w().a("a", "v1").u("U", "a", "v2").u("V", "a", "v3").c("V").r("r", "V"), "a=v1~v2"),
    "11": (eleven().r("r", "U"), "a=v1 b"),
    "12": (eleven().r("r", "a"), "b"),
    "13": (w().a("a").a("b").k("K", drop("a")).a("c").r("r", "K"), "a b c"),
    "14": (fourteen(), "a=new"),
    "15": (fourteen().r("r", "U"), "a=s"),
    "16": (
        w().a("a", "v1").u("U", "a", "big").c("U").k("K", swap("a", 0, "big", "s")).r("r", "U"),
        "a=v1",
    ),
    "17": (seventeen(), "a=s+p2"),
    "18": (seventeen().r("r", "K"), "a=p0+s+p2"),
    "19": (w().a("a", "x", "y").a("b").k("K", swap("a", 0, "x", None), swap("a", 1, "y", None)), "b"),
    "20": (w().a("a").a("b").k("K", drop("a")).u("U", "a", "v2").c("U"), "b"),
    "21": (w().a("a").k("K", drop("b")).a("b"), "a b"),
    "22": (called(), "a call r b"),
    "23": (called().r("x", "call"), "a b"),
    "25": (w().a("a").a("b").a("c").s("S", "a", "b"), "S c"),
    "26": (w().a("p").a("a").a("b").a("c").s("S", "a").s("T", "b"), "S T p c"),
    "27": (summed(), "Z c"),
    "28": (summed().r("r", "Z"), "S T c"),
    "28-instead": (summed().r("r", "S"), "Z c"),
    "29": (
        w().a("a").a("b").a("c").a("d").s("S", "a").s("T", "b").s("W", "c").s("Z", "a", "b", "S", "T"),
        "Z W d",
    ),
    "30": (w().a("a").a("b").a("c").s("S", "a", "b").s("T", "a", "b"), "S T c"),
    "31": (w().a("a", "v1").a("b").s("S", "a").u("U", "a", "v2").c("U"), "S b"),
    "32": (
        w().a("a").a("b").a("c")
        .k("K", {"op": "summarize", "ids": ["a", "b"], "summary": "t"}).r("r", "K"),
        "a b c",
    ),
    "32-before": (
        w().a("a").a("b").a("c").k("K", {"op": "summarize", "ids": ["a", "b"], "summary": "t"}),
        "K.0 c",
    ),
    "33": (cleared().undo().undo(), "S"),
    "34": (streamed(), "b"),
    "34-undo": (streamed().undo(), "b"),
    "35": (w().a("a").x().a("b").a("c").k("K", drop("b")).r("r", "X"), "a c"),
    "36": (w().a("a", "v1").x().u("U", "a", "v2").c("U").a("b").r("r", "X"), "a=v2 b"),
    "37": (w().a("a", "v1").a("b").a("a", "v2"), "a=v2 b"),
    "38": (w().a("a", "v1").a("b").a("a", "v2").r("r", "a"), "b"),
    "39": (w().a("a").r("r", "b").a("b").r("q", "zz"), "a b"),
    "40": (w().a("a").a("b").undo().a("c").undo(), "a"),
    "41": (w().a("a").a("b").r("r1", "b").a("c").r("r2", "r1"), "a b c"),
    "42": (
        w().add(type="session", version=1, id="s").a("a").add(type="later", id="?")
        .add(type="session", version=1, id="t").a("b"),
        "a b",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("log", "view"), SEQUENCES.values(), ids=SEQUENCES)
def test_sequence(log: Writer, view: str) -> None:
    assert short(log.view()) == view


def test_a_ref_is_replaced_by_its_block_id() -> None:
    block = block_of({"text": "content"})
    log = w().add(**REF, blockIds=[block]).a("b").k("K", swap("a", 0, "content", "s"))
    view = log.view()
    assert [m.id for m in view.messages] == ["a", "b"]
    assert view.messages[0].replaced == {0: {"text": "s"}}


def test_a_revert_that_names_nothing_earlier_is_noted() -> None:
    assert len(SEQUENCES["39"][0].view().notes) == 2


def test_the_first_header_is_the_session() -> None:
    assert SEQUENCES["42"][0].view().id == "s"


def test_epoch_milliseconds_are_read() -> None:
    view = w().add(type="message", id="a", ts=1767225600000, kind="user", parts=[]).view()
    assert view.messages[0].ts == TS


def test_a_clear_hides_summaries_and_compactions_before_it() -> None:
    log = w().a("a").a("b").s("S", "a").k("K", {"op": "drop", "ids": ["b"], "why": "w"}).x().a("c").s("T")
    view = log.view()
    assert short(view) == "T c"
    assert [summary.id for summary in view.hidden_summaries] == ["S"]
    assert view.applied == []


def test_a_commit_ends_an_abort() -> None:
    """What was cut and committed all the same is not told as cut any more."""
    cut = w().o("m").d("m", "par").ab("m")
    assert cut.view().messages[0].fields["aborted"] == "cut"
    assert "aborted" not in cut.c("m").view().messages[0].fields

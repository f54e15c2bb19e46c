"""The 44 sequences of the fold, written in their own short notation (see `log_of`)."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.session import stream
from codeh_history.session.fold import View, fold
from codeh_history.session.model import Message
from codeh_history.session.ops import apply
from codeh_history.session.records import Log, block_of, lines_of, parse
from codeh_history.session.undo import last_turn, newest, reverts

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


def twice(common: Writer, first: Writer, second: Writer) -> Writer:
    """Two copies of a log that went on apart, one after the other."""
    log = w()
    log.lines = [*common.lines, *first.lines, *common.lines, *second.lines]
    return log


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
    "24": (w().add(**REF, blockIds=[block_of({"text": "big"})]).a("b").k("K", swap("a", 0, "big", "s")), "a=s b"),
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
    "43": (w().a("p").x().a("m1").a("p").x().a("m2"), "m1 m2"),
    "44": (twice(w().a("a").o("m").d("m", "Hi").c("m"), w().a("b"), w().a("c")), "a m=Hi b c"),
}  # fmt: skip


@pytest.mark.parametrize(("log", "view"), SEQUENCES.values(), ids=SEQUENCES)
def test_sequence(log: Writer, view: str) -> None:
    assert short(log.view()) == view


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


# -- repeated lines: two copies joined read as their union ---------------------------------------------

BLOCK = block_of({"text": "v1"})
REPEATED: dict[str, tuple[Writer, str]] = {
    "a clear hides no more": (twice(w().a("a").x(), w().a("b"), w().a("c")), "b c"),
    "a summary covers no more, and is shown once": (twice(w().a("a").s("S", "a"), w().a("b"), w()), "S b"),
    "a compaction": (twice(w().a("a").k("K", drop("a"), put("a", "r")), w().a("b"), w().a("c")), "b c"),
    "a summarize op": (
        twice(w().a("a").k("K", {"op": "summarize", "ids": ["a"], "summary": "t"}), w().a("b"), w()), "K.0 b"
    ),
    "an update keeps what was said since": (
        twice(w().a("a", "v1").u("U", "a", "v2").c("U"), w().u("V", "a", "v3").c("V"), w().a("b")), "a=v3 b",
    ),
    "an update not committed": (twice(w().a("a", "v1").u("U", "a", "v2").d("a", "x"), w(), w()), "a=v1~v2x"),
    "its commit is not the next one's": (
        twice(w().a("a", "v1").u("U", "a", "v2").c("U"), w().u("V", "a", "v3"), w().a("b")), "a=v2~v3 b",
    ),
    "a stream that goes on in one copy": (
        twice(w().o("m").d("m", "Hel"), w().d("m", "lo").c("m"), w().a("b")), "m=Hello b",
    ),
    "in the other": (twice(w().o("m").d("m", "Hel"), w().a("b"), w().d("m", "lo").c("m")), "m=Hello b"),
    "in both": (twice(w().o("m").d("m", "x"), w().d("m", "y"), w().d("m", "z").c("m")), "m=xyz"),
    "equal deltas of one stream stay": (w().o("m").d("m", "ha").d("m", "ha").c("m"), "m=haha"),
    "a stream that was cut": (twice(w().o("m").d("m", "x").ab("m"), w(), w().c("m")), "m=x"),
    "an inserted message's update": (
        twice(w().a("a").k("K", put("a", "r")).u("U", "r", "v").d("r", "x"), w(), w()), "a r~vx",
    ),
    "a revert": (twice(w().a("a").a("b").r("r", "b"), w().a("c"), w().a("d")), "a c d"),
    "a revert that named nothing names nothing": (twice(w().r("r", "b").a("b").a("c"), w(), w()), "b c"),
    "a revert of a revert": (twice(w().a("a").r("r", "a").r("q", "r"), w(), w().a("b")), "a b"),
    "a message of two contents": (twice(w().a("a", "v1").a("b").a("a", "v2"), w(), w().a("c")), "a=v2 b c"),
    "undone in between: it counts anew": (w().a("a").a("b").r("r", "a").a("a"), "b a"),
    "undone and said again, in both copies": (twice(w().a("a").r("r", "a").a("a"), w().a("b"), w()), "a b"),
    "what streams in after that": (
        twice(w().o("m").d("m", "x").r("r", "m").o("m").d("m", "y"), w().a("b"), w().a("c")), "m~y b c",
    ),
    "an undo takes back all copies": (twice(w().a("a").a("b"), w(), w()).r("r", "b"), "a"),
    "a ref and its message": (
        w().a("a", "v1").u("U", "a", "v2").c("U").add(**REF, blockIds=[BLOCK]).a("b"), "a=v2 b"
    ),
    "bare lines have no id of their own": (twice(w().add(role="user", parts=[{"text": "hi"}]), w(), w()), "hi hi"),
}  # fmt: skip


@pytest.mark.parametrize(("log", "view"), REPEATED.values(), ids=REPEATED)
def test_a_repeated_line_counts_at_its_first_place(log: Writer, view: str) -> None:
    names = {m.id: "hi" for m in log.view().messages if text_of(m.parts) == "hi"}
    found = short(log.view())
    for id, name in names.items():
        found = found.replace(f"{id}=hi", name)
    assert found == view


def test_a_repeated_line_may_be_spelled_otherwise() -> None:
    log = w().a("a").x().a("b").bytes()
    copy = b'{"ts": "%s", "id": "X", "type": "clear"}\n' % TS.encode()
    assert short(fold(parse(lines_of(log + copy + w().a("c").bytes())))) == "b c"


def test_what_differs_in_anything_is_no_repeat() -> None:
    log = w().a("a").x().a("b").bytes()
    copy = b'{"ts": "%s", "id": "X", "type": "clear", "n": 1}\n' % TS.encode()
    assert short(fold(parse(lines_of(log + copy)))) == ""


def test_an_unknown_line_is_passed_on_once() -> None:
    view = twice(w().a("a").add(type="later", id="l", n=1), w().add(type="later", n=2), w()).view()
    assert [record.data.get("n") for record in view.carried] == [1, 2]


def test_repeats_are_not_printed_expanded_or_copied() -> None:
    from codeh_history.commands.expand import expand
    from codeh_history.commands.fork import up_to
    from codeh_history.session import stream

    once = w().a("a").a("b")
    view = twice(once, w().a("c"), w()).view()
    assert b"".join(stream.lines(view)) == w().a("a").a("b").a("c").bytes()
    assert expand(view, "a", session="s") == [once.bytes().split(b"\n")[0]]
    forked = fold(Log(up_to(view, view.all["b"]), [], 0))
    assert [message.id for message in forked.messages] == ["a", "b"]


def test_a_repeated_undo_is_one_undo() -> None:
    assert reverts(twice(w().a("a").r("r", "a"), w(), w()).view()) == ["r"]


def test_a_summary_covers_no_later_one() -> None:
    assert short(w().a("a").s("S", "T").s("T", "a").a("b").view()) == "S T b"


def test_an_edit_is_undone_as_the_newest_where_it_was_committed() -> None:
    log = w().a("a", "v1").u("U", "a", "v2").a("b").c("U")
    step = newest(log.view())
    assert step is not None
    assert (step.type, step.id) == ("update", "U")


def test_a_message_that_was_a_ref_has_no_blocks_any_more() -> None:
    """Its newest content stands in its line, so that is what a compaction replaces."""
    log = w().add(**REF, blockIds=[BLOCK]).a("a", "v2").k("K", swap("a", 0, "v2", "s"))
    assert short(log.view()) == "a=s"
    assert log.view().all["a"].blocks is None


# -- what happens between a few records, beyond the sequences ----------------------------------------------


def test_what_a_commit_says_besides_is_its_message_s() -> None:
    log = w().o("m").d("m", "Hi").add(type="commit", of="m", ts=TS, finish="stop", spelling={"id": "x"})
    fields = log.view().all["m"].fields
    assert fields["finish"] == "stop"
    assert "spelling" not in fields


def test_an_edit_that_is_committed_by_its_message_is_undone_as_an_edit() -> None:
    view = eleven().u("V", "a", "v3").a("c").c("a").view()
    target = newest(view)
    assert short(view) == "a=v3 b c"
    assert target is not None
    assert target.id == "V"


def test_an_inserted_message_goes_with_the_one_it_stands_after() -> None:
    log = called()
    assert short(log.view()) == "a call r b"
    assert {step.id for step in log.view().steps} == {"a", "call", "b", "K"}
    assert short(log.k("L", drop("call")).view()) == "a b"


def test_what_is_inserted_later_stands_nearer() -> None:
    log = w().a("a").a("b").k("K", put("a", "r1"), put("a", "r2")).k("L", put("a", "r3"))
    assert short(log.view()) == "a r3 r1 r2 b"


def test_ops_leave_the_view_that_they_are_applied_to_as_it_was() -> None:
    view = seventeen().k("M", put("a", "r")).view()
    after = apply(view, [swap("a", 2, "p2", "t")])
    assert (short(view), short(after)) == ("a=s+p2 r", "a=s+t r")
    assert short(apply(view, [swap("a", 1, "p1", "u")])) == "a=u+p2 r"
    assert short(apply(view, [drop("a")])) == ""
    assert (short(view), view.all["r"].hidden) == ("a=s+p2 r", None)


def test_ops_applied_after_one_another_make_summaries_of_their_own() -> None:
    first: Any = {"op": "summarize", "ids": ["a"], "summary": "A"}
    view = apply(apply(w().a("a").a("b").view(), [first]), [{**first, "ids": ["b"]}])
    assert len({summary.id for summary in view.summaries}) == 2


def test_a_filter_prints_what_was_replaced_as_it_is_now() -> None:
    view = w().a("a", "big").k("K", swap("a", 0, "big", "s")).view()
    assert short(fold(parse(stream.lines(view)))) == "a=s"


def test_summaries_stand_by_the_first_that_they_cover() -> None:
    assert short(w().a("a").a("b").a("c").s("T", "b").s("S", "a", "c").view()) == "S T"


# -- undo ---------------------------------------------------------------------------------------------


def test_a_repeated_undo_takes_back_no_more_than_it_did() -> None:
    log = w().a("a", "v1").r("R", "a").a("a", "v2").a("a", "v1").r("R", "a")
    assert short(log.view()) == "a=v2"


def test_undo_leaves_errors_and_notes_aside() -> None:
    log = w().a("a").add(type="message", id="e", ts=TS, kind="error", parts=[{"text": "no"}])
    assert short(log.undo().view()) == "e=no"


def test_a_turn_is_the_last_prompt_and_what_followed() -> None:
    view = w().a("a").a("b").u("U", "a", "v2").x().a("c").u("V", "c", "v2").view()
    assert [step.id for step in last_turn(view)] == ["V", "c"]
    assert last_turn(w().x().view()) == []


def test_an_undo_that_was_undone_is_none_any_more() -> None:
    log = w().a("a").a("b").r("r1", "b").r("r2", "a").r("r3", "r1")
    assert reverts(log.view()) == ["r2", "r3"]

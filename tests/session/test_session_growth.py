"""A log that grows: folding what is new says what folding all of it says."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.session.fold import View, fold
from codeh_history.session.growth import Growing
from codeh_history.session.model import Message, Summary
from codeh_history.session.records import Before, Log, lines_of, parse
from conformance import Case, cases
from folding import TS, Writer
from strategies import encode, files_of

HEADER = {"type": "session", "version": 1, "id": "s", "created": TS}


def told(value: Any) -> Any:
    """All that a view says, and all it is made of."""
    if isinstance(value, View):
        names = [name for name in View.__slots__ if name not in ("log", "said_read", "memo")]
        return {name: told(getattr(value, name)) for name in names} | {"log": told(value.log)}
    if isinstance(value, Log):
        records = [(r.raw, r.offset, r.bare, r.data) for r in value.records]
        return records, [(d.line, d.offset, d.reason) for d in value.damage], value.size, value.keys
    if isinstance(value, Message):
        return {name: getattr(value, name) for name in Message.__slots__ if name != "line"} | {
            "raw": value.raw
        }
    if isinstance(value, Summary):
        return {name: getattr(value, name) for name in Summary.__slots__}
    if isinstance(value, dict):
        return [(key, told(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [told(item) for item in value]
    if hasattr(value, "place"):  # a step
        return value.type, value.id, value.place, value.message and value.message.id
    return value.raw if hasattr(value, "raw") else value


def grown(data: bytes, cuts: list[int]) -> int:
    """How many of these cuts were grown over; after each the view is that of the whole fold."""
    ends = sorted({data.find(b"\n", cut) + 1 for cut in cuts} | {len(data)} - {0})
    growing, before, start, count = None, Before(), 0, 0
    for end in ends:
        piece = data[start:end]
        may_come = (
            None if growing is None else growing.foreseen(parse(lines_of(piece), before=before.copy()))
        )
        new = parse(lines_of(piece), before=before)
        if growing is not None:
            given = told(growing.view), growing.view
            if growing.grow(new):
                count += 1
                assert may_come is not None
                assert told(may_come) == told(growing.view)
            else:
                assert may_come is None
                growing = None
            assert told(given[1]) == given[0]  # whoever has it sees no change
        if growing is None:
            before = Before()
            growing = Growing(parse(lines_of(data[:end]), before=before))
        assert told(growing.view) == told(fold(parse(lines_of(data[:end]))))
        start = end
    return count


@pytest.mark.parametrize("case", cases("").values(), ids=cases(""))
def test_a_case_line_by_line(case: Case) -> None:
    data = case.log if case.log.startswith(b'{"type":"session"') else encode([HEADER]) + case.log
    data += b"" if data.endswith(b"\n") else b"\n"
    grown(data, list(range(len(data))))


@given(data=files_of(torn=False, refs=True), cuts=st.lists(st.integers(0, 5000), max_size=5))
def test_a_log_cut_anywhere(data: bytes, cuts: list[int]) -> None:
    data = orjson.dumps(HEADER) + b"\n" + data + (b"" if data.endswith(b"\n") else b"\n")
    grown(data, [cut % len(data) for cut in cuts])


PLAIN = {
    "messages": Writer().a("A").a("B", kind="error"),
    "a stream": Writer().o("A").d("A", "x", {"text": "y"}).d("A", "z").c("A"),
    "a stream that ends otherwise": Writer().o("A").d("A", "x").c("A", [{"text": "w"}]),
    "two streams": Writer().o("A").o("B").d("A", "x").d("B", "y").ab("A").c("B").c("A"),
    "calls without ids": Writer().o("A").c("A", [{"functionCall": {"name": "f", "args": {}}}] * 2).a(
        "B", parts=[{"functionCall": {"name": "f", "args": {}}}], kind="codeh"),
    "settings": Writer().add(type="meta", ts=TS, set={"title": "T"}).add(type="later", id="L", what=1).a("A"),
}  # fmt: skip


@pytest.mark.parametrize("log", PLAIN.values(), ids=PLAIN)
def test_what_says_nothing_of_earlier_lines_is_not_folded_again(log: Writer) -> None:
    first = Writer().a("1").o("2").d("2", "x").c("2").u("U", "1", "edited").c("U").s("S", "2").a("3")
    before = encode([HEADER, *first.lines])
    data = before + encode(log.lines)
    ends = [at for at in range(len(before), len(data)) if data[at : at + 1] == b"\n"]
    assert grown(data, [len(before) - 1, *ends]) == len(log.lines)


BACKWARDS = {
    "an edit": Writer().u("U", "1", "edited"),
    "a clear": Writer().x("X"),
    "a summary": Writer().s("S", "1"),
    "an undo": Writer().add(type="revert", id="R", of="1", ts=TS),
    "an id that was there": Writer().a("1"),
    "an id that was named": Writer().a("9"),
    "a stream of nobody's": Writer().d("8", "x"),
}


@pytest.mark.parametrize("log", BACKWARDS.values(), ids=BACKWARDS)
def test_what_says_something_of_earlier_lines_is_left_to_the_fold(log: Writer) -> None:
    before = encode([HEADER, *Writer().a("1").s("S0", "9").lines])
    assert grown(before + encode(log.lines), [len(before) - 1]) == 0

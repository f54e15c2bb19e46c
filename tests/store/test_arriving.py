"""A session on stdin is read while it is still to come, and is the one that its bytes are in a file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.errors import HistoryError
from codeh_history.session.records import Log
from codeh_history.store import foreign

HEADER = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'
SAID = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"hi"}]}\n'
BARE = b'{"role":"user","parts":[{"text":"hi"}]}\n'
WRAPPER = HEADER.replace(b"}", b',"contents":[' + BARE.rstrip() + b"]}")
files = some.files_of(refs=True)


def found(log: Log) -> object:
    records = [(record.data, record.raw, record.offset, record.bare) for record in log.records]
    damage = [(one.line, one.offset, one.reason) for one in log.damage]
    return records, damage, log.size, log.keys


@given(
    data=files | files.map(lambda data: HEADER + data) | st.binary(max_size=40),
    step=st.integers(1, 300),
    seen=st.integers(0, 4),
)
@example(data=b"", step=1, seen=2)
@example(data=HEADER, step=1, seen=2)
@example(data=HEADER + SAID.rstrip(), step=7, seen=2)
@example(data=HEADER + SAID + SAID.rstrip(), step=7, seen=2)
@example(data=HEADER + b"torn\n\n" + SAID + b"\xff\n" + SAID, step=1, seen=2)
@example(data=HEADER.replace(b"}", b"") + BARE.replace(b"parts", b"content"), step=30, seen=2)
@example(data=WRAPPER, step=300, seen=2)
@example(data=b'{"contents":[\n' + BARE + b"]}\n", step=3, seen=2)
def test_however_it_comes_a_session_is_what_its_bytes_are(data: bytes, step: int, seen: int) -> None:
    blocks = iter(lambda: stdin.read(step), b"")
    stdin = io.BytesIO(data)
    try:
        whole = found(foreign.read(data))
    except HistoryError as error:
        whole = str(error)
    try:
        coming = foreign.Arriving(blocks)
        looked_at = b"".join(islice(coming.lines(), seen))
        assert coming.held.startswith(looked_at)
        arrived = found(coming.read())
    except HistoryError as error:
        arrived = str(error)
    assert arrived == whole


def test_what_has_come_is_read_before_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[bytes] = []
    asked: list[int] = []  # how many lines had been read when more was asked for
    parse = foreign.parse

    def watched(lines: Iterable[bytes], source: bytearray) -> Log:
        return parse((read.append(line) or line for line in lines), source)  # type: ignore[func-returns-value]

    def blocks() -> Iterator[bytes]:
        for block in (HEADER + SAID, SAID[:9], SAID[9:] + SAID, SAID):
            yield block
            asked.append(len(read))

    monkeypatch.setattr(foreign, "parse", watched)
    assert len(foreign.Arriving(blocks()).read().records) == len(read) == 5
    assert asked == [2, 2, 4, 5]

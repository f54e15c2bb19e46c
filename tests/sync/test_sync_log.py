"""A log as it is compared: which streams go on, what counts of them, and what two lines that differ say alike."""

import pytest

from codeh_history.session.records import dumps
from codeh_history.sync import log
from syncing import HEADER, message

OPEN = {"type": "open", "id": "o", "kind": "codeh", "role": "model"}
DELTA = {"type": "delta", "of": "o", "parts": [{"text": "x"}]}
COMMIT = {"type": "commit", "of": "o"}
ABORT = {"type": "abort", "of": "o", "reason": "r"}
UPDATE = {"type": "update", "id": "u", "of": "o", "parts": [{"text": "y"}]}
OF_UPDATE = {"type": "commit", "of": "u"}
META = {"type": "meta", "set": {"title": "t"}}
SAID = {"type": "message", "id": "m", "kind": "user", "role": "user", "parts": [{"text": "m"}]}


def of(*records):
    return log.read(HEADER + b"".join(dumps(record) + b"\n" for record in records))


def kinds(lines):
    return [log.kind_of(line) for line in lines]


@pytest.mark.parametrize("data", [
    b"", HEADER, HEADER + message("a", "a", 1), HEADER + b"no record\n" + message("a", "a", 1), message("a", "a", 1),
])  # fmt: skip
def test_a_log_is_its_bytes_again(data):
    read = log.read(data)
    assert read.data == data
    assert (read.header is not None) == data.startswith(HEADER)


def test_a_torn_last_line_is_none():
    assert log.read(HEADER + message("a", "a", 1) + b'{"type":"mess').data == HEADER + message("a", "a", 1)


@pytest.mark.parametrize(("records", "going_on"), [
    ([OPEN], {"o"}), ([OPEN, DELTA], {"o"}), ([OPEN, DELTA, COMMIT], set()), ([OPEN, DELTA, ABORT], set()),
    ([OPEN, DELTA, META], {"o"}), ([OPEN, DELTA, SAID], set()), ([SAID, OPEN], {"o"}), ([OPEN, COMMIT, UPDATE], set()),
], ids=lambda value: "")  # fmt: skip
def test_a_stream_goes_on_that_has_no_end_and_after_which_nothing_was_said(records, going_on):
    found = of(*records)
    assert found.going_on(found.ended) == going_on


def test_what_ends_an_update_belongs_to_the_stream_that_it_is_of():
    found = of(OPEN, COMMIT, UPDATE, OF_UPDATE, SAID)
    assert [found.root(line) for line in found.lines] == ["", "o", "o", "", "o", ""]
    assert found.commits == {"o": 2}


def test_no_delta_counts_whose_stream_is_committed_here_or_there():
    begun, ended = of(OPEN, DELTA), of(OPEN, DELTA, COMMIT)
    assert kinds(begun.compared({})) == ["session", "open", "delta"]
    assert kinds(begun.compared(ended.commits)) == ["session", "open"]
    assert kinds(ended.compared({})) == ["session", "open", "commit"]
    assert kinds(of(OPEN, COMMIT, DELTA).compared({})) == [
        "session",
        "open",
        "commit",
        "delta",
    ]  # it came after


def header(**more):
    return log.read(dumps({"type": "session", "version": 1, "id": "s", **more}) + b"\n").lines[0]


def line(data):
    return log.read(data).lines[0]


def test_a_forks_header_says_the_same_as_its_sessions():
    assert log.same(header(), header(id="t", parent={"session": "s", "at": "m"}))
    assert not log.same(header(), header(cwd="/x"))
    of_here, of_there = ({"from": "pi", "id": "1", "path": path, "version": path} for path in "ab")
    assert log.same(header(imported=of_here), header(imported=of_there))
    assert not log.same(header(imported=of_here), header(imported={**of_here, "id": "2"}))


def test_lines_say_the_same_however_they_are_spelled():
    plain = dumps(SAID) + b"\n"
    assert log.same(line(plain), line(plain.replace(b'":', b'": ')))
    assert not log.same(line(plain), line(plain.replace(b'"text":"m"', b'"text":"n"')))
    assert log.same(line(b"x\n"), line(b"x\n"))
    assert not log.same(line(b"x\n"), line(b"y\n"))


def test_where_logs_branch_and_what_one_has_more():
    a, b, c = (line(message(id, id, 1)) for id in "abc")
    assert log.branching([a, b], [a, c]) == 1
    assert log.branching([a, b], [a]) == log.branching([a], [a, b]) == 1
    assert log.branching([b], [a]) == 0
    assert log.beyond([a], [a, b, a]) == [b, a]
    assert log.beyond([a, b], [b]) == []


@pytest.mark.parametrize(("record", "time", "places"), [
    ({**SAID, "ts": "2026-01-01T00:00:00.000Z"}, "2026-01-01T00:00:00.000Z", True), (SAID, "", True),
    ({"type": "summary", "id": "s", "summary": "", "covers": [], "createdAt": "2026-01-02T00:00:00.000Z"},
     "2026-01-02T00:00:00.000Z", False), (META, "", False), (OPEN, "", True),
])  # fmt: skip
def test_when_a_line_was_written_and_whether_it_brings_a_message(record, time, *, places):
    found = of(record).lines[1]
    assert (log.time_of(found), log.places(found)) == (time, places)

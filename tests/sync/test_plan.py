"""Copies as logs: what is compared, which keeps the name, and what the plan makes of two stores."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.words import is_id
from codeh_history.session.records import dumps, lines_of
from codeh_history.sync import log as sync_log
from codeh_history.sync.log import digest, read
from codeh_history.sync.plan import Write, _order, merged, plan, root_of
from synced import HEADER, message


def synced(one, two):
    """What both stores hold afterwards."""
    stores = [dict(one), dict(two)]
    for write in plan(stores).writes:
        stores[write.replica][write.session] = write.after
    assert stores[0] == stores[1]
    return stores[0]


def test_a_fork_of_a_fork_is_one_of_the_first_session():
    """Its name is the same, whichever branches met first."""
    base = HEADER + message("a", "a")
    kept = {"demo": base + message("b", "b", 2)}
    x, y = (base + message("c", "c", 3) + message(id, id, 4) for id in "xy")
    [fork] = synced({"demo": x}, kept).keys() - {"demo"}
    first = synced(synced(kept, {"demo": x}), synced(kept, {"demo": y}))
    other = synced(synced({"demo": x}, {"demo": y}), kept)
    assert first == other
    assert len(first) == 3
    assert fork in first
    for name in first.keys() - {"demo"}:
        assert name.rpartition("-")[0] == "demo"
        assert orjson.loads(first[name].partition(b"\n")[0])["parent"]["session"] == "demo"


def test_a_third_copy_of_a_branch_goes_into_its_fork():
    base = HEADER + message("a", "a")
    kept, late = {"demo": base + message("b", "b", 2)}, base + message("c", "c", 3)
    two = synced(kept, {"demo": late})
    three = synced(two, {"demo": late + message("d", "d", 4)})
    [fork] = three.keys() - {"demo"}
    assert two.keys() == three.keys()
    assert list(lines_of(three[fork]))[1:] == list(lines_of(late + message("d", "d", 4)))[1:]


def test_what_loses_nothing_comes_first_and_forks_before_what_they_are_forks_of():
    writes = [Write(0, name, b"", b"", 0, switched=switched)
              for name, switched in (("s", True), ("s", False), ("s-2", True), ("s-2", False))]  # fmt: skip
    turns = [(write.switched, write.session) for write in sorted(writes, key=_order)]
    assert turns == [(False, "s-2"), (False, "s"), (True, "s-2"), (True, "s")]


def spoken(id, second=1, text=""):
    return orjson.loads(message(id, text or id, second))


def summed(id, second=1):
    ts = f"2026-01-01T00:00:{second:02}.000Z"
    return {"type": "summary", "id": id, "createdAt": ts, "summary": id, "covers": []}


def log(*records):
    return read(HEADER + b"".join(dumps(record) + b"\n" for record in records))


def ids(branch):
    return [line.record.data["id"] for line in branch.lines if line.record is not None][1:]


def both_ways(one, other):
    """Merged, which comes to the same whichever is the first."""
    result, swapped = merged("demo", one, other), merged("demo", other, one)
    assert (result.log.data, result.appended) == (swapped.log.data, swapped.appended)
    one, other = (fork and (fork.name, fork.log.data) for fork in (result.fork, swapped.fork))
    assert one == other
    return result


A, B, C, D = (spoken(id, second) for second, id in enumerate("abcd", 1))


@pytest.mark.parametrize(
    ("mine", "theirs", "kept", "forked", "appended"),
    [
        ([A], [A], "a", None, False), ([A], [A, B], "ab", None, False), ([], [A], "a", None, False),
        ([A, B], [A, C], "ab", "ac", False), ([A, C], [A, B], "ab", "ac", False),  # the earliest keeps the name
        ([A, B, D], [A, C], "abd", "ac", False), ([A, D, B], [A, C], "ac", "adb", False),
        ([A, summed("s")], [A, B], "abs", None, True),  # nothing was said in it
        ([A, summed("s", 1)], [A, summed("t", 2)], "ast", None, True),
        ([A, summed("s"), B], [A, C], "asb", "ac", False),
        ([A, summed("s"), summed("t")], [A, B, summed("t")], "abts", None, True),
        ([B], [C], "b", "c", False),
    ],
)  # fmt: skip
def test_which_branch_keeps_the_name_and_which_becomes_a_fork(mine, theirs, kept, forked, *, appended):
    result = both_ways(log(*mine), log(*theirs))
    assert "".join(ids(result.log)) == kept
    assert result.appended == appended
    assert (result.fork and "".join(ids(result.fork.log))) == forked


def test_a_fork_says_of_what_it_is_one_and_where_it_began():
    fork = both_ways(log(A, B), log(A, C)).fork
    assert is_id(fork.name)
    header = orjson.loads(fork.log.header.raw)
    assert (header["id"], header["parent"]) == (fork.name, {"session": "demo", "at": "a"})
    assert root_of(fork.name, fork.log) == "demo"
    assert [root_of(fork.name, other) for other in (log(B), log(A, B))] == [fork.name, fork.name]
    assert root_of("demo", log(A)) == "demo"


def test_a_fork_of_a_long_name_still_has_one():
    fork = merged("n" * 128, log(A, B), log(A, C)).fork
    assert is_id(fork.name)


branches = st.lists(
    st.builds(lambda make, id, second: make(id, second), st.sampled_from([spoken, summed]), st.sampled_from("pqrs"), st.integers(1, 4)),
    max_size=4, unique_by=lambda record: record["id"],
)  # fmt: skip


@given(branches, branches, branches)
def test_a_merge_is_symmetric_and_loses_no_line(common, mine, theirs):
    used = {record["id"] for record in common}
    one, other = (
        log(*common, *(record for record in branch if record["id"] not in used))
        for branch in (mine, theirs)
    )
    result = both_ways(one, other)
    kept = [result.log, result.fork.log] if result.fork else [result.log]
    digests = {digest(line) for each in kept for line in each.lines[1:]}
    assert digests == {digest(line) for each in (one, other) for line in each.lines[1:]}
    assert both_ways(result.log, one).log.data == result.log.data or result.fork is not None


OPEN = {"type": "open", "id": "o", "kind": "codeh", "role": "model"}
DELTA = {"type": "delta", "of": "o", "parts": [{"text": "x"}]}
COMMIT = {"type": "commit", "of": "o"}
ABORT = {"type": "abort", "of": "o", "reason": "r"}
UPDATE = {"type": "update", "id": "u", "of": "o", "parts": [{"text": "y"}]}
OF_UPDATE = {"type": "commit", "of": "u"}
META = {"type": "meta", "set": {"title": "t"}}
MESSAGE = {"type": "message", "id": "m", "kind": "user", "role": "user", "parts": [{"text": "m"}]}


def kinds(lines):
    return [sync_log.type_of(line) for line in lines]


@pytest.mark.parametrize(("records", "going_on"), [
    ([OPEN], {"o"}), ([OPEN, DELTA], {"o"}), ([OPEN, DELTA, COMMIT], set()), ([OPEN, DELTA, ABORT], set()),
    ([OPEN, DELTA, META], {"o"}), ([OPEN, DELTA, MESSAGE], set()), ([MESSAGE, OPEN], {"o"}), ([OPEN, COMMIT, UPDATE], set()),
], ids=lambda value: "")  # fmt: skip
def test_a_stream_is_unfinished_if_nothing_follows_it(records, going_on):
    stream = log(*records)
    assert stream.unfinished_streams(stream.ended) == going_on


def test_the_end_of_an_update_belongs_to_its_stream():
    stream = log(OPEN, COMMIT, UPDATE, OF_UPDATE, MESSAGE)
    assert [stream.stream(line) for line in stream.lines] == ["", "o", "o", "", "o", ""]
    assert stream.commits == {"o": 2}


def test_no_delta_counts_whose_stream_is_committed_here_or_there():
    begun, ended = log(OPEN, DELTA), log(OPEN, DELTA, COMMIT)
    assert kinds(begun.compared(begun)) == ["session", "open", "delta"]
    assert kinds(begun.compared(ended)) == ["session", "open"]
    assert kinds(ended.compared(ended)) == ["session", "open", "commit"]
    late = log(OPEN, COMMIT, DELTA)
    assert kinds(late.compared(late)) == ["session", "open", "commit", "delta"]


def header(**more):
    return read(dumps({"type": "session", "version": 1, "id": "s", **more}) + b"\n").lines[0]


def line(data):
    return read(data).lines[0]


def test_a_forks_header_says_the_same_as_its_sessions():
    assert sync_log.same(header(), header(id="t", parent={"session": "s", "at": "m"}))
    assert not sync_log.same(header(), header(cwd="/x"))
    of_here, of_there = ({"from": "pi", "id": "1", "path": path, "version": path} for path in "ab")
    assert sync_log.same(header(imported=of_here), header(imported=of_there))
    assert not sync_log.same(header(imported=of_here), header(imported={**of_here, "id": "2"}))


def test_when_a_line_was_written():
    message = {**MESSAGE, "ts": "2026-01-01T00:00:00.000Z"}
    summary = summed("s", 2)
    times = [sync_log.time_of(line) for line in log(message, summary, MESSAGE, META, OPEN).lines[1:]]
    assert times == [message["ts"], summary["createdAt"], "", "", ""]


def test_where_logs_branch_and_what_one_has_more():
    a, b, c = (line(message(id, id, 1)) for id in "abc")
    assert sync_log.Log([a, b]).branches(sync_log.Log([a, c])) == (True, [b], [c])
    assert sync_log.Log([a, b]).branches(sync_log.Log([a])) == (True, [b], [])
    assert sync_log.Log([b]).branches(sync_log.Log([a, b])) == (False, [b], [a, b])
    assert sync_log.missing_lines([a], [a, b, a]) == [b, a]
    assert sync_log.missing_lines([a, b], [b]) == []

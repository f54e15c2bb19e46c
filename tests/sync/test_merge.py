"""Two copies that went on apart: which keeps the name, the same everywhere, and that no line is lost."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.words import is_id
from codeh_history.sync.log import digest, read
from codeh_history.sync.merge import merged, quiet, rightful, root_of

HEADER = {
    "type": "session",
    "version": 1,
    "id": "demo",
    "created": "2026-01-01T00:00:00.000Z",
}


def said(id, second=1, text=""):
    ts = f"2026-01-01T00:00:{second:02}.000Z"
    return {
        "type": "message",
        "id": id,
        "ts": ts,
        "kind": "user",
        "role": "user",
        "parts": [{"text": text or id}],
    }


def summed(id, second=1):
    ts = f"2026-01-01T00:00:{second:02}.000Z"
    return {"type": "summary", "id": id, "createdAt": ts, "summary": id, "covers": []}


def log(*records):
    return read(b"".join(orjson.dumps(record) + b"\n" for record in (HEADER, *records)))


def ids(found):
    return [line.record.data["id"] for line in found.lines if line.record is not None][1:]


def both_ways(one, other):
    """Merged, which comes to the same whichever is the first."""
    found, again = merged("demo", one, other), merged("demo", other, one)
    assert (found.log.data, found.appended) == (again.log.data, again.appended)
    assert (found.fork and (found.fork.name, found.fork.log.data)) == (
        again.fork and (again.fork.name, again.fork.log.data)
    )
    return found


A, B, C, D = (said(id, second) for second, id in enumerate("abcd", 1))


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
def test_which_keeps_the_name_and_what_becomes_of_the_other(mine, theirs, kept, forked, *, appended):
    found = both_ways(log(*mine), log(*theirs))
    assert "".join(ids(found.log)) == kept
    assert found.appended == appended
    assert (found.fork and "".join(ids(found.fork.log))) == forked


def test_a_fork_says_of_what_it_is_one_and_where_it_began():
    fork = both_ways(log(A, B), log(A, C)).fork
    assert fork is not None
    assert is_id(fork.name)
    assert fork.log.header is not None
    header = orjson.loads(fork.log.header.raw)
    assert (header["id"], header["parent"]) == (fork.name, {"session": "demo", "at": "a"})
    assert rightful(fork.name, fork.log)
    assert not rightful(fork.name, log(A, B))
    assert not rightful("demo", log(A))
    assert root_of(fork.name, fork.log) == "demo"
    assert root_of(fork.name, log(B)) == fork.name
    assert root_of("demo", log(A)) == "demo"


def test_a_fork_of_a_long_name_still_has_one():
    found = merged("n" * 128, log(A, B), log(A, C)).fork
    assert found is not None
    assert is_id(found.name)


def test_the_same_line_with_other_words_is_another_branch():
    found = both_ways(log(A, said("b", 2, "one")), log(A, said("b", 2, "two")))
    assert found.fork is not None
    assert {line.raw for each in (found.log, found.fork.log) for line in each.lines[1:]} == {
        orjson.dumps(A), orjson.dumps(said("b", 2, "one")), orjson.dumps(said("b", 2, "two")),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("records", "is_quiet"), [([], True), ([summed("s")], True), ([summed("s"), A], False)]
)
def test_a_branch_is_quiet_where_nothing_is_said_in_it(records, *, is_quiet):
    assert quiet(log(*records).lines[1:]) == is_quiet


branches = st.lists(
    st.builds(lambda make, id, second: make(id, second), st.sampled_from([said, summed]), st.sampled_from("pqrs"), st.integers(1, 4)),
    max_size=4, unique_by=lambda record: record["id"],
)  # fmt: skip


@given(branches, branches, branches)
def test_in_either_order_it_is_the_same_and_every_line_is_somewhere(common, mine, theirs):
    used = {record["id"] for record in common}
    one, other = (
        log(*common, *(record for record in branch if record["id"] not in used))
        for branch in (mine, theirs)
    )
    found = both_ways(one, other)
    there = {
        digest(line)
        for each in (found.log, found.fork and found.fork.log)
        if each
        for line in each.lines[1:]
    }
    assert there == {digest(line) for each in (one, other) for line in each.lines[1:]}
    assert both_ways(found.log, one).log.data == found.log.data or found.fork is not None

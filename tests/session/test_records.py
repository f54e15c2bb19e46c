"""Bytes to records: what a line may be, how deep it may nest, and that a bad one costs only itself."""

import json

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.session.fold import fold
from codeh_history.session.model import SKIPPED
from codeh_history.session.records import MAX_READ, block_of, nests_deeper, parse

GOOD = b'{"type":"message","id":"%s","kind":"user","role":"user","parts":[{"text":"x"}]}'
A, B = GOOD % b"a", GOOD % b"b"


def message(part):
    return b'{"type":"message","id":"m","kind":"user","role":"user","parts":[' + part + b"]}"


# What may stand between two good lines: its bytes, and why it is no record (None: it is one, "": blank).
# Which values, characters and depths JSON may hold: the vectors in test_json_vectors.
ODD = {
    "a run of NUL": (b"\0" * 4096, "4096 NUL bytes"),
    "NUL inside": (b'{"type":"mess\0age"}', "1 NUL bytes"),
    "blank": (b"", ""),
    "blanks": (b" \t ", ""),
    "a bare CR": (b"\r", ""),
    "CRLF": (message(b'{"text":"x"}') + b"\r", None),
    "invalid UTF-8": (message(b'{"text":"\xff"}'), "not JSON"),
    "a pretty-printed brace": (b"{", "not JSON"),
    "a number": (b"7", "not an object"),
    "an object that says nothing": (b"{}", "neither a record"),
    "a type that is no text": (b'{"type":7}', "`type` is not text"),
    "a type not known": (b'{"type":"later"}', None),
    "a bare message without parts": (b'{"role":"user"}', "neither a record"),
    "a message without parts": (b'{"type":"message","id":"m","role":"user"}', "without `parts`"),
    "a message whose parts are no list": (
        b'{"type":"message","id":"m","role":"user","parts":{}}',
        "without `parts`",
    ),
    "a message without role or kind": (b'{"type":"message","id":"m","parts":[]}', "role is None"),
    "an id that is no text": (b'{"type":"message","id":7,"role":"user","parts":[]}', "`id` is not text"),
    "an id that is null": (b'{"type":"message","id":null,"role":"user","parts":[]}', "`id` is not text"),
    "a part that is no object": (message(b"7"), "a part is not an object"),
    "a part that is a list of a number": (message(b"[1]"), "a part is not an object"),
    "a text that is no text": (message(b'{"text":7}'), "`text` is not text"),
    "a call that is no object": (message(b'{"functionCall":[]}'), "`functionCall` is not an object"),
    "a call without a name": (message(b'{"functionCall":{}}'), "without a name"),
    "a response whose name is no text": (message(b'{"functionResponse":{"name":1}}'), "without a name"),
    "a delta of nothing": (b'{"type":"delta","parts":[]}', "delta without a valid `of`"),
    "a delta whose part is no object": (
        b'{"type":"delta","of":"a","parts":[1]}',
        "a part is not an object",
    ),
    "an op that is no object": (b'{"type":"compaction","id":"k","ops":[1]}', "an op is not an object"),
    "an op without a name": (b'{"type":"compaction","id":"k","ops":[{}]}', None),
    "a summary without a text": (b'{"type":"summary","id":"s"}', "summary without a valid `summary`"),
    "a ref whose blocks are no list": (
        b'{"type":"ref","id":"r","role":"user","blockIds":{}}',
        "`blockIds`",
    ),
}


@pytest.mark.parametrize(("line", "reason"), ODD.values(), ids=ODD)
def test_an_odd_line_costs_at_most_itself(line, reason):
    log = parse(A + b"\n" + line + b"\n" + B + b"\n")
    kept = [record.raw for record in log.records]
    assert kept == ([A, line, B] if reason is None else [A, B])
    if reason:
        [damage] = log.damage
        assert (damage.line, damage.offset) == (2, len(A) + 1)
        assert reason in damage.reason
    else:
        assert not log.damage
    assert {"a", "b"} <= set(fold(log).all)


@pytest.mark.parametrize(("line", "reason"), ODD.values(), ids=ODD)
def test_an_odd_last_line_without_newline_costs_at_most_itself(line, reason):
    """Whole, it is a record: its append was cut between line and newline."""
    log = parse(A + b"\n" + line)
    assert [record.raw for record in log.records] == ([A, line] if reason is None else [A])
    assert [damage.offset for damage in log.damage] == ([len(A) + 1] if reason else [])


def test_equal_bare_lines_are_different_messages():
    """2026-11-21: those that differ in their line end alone became one."""
    line = b'{"role":"user","parts":[{"text":"again"}]}'
    ids = [record.data["id"] for record in parse(line + b"\n" + line + b"\r\n" + line).records]
    assert len(set(ids)) == 3
    assert ids == [record.data["id"] for record in parse((line + b"\n") * 3).records]


# -- hostile shapes: whatever the JSON, the fold gives a view --------------------------------------------

shapes = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "a", "K", "r", "user", "model", "drop", "x" * 64]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "id", "of", "ts", "kind", "role", "parts", "text", "thought", "functionCall", "name", "args",
             "ops", "op", "ids", "part", "block", "with", "after", "message", "summary", "covers", "set", "version",
             "created", "blockIds", "functionResponse", "response", "pinned", "provider"]
        ),
        inner, max_size=4,
    ),
    max_leaves=8,
)  # fmt: skip
TYPES = ["session", "message", "open", "delta", "commit", "abort", "update", "summary", "compaction", "revert",
         "clear", "ref", "meta"]  # fmt: skip
hostile = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "id": st.sampled_from(["a", "b", "K"]) | shapes,
        "of": st.sampled_from(["a", "b", "K"]) | shapes,
        "ts": shapes,
        "kind": st.sampled_from(["user", "codeh", "tool"]) | shapes,
        "role": st.sampled_from(["user", "model"]) | shapes,
        "parts": st.lists(some.plain | shapes, max_size=2) | shapes,
        "ops": st.lists(
            st.fixed_dictionaries(
                {"op": st.sampled_from(["drop", "replace", "insert", "summarize"])},
                optional={"ids": st.lists(st.sampled_from("ab"), max_size=2) | shapes, "id": st.just("a") | shapes,
                          "part": st.integers(-2, 2) | shapes, "with": some.plain | shapes,
                          "block": st.just(block_of({"text": ""})) | shapes, "after": st.just("a") | shapes,
                          "summary": shapes,
                          "message": st.fixed_dictionaries({}, optional={
                              "id": st.sampled_from(["a", "c"]) | shapes, "ts": shapes, "kind": shapes,
                              "role": shapes, "parts": st.lists(some.plain | shapes, max_size=2) | shapes}) | shapes},
            ) | shapes,
            max_size=2,
        ) | shapes,
        "summary": shapes, "covers": st.lists(st.sampled_from(["a", "b", "K"]), max_size=2) | shapes, "set": shapes,
        "blockIds": shapes, "version": shapes, "reason": shapes,
    },
)  # fmt: skip


@given(log=st.lists(hostile, max_size=6))
@example([{"type": "session", "id": "a", "ops": 1}])  # of another type it is an unknown field
def test_no_json_breaks_the_fold(log):

    view = some.view_of(log)
    printed = b"".join(view.lines())
    again = fold(parse(printed))
    assert b"".join(again.lines()) == printed


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"), (0, "1970-01-01T00:00:00.000Z"),
        (1767323045678.9, "2026-01-02T03:04:05.678Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (1e300, None), (-1e300, None), (10**18, None), (True, None), (None, None), ([], None), ("", ""),
    ],
)  # fmt: skip
def test_a_time_is_text_or_epoch_milliseconds(ts, shown):
    view = some.view_of([{"type": "message", "id": "a", "role": "user", "parts": [], "ts": ts}])
    assert view.messages[0].ts == shown


NESTED = {}
for _ in range(MAX_READ):
    NESTED = {"a": NESTED}
RESULT = {"name": "f", "response": {"output": "\n" * 2 * MAX_READ}}


@pytest.mark.parametrize(
    ("beside", "part"),
    [
        ({"usage": NESTED}, {"text": "\n" * 2 * MAX_READ}),
        ({}, {"functionResponse": {**RESULT, "parts": [NESTED]}}),
        ({}, {"functionResponse": {**RESULT, "response": {"output": "\n" * 2 * MAX_READ, "more": NESTED}}}),
        ({}, {"functionCall": {"name": "f", "args": {"text": "\n" * 2 * MAX_READ}, "more": NESTED}}),
    ],
    ids=["beside the parts", "beside a response", "in a response", "beside arguments"],
)
def test_2026_11_23_what_nests_beside_long_texts_was_overlooked(beside, part):
    """A line is looked at for its depth where more than its texts could nest, wherever that stands."""
    head = {"type": "message", "id": "a", "kind": "user", "role": "user"}
    deep, flat = ({**head, **beside, "parts": [part]}, {**head, "parts": [part]})
    log = parse(json.dumps(deep).encode())
    assert (len(log.records), [d.reason for d in log.damage]) == (0, [f"nested deeper than {MAX_READ}"])
    if beside:
        assert parse(json.dumps(flat).encode()).damage == []


@pytest.mark.parametrize("opened", ["{", "[", "{["])
def test_a_line_nests_too_deep_whatever_opens_its_levels(opened):
    value = 1
    for level in range(MAX_READ - 1):
        value = {"a": value, "b": "[" * 9} if opened[level % len(opened)] == "{" else [1, value]
    whole, deep = (
        parse(orjson.dumps({"type": "later", "text": "x" * 2 * MAX_READ, "value": each}))
        for each in (value, [value])
    )
    assert not whole.damage
    assert [damage.reason for damage in deep.damage] == [f"nested deeper than {MAX_READ}"]


def test_what_is_no_json_is_too_deep():
    assert nests_deeper({1, 2}, MAX_READ)


@pytest.mark.parametrize("digits", ["", "7", "9" * 16, "9" * 5000])
def test_a_line_that_only_looks_like_a_skipped_one_is_damage(digits):
    log = parse(SKIPPED + digits.encode() + b'\n{"type":"clear","id":"c"}\n')
    assert [(bad.line, bad.offset) for bad in log.damage] == [(1, 0)]
    assert [record.offset for record in log.records] == [len(SKIPPED) + len(digits) + 1]

"""Which lines lost content is told by their names alone, in one order, so that copies lose the same."""

import orjson
import pytest

from codeh_history.session.line_names import named
from codeh_history.session.records import lines_of
from codeh_history.session.redactions import added, blank, joined, names_in, record

HEAD = b'{"type":"session","version":1,"id":"s","created":"2026-01-02T03:04:05.000Z"}\n'
A = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"sk-1"}]}\n'
B = b'{"role":"user","parts":[{"text":"sk-2"}]}\n'
TS = "2026-01-02T03:04:05.000Z"


def hidden(line):
    return line.replace(b"sk-", b"[redacted] ")


def test_the_lines_that_changed_are_named_and_nothing_of_them_told():
    before = [HEAD, A, b"\n", B, A.replace(b'"a"', b'"c"')]
    after = [HEAD, hidden(A), b"\n", hidden(B), before[-1]]
    made = record("r", TS, before, after)
    assert made is not None
    assert made.endswith(b"\n")
    data = orjson.loads(made)
    assert data == {"type": "redaction", "id": "r", "ts": TS, "lines": ["a", "a +1"]}
    assert b"sk" not in made


def test_where_nothing_changed_there_is_none():
    assert record("r", TS, [HEAD, A, b" \n"], [HEAD, A, b"\n"]) is None


def test_a_torn_last_line_has_no_name():
    assert record("r", TS, [HEAD, A, b'{"id":"sk'], [HEAD, A, b'{"id":"[re']) is None


R1, R2 = (b'{"type":"redaction","id":"%s","ts":"t","lines":[]}\n' % id for id in (b"1", b"2"))


@pytest.mark.parametrize("order", [(R1, R2), (R2, R1)])
def test_redactions_stand_after_the_first_line_in_one_order(order):
    lines = [HEAD, A]
    for one in order:
        lines = added(lines, one)
    assert lines == [HEAD, R1, R2, A]
    assert joined([HEAD, A], order) == lines


def test_a_file_of_one_line_without_its_end_gets_one():
    assert added([HEAD.rstrip()], R1) == [HEAD, R1]


@pytest.mark.parametrize(
    ("lines", "names"),
    [(["a", "b"], ["a", "b"]), (["a", 1, None], ["a"]), ("a", []), (None, []), ({}, [])],
)
def test_only_names_are_read_as_names(lines, names):
    assert names_in({"lines": lines}) == names


BLANKED = {
    "a message": ({"type": "message", "id": "a", "kind": "user", "role": "user", "ts": TS, "parts": [{"text": "sk"}],
                   "item": {"x": "sk"}, "attached": [{"name": "sk"}]},
                  {"type": "message", "id": "a", "kind": "user", "role": "user", "ts": TS, "parts": [{"text": "[redacted]"}]}),
    "a reference": ({"type": "ref", "id": "a", "kind": "user", "blockIds": ["b"], "flowId": "sk"},
                    {"type": "message", "id": "a", "kind": "user", "parts": [{"text": "[redacted]"}]}),
    "a summary": ({"type": "summary", "id": "s", "summary": "sk", "covers": ["a"], "by": "sk"},
                  {"type": "summary", "id": "s", "summary": "[redacted]", "covers": ["a"]}),
    "settings": ({"type": "meta", "ts": TS, "set": {"title": "sk"}}, {"type": "meta", "ts": TS, "set": {}}),
    "a compaction": ({"type": "compaction", "id": "k", "ops": [{"op": "drop", "ids": ["sk"]}], "policy": "sk"},
                     {"type": "compaction", "id": "k", "ops": []}),
    "an abort": ({"type": "abort", "of": "a", "ts": TS, "reason": "sk"},
                 {"type": "abort", "of": "a", "ts": TS, "reason": "[redacted]"}),
}  # fmt: skip


@pytest.mark.parametrize(("data", "left"), BLANKED.values(), ids=BLANKED)
def test_a_blank_record_still_stands_but_says_nothing(data, left):
    (line,) = named(b"".join(lines_of(orjson.dumps(data) + b"\n")))
    assert blank(line) == left


def test_a_damaged_line_is_blank_altogether():
    (line,) = named(b"sk-1 {\n")
    assert blank(line) == {}

"""The table of record rules: each type is a row, a handler of the fold, and a row of docs/format.md."""

import re

import pytest

from codeh_history.session.rules import RULES, brought, content_id, named, own_id
from support import ROOT

ROWS = re.findall(r"^\| `(\w+)` \| `([^`]+)`", (ROOT / "docs" / "format.md").read_text(), re.MULTILINE)
DOCUMENTED = dict(reversed(ROWS))  # the first table; one that follows says what a record must have


def test_the_documented_types_are_those_of_the_table():
    ops = {"drop", "replace", "insert", "summarize"}
    elsewhere = {"redaction"}  # read by `sync` alone, no part of the view
    assert set(DOCUMENTED) - ops - elsewhere == set(RULES)


@pytest.mark.parametrize("type", RULES)
def test_what_a_type_needs_and_names_is_documented(type):
    rule = RULES[type]
    assert {*rule.needs, *rule.names} <= set(re.findall(r"\w+", DOCUMENTED[type]))


@pytest.mark.parametrize("type", RULES)
def test_what_streams_has_no_id_and_is_of_a_message(type):
    rule = RULES[type]
    assert rule.streams == (rule.needs == ("of",))
    assert not (rule.streams and rule.places)


COMPACTION = {
    "type": "compaction", "id": "K",
    "ops": [
        {"op": "drop", "ids": ["a"]},
        {"op": "insert", "after": "b", "message": {"parts": []}},
        {"op": "insert", "after": "b", "message": {"id": "m", "parts": []}},
        {"op": "summarize", "ids": ["c"], "summary": "s"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("record", "own", "of", "ids"),
    [
        ({"type": "session", "id": "s"}, None, None, []),
        ({"type": "meta", "set": {}}, None, None, []),
        ({"type": "message", "id": "m", "parts": []}, "m", "m", ["m"]),
        ({"type": "delta", "of": "m", "parts": []}, None, "m", []),
        ({"type": "update", "id": "u", "of": "m"}, "u", "u", ["u"]),
        ({"type": "x-unknown", "id": "x"}, "x", "x", ["x"]),
        ({"type": "x-unknown", "id": 7}, None, None, []),
        (COMPACTION, "K", "K", ["K", "K.1", "m", "K.3"]),
    ],
)
def test_the_ids_of_a_record(record, own, of, ids):
    assert (own_id(record), content_id(record), list(brought(record))) == (own, of, ids)


def test_the_ids_that_a_record_names():
    assert list(named({"of": "m"}, ["of"])) == ["m"]
    assert list(named({"ids": ["a", "b"], "after": "c"}, ["ids", "id", "after"])) == ["a", "b", "c"]

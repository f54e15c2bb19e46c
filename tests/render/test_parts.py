"""Parts in words."""

import pytest

from codeh_history.render import messages, parts
from codeh_history.session.model import Message


def message(*own, **fields):
    return Message(
        "m1", "codeh", "model", "2026-01-02T03:04:05.000Z", fields, own=list(own), parts=list(own)
    )


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ([[{"number": 2, "id": "b"}, {"number": 1, "title": "A", "url": "u", "score": 0.5}]], ["[1] A u (0.50)", "[2] b"]),
        ([[{"number": 1, "title": "old"}], [{"number": 1, "title": "new"}]], ["[1] new"]),
        ([[{"number": "x"}, 7, None]], []),
        (["none", {"a": 1}], []),
    ],
)  # fmt: skip
def test_references(given, listed):
    found = parts.references([message(references=value) for value in given])
    assert [parts.reference(entry) for _, entry in sorted(found.items())] == listed


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (["m1", "message-10"], ["m1", "message-10"]),
        (["0123456789abcdef0123", "ffff56789abcdef01234"], ["01234567", "ffff5678"]),
        (["0123456789abcdef0123", "0123456789abffff0123"], ["0123456789abc", "0123456789abf"]),
    ],
)
def test_short_ids(ids, short):
    assert list(messages.short_ids(ids).values()) == short


def test_what_nests_too_deep_to_be_shown_is_named():
    deep = []
    for _ in range(300):
        deep = [deep]
    assert parts.compact(deep) == parts.TOO_DEEP


@pytest.mark.parametrize("inner", [{"inlineData": "text"}, "text", {"fileData": [7]}])
def test_2026_11_23_what_is_no_part_of_a_result_is_not_shown(inner):
    """Parts of a result are not looked at where a log is read: `show`, `search` and pages ended with a bug."""
    result = {"name": "f", "response": {"output": "x"}, "parts": [inner, {"text": "y"}]}
    found = parts.items([{"functionResponse": result}])  # type: ignore[list-item]
    assert [item.body for item in found if item.what == "result" or item.body == "y"] == ["x", "y"]

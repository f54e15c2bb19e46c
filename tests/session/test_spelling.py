"""How a line is spelled beside what it says: parts taken out of it go back byte for byte."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given

import strategies as some
from codeh_history.session.spelling import WRITERS, note, spelled

PARTS = [{"text": 'Schön "so"\n'}, {"text": "b"}]


def again(raw: bytes, parts: Any) -> bytes | None:
    """The line with its own parts put back; None where there is no note of it."""
    noted = note(raw, parts)
    return None if noted is None else spelled(orjson.loads(orjson.dumps(noted)), parts)


LINES = {
    "compact": orjson.dumps({"id": "a", "parts": PARTS, "x": 1}),
    "with blanks": json.dumps({"id": "a", "parts": PARTS, "x": 1}).encode(),
    "with blanks and signs": json.dumps({"id": "a", "parts": PARTS}, ensure_ascii=False).encode(),
    "escaped": json.dumps({"parts": PARTS, "x": 1}, separators=(",", ":")).encode(),
    "blanks around all": b'  {"parts" :\t' + orjson.dumps(PARTS) + b' , "id": "a"} ',
    "parts in something before": b'{"item": {"parts": []}, "parts": ' + json.dumps(PARTS).encode() + b"}",
    "parts in a text before": b'{"note": "\\"parts\\": [1]", "parts": ' + json.dumps(PARTS).encode() + b"}",
    "parts in something behind": b'{"parts": ' + json.dumps(PARTS).encode() + b', "item": {"parts": [1]}}',
}


@pytest.mark.parametrize("raw", LINES.values(), ids=LINES)
def test_a_line_comes_back_byte_for_byte(raw: bytes) -> None:
    assert again(raw, PARTS) == raw


@pytest.mark.parametrize("writer", WRITERS)
@given(message=some.messages())
def test_a_line_of_any_usual_writer_comes_back(writer: str, message: dict[str, Any]) -> None:
    raw = WRITERS[writer](message).encode("utf-8", "surrogatepass")
    assert again(raw, orjson.loads(raw)["parts"]) == raw


@pytest.mark.parametrize(
    "raw",
    [
        b'{"parts": [ {"text":"a"} ]}',  # nobody writes so
        b'{"parts": [{"text":"\\u0061"}]}',
        b'{"id": "a"}',
        b'{"item": {"parts": [{"text":"a"}]}}',
        b'{"p\\u0061rts": [{"text":"a"}]}',
    ],
)
def test_what_no_writer_spells_so_is_not_noted(raw: bytes) -> None:
    assert note(raw, [{"text": "a"}]) is None


def test_other_parts_go_in_the_same_spelling() -> None:
    noted = note(b'{"id": "a", "parts": [{"text": "a"}]}', [{"text": "a"}])
    assert noted is not None
    assert spelled(noted, [{"text": "\u00fc"}]) == b'{"id": "a", "parts": [{"text": "\\u00fc"}]}'


@pytest.mark.parametrize(
    "noted",
    [{}, {"before": "[", "after": "]"}, {"before": 1, "after": "]", "as": "python"},
     {"before": "[", "after": None, "as": "python"}, {"before": "[", "after": "]", "as": "nobody"}],
)  # fmt: skip
def test_a_note_that_is_none_gives_no_line(noted: Any) -> None:
    assert spelled(noted, PARTS) is None

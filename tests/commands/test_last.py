"""`last`: what the last message says, as one reads it."""

import orjson
import pytest

from inside import inside, lay

TEXTS = ["Look at this:", "<file a.txt>\nA\n</file>\n", "", "\nand that"]


def session(kind):
    parts = [{"text": "hm", "thought": True}, *({"text": text} for text in TEXTS)]
    return orjson.dumps({"type": "message", "id": "a", "kind": kind, "parts": parts}) + b"\n"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("user", "Look at this:\n\n<file a.txt>\nA\n</file>\n\nand that\n"),
        ("codeh", "Look at this:<file a.txt>\nA\n</file>\n\nand that\n"),  # pieces of one text
    ],
)
def test_2026_11_23_a_prompt_and_its_files_do_not_run_into_each_other(kind, expected, tmp_path):
    lay(tmp_path, session(kind))
    assert inside("last", "s", home=tmp_path).out.decode() == expected
    line = orjson.loads(inside("last", "s", "--json", home=tmp_path).out)
    assert line["text"] == expected.removesuffix("\n")


def test_2026_11_23_nor_do_they_where_an_exchange_is_told(tmp_path):
    lay(tmp_path, session("user"))
    told = orjson.loads(inside("export", "s", "--to", "exchanges", home=tmp_path).out)
    assert told[0]["userMessage"] == "Look at this:\n\n<file a.txt>\nA\n</file>\n\nand that"

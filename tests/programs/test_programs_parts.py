"""Parts that several programs' files have: results, thoughts, files that are only named."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.programs import parts


@pytest.mark.parametrize(
    ("id", "name", "failed", "response"),
    [
        ("c1", "ls", False, {"id": "c1", "name": "ls", "response": {"output": "x"}}),
        (None, "ls", True, {"name": "ls", "response": {"error": "x"}}),
        ("", None, False, {"name": "tool", "response": {"output": "x"}}),
        (7, 8, False, {"name": "tool", "response": {"output": "x"}}),
    ],
)
def test_a_result_says_of_which_call_it_is_where_it_is_known(
    id: object, name: object, failed: bool, response: Any
) -> None:
    assert parts.result(id, name, "x", failed=failed) == {"functionResponse": response}
    held = [parts.inline(b"x", None)]
    made: Any = parts.result(id, name, "x", failed=failed, held=held)
    assert made == {"functionResponse": {**response, "parts": held}}


def test_a_thought_is_signed_where_it_was() -> None:
    assert parts.thought("hm", "c2ln") == {"text": "hm", "thought": True, "thoughtSignature": "c2ln"}
    assert parts.thought("hm", "") == parts.thought("hm", 7) == {"text": "hm", "thought": True}


def test_texts_are_told_from_the_rest() -> None:
    file = parts.inline(b"x", "image/png")
    given: Any = [{"text": "a"}, file, parts.thought("hm")]
    assert parts.texts(given) == ["a", "hm"]
    assert parts.without_texts(given) == [file]


@pytest.mark.parametrize(
    ("source", "mime", "kind", "part"),
    [
        ("data:image/png;base64,eA==", None, None, {"inlineData": {"mimeType": "image/png", "data": "eA=="}}),
        ("https://a.example/b.pdf?x", None, None, {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.example/b.pdf?x"}}),
        ("gs://a/b", "image/png", None, {"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}}),
        ("file-1", None, "image", {"text": "[image: file-1]"}),
        ("data:none", None, None, {"text": "[file: data:none]"}),
        (None, None, None, {"text": "[file: without a name]"}),
    ],
)  # fmt: skip
def test_a_file_that_is_only_named(source: object, mime: object, kind: object, part: Any) -> None:
    assert parts.media(source, mime, kind) == part

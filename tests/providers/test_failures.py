"""A provider's error: its words, and whether the same request may succeed later."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from test_wire import SPLIT

from answers import PRETTY
from codeh_history.providers import wire

WORDS: dict[str, tuple[Any, bool, str]] = {
    "anthropic overloaded": ({"type": "overloaded_error"}, True, "overloaded_error"),
    "anthropic api": ({"type": "api_error"}, True, "api_error"),
    "anthropic rate": ({"type": "rate_limit_error"}, True, "rate_limit_error"),
    "anthropic timeout": ({"type": "timeout_error"}, True, "timeout_error"),
    "anthropic invalid": ({"type": "invalid_request_error"}, False, "invalid_request_error"),
    "anthropic key": ({"type": "authentication_error"}, False, "authentication_error"),
    "anthropic large": ({"type": "request_too_large"}, False, "request_too_large"),
    "openai server": ({"type": "server_error", "code": None}, True, "server_error"),
    "openai rate": ({"type": "tokens", "code": "rate_limit_exceeded"}, True, "rate_limit_exceeded"),
    "openai quota": (
        {"type": "insufficient_quota", "code": "insufficient_quota"},
        True,
        "insufficient_quota",
    ),
    "openai model": (
        {"type": "invalid_request_error", "code": "model_not_found"},
        False,
        "model_not_found",
    ),
    "openai number": ({"code": 429}, True, "429"),
    "openai text number": ({"code": "502", "type": "bad"}, True, "bad"),
    "gemini internal": ({"code": 500, "status": "INTERNAL"}, True, "INTERNAL"),
    "gemini exhausted": ({"code": 429, "status": "RESOURCE_EXHAUSTED"}, True, "RESOURCE_EXHAUSTED"),
    "gemini exhausted, no number": ({"status": "RESOURCE_EXHAUSTED"}, True, "RESOURCE_EXHAUSTED"),
    "gemini deadline": ({"code": 504, "status": "DEADLINE_EXCEEDED"}, True, "DEADLINE_EXCEEDED"),
    "gemini argument": ({"code": 400, "status": "INVALID_ARGUMENT"}, False, "INVALID_ARGUMENT"),
    "gemini denied": ({"code": 403, "status": "PERMISSION_DENIED"}, False, "PERMISSION_DENIED"),
    "the number wins": ({"code": 400, "type": "api_error"}, False, "api_error"),
    "a request timeout": ({"code": 408}, True, "408"),
}


@pytest.mark.parametrize(("fields", "retry", "code"), WORDS.values(), ids=WORDS)
def test_whether_an_error_passes(fields: Any, retry: bool, code: str) -> None:
    outcome = wire.read(orjson.dumps({"error": {**fields, "message": "words"}}))
    assert isinstance(outcome, wire.Failure)
    assert (outcome.retry, outcome.code) == (retry, code)
    assert outcome.text.endswith(": words")


def test_an_error_in_a_stream_names_its_model() -> None:
    outcome = wire.read(SPLIT[0] + b"\r\n\r\n" + PRETTY)
    assert isinstance(outcome, wire.Failure)
    assert (outcome.provider, outcome.model) == ("gemini", "gemini-x")

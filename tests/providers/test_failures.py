"""A provider's error: its words, and whether the same request may succeed later."""

import orjson
import pytest

from answers import PRETTY, SPLIT
from codeh_history.providers import detect, wire

WORDS = {
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
def test_errors_are_temporary_or_permanent(fields, retry, code):
    outcome = wire.read(orjson.dumps({"error": {**fields, "message": "words"}}))
    assert (outcome.retry, outcome.code) == (retry, code)
    assert outcome.text.endswith(": words")


def test_an_error_in_a_stream_names_its_model():
    outcome = wire.read(SPLIT[0] + b"\r\n\r\n" + PRETTY)
    assert isinstance(outcome, wire.Failure)
    assert (outcome.provider, outcome.model) == ("gemini", "gemini-x")


# -- single errors --------------------------------------------------------------------------------------

ERRORS = {
    # the error, the status of its head; its text, whether it passes, its code
    "type and message": ({"type": "a_b", "message": "m"}, 0, "a_b: m", False, "a_b"),
    "each word once": ({"type": "a", "code": "a", "status": "B", "message": "m"}, 0, "a (B): m", False, "B"),
    "`error` says nothing": ({"type": "error", "message": "m"}, 0, "m", False, None),
    "a text": ("no such model", 0, "no such model", False, None),
    "no message": ({"type": "a"}, 0, "a", False, "a"),
    "an empty message": ({"type": "a", "message": " "}, 0, "a: {'type': 'a', 'message': ' '}", False, "a"),
    "nothing": ({}, 0, "{}", False, None),
    "the status of the head": ({"type": "a", "message": "m"}, 503, "a: m", True, "a"),
    "the head is stronger": ({"type": "overloaded", "message": "m"}, 400, "overloaded: m", False, "overloaded"),
    "a head without an error": ({"type": "overloaded", "message": "m"}, 200, "overloaded: m", True, "overloaded"),
    "a number that is none of HTTP": ({"code": 7, "type": "overloaded", "message": "m"}, 0, "overloaded (7): m", True, "overloaded"),
    "true is no code": ({"code": True, "message": "m"}, 0, "m", False, None),
}  # fmt: skip


@pytest.mark.parametrize(("error", "status", "text", "retry", "code"), ERRORS.values(), ids=ERRORS)
def test_errors_are_normalised(error, status, text, *, retry, code):
    failure = detect.failure_of(error, "openai-chat", status=status)
    assert (failure.text, failure.retry, failure.code) == (text, retry, code)


@pytest.mark.parametrize(
    ("status", "passes"), [(400, False), (407, False), (408, True), (409, False), (428, False), (429, True), (430, False), (499, False), (500, True), (529, True), (599, True), (600, False)]
)  # fmt: skip
def test_temporary_http_statuses(status, *, passes):
    assert detect.passing(status) is passes


@pytest.mark.parametrize(
    ("body", "event", "fails"),
    [
        ({"error": {"message": "m"}}, "", True), ({"message": "m"}, "error", True), ({"message": "m"}, "ping", False), ({"error": {}}, "", False),
        ({"object": "response", "error": {"message": "m"}}, "", False), ({"error": None}, "", False), ({"type": "error", "message": "m"}, "", True),
    ],
)  # fmt: skip
def test_error_bodies_are_recognised(body, event, *, fails):
    assert (detect.failure(body, event=event) is not None) is fails

"""Which provider an object comes from, answer or error."""

from __future__ import annotations

import pytest
from test_wire import error

from answers import FORMATS, OVERLOADED, STREAMS, arrived
from codeh_history.providers import wire

PROVIDER_OF_ERROR = {
    OVERLOADED: "gemini",
    error("api_error"): "anthropic",
    b'{"error":{"message":"m","type":"server_error","param":null,"code":null}}': "openai-chat",
    b'{"error":"model not found"}': "ollama",
    b'{"error":"model not found","error_type":"validation"}': "openai-chat",
    b'{"object":"error","message":"m","type":"BadRequestError","code":400}': "openai-chat",
    b'{"type":"error","code":"server_error","message":"m","sequence_number":2}': "openai-responses",
}


@pytest.mark.parametrize(("body", "provider"), PROVIDER_OF_ERROR.items())
def test_whose_error_it_is(body: bytes, provider: str) -> None:
    outcome = wire.read(body)
    assert isinstance(outcome, wire.Failure)
    assert outcome.provider == provider
    given = wire.read(body, "anthropic")
    assert isinstance(given, wire.Failure)
    assert given.provider == "anthropic"


@pytest.mark.parametrize("name", STREAMS)
def test_the_format_is_told_by_the_content(name: str) -> None:
    provider = name.removesuffix("-array")
    outcome, _, reader = arrived([STREAMS[name]()])
    assert isinstance(outcome, wire.Reply)
    assert outcome.provider == reader.provider == provider
    assert outcome == wire.read(STREAMS[name](), provider)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("format", FORMATS)
def test_only_the_given_format_is_accepted(name: str, format: str) -> None:
    provider = name.removesuffix("-array")
    outcome = wire.read(STREAMS[name](), format)
    if format == provider:
        assert isinstance(outcome, wire.Reply)
    else:
        assert outcome == wire.Unreadable(f"this is an answer of the format {provider}, not {format}")

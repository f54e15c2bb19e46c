"""Which provider an object comes from, answer or error."""

import orjson
import pytest

from answers import FORMATS, OVERLOADED, STREAMS, arrived
from codeh_history.providers import detect, wire
from wires import error

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
def test_whose_error_it_is(body, provider):
    outcome = wire.read(body)
    assert isinstance(outcome, wire.Failure)
    assert outcome.provider == provider
    given = wire.read(body, "anthropic")
    assert isinstance(given, wire.Failure)
    assert given.provider == "anthropic"


@pytest.mark.parametrize("name", STREAMS)
def test_the_format_is_told_by_the_content(name):
    provider = name.removesuffix("-array")
    outcome, _, reader = arrived([STREAMS[name]()])
    assert isinstance(outcome, wire.Reply)
    assert outcome.provider == reader.provider == provider
    assert outcome == wire.read(STREAMS[name](), provider)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("format", FORMATS)
def test_only_the_given_format_is_accepted(name, format):
    provider = name.removesuffix("-array")
    outcome = wire.read(STREAMS[name](), format)
    if format == provider:
        assert isinstance(outcome, wire.Reply)
    else:
        assert outcome == wire.Unreadable(f"this is an answer of the format {provider}, not {format}")


@pytest.mark.parametrize(
    ("event", "id"),
    [
        ({"id": "a"}, "a"), ({"responseId": "g", "id": "x"}, "g"), ({"type": "message_start", "message": {"id": "m"}}, "m"), ({"response": {"id": "r"}, "id": "x"}, "r"),
        ({"message": {"content": "x"}, "id": "a"}, None), ({"id": 5}, None), ({}, None), ({"message": "text", "id": "a"}, "a"),
    ],
)  # fmt: skip
def test_an_event_says_to_which_answer_it_belongs(event, id):
    assert detect.answer_id(event) == id


@pytest.mark.parametrize("value", [None, 5, "text", [], {}, {"a": 1}])
def test_what_nobody_knows_is_nothing(value):
    assert not detect.recognised(value)
    assert not detect.stands_alone(value)
    assert not detect.interrupts(value)
    assert not detect.is_error(value)


def test_an_error_interrupts_whatever_it_stands_in():
    body = orjson.loads(OVERLOADED)
    assert detect.recognised(body)
    assert detect.stands_alone(body)
    assert detect.interrupts(body)


def test_an_answer_within_an_event_does_not_stand_alone():
    message = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "usage": {},
    }
    assert detect.recognise(message) is not None
    assert not detect.stands_alone(message)
    assert detect.stands_alone({"candidates": [{"content": {"parts": [{"text": "a"}]}}]})

"""Answers of the Responses format in our terms."""

import orjson
import pytest

from answers import ending, sse
from codeh_history.providers import wire
from codeh_history.providers.openai_responses.response import read


def response(*output, status="completed", **more):
    return {
        "id": "resp_1",
        "object": "response",
        "model": "gpt-x",
        "status": status,
        "output": list(output),
        **more,
    }


def message(*content, **more):
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": list(content),
        **more,
    }


def text(text, **more):
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": [], **more}


def native(value):
    return {"native": {"provider": "openai-responses", "value": value}}


ITEM = {"id": "msg_1", "status": "completed"}
NOTED = [{"type": "url_citation", "url": "https://x", "start_index": 0, "end_index": 1}]
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "f",
    "arguments": '{"a": 1}',
    "status": "completed",
}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}}
SPOKEN = {"type": "output_audio", "data": "UklGRg=="}

ITEMS = {
    "text": (message(text("a")), [{"text": "a", "item": ITEM}]),
    "text with a phase": (message(text("a"), phase="commentary"), [{"text": "a", "item": {**ITEM, "phase": "commentary"}}]),
    "two texts": (message(text("a"), text("b")), [{"text": "a", "item": ITEM}, {"text": "b", "item": ITEM}]),
    "parsed by the client": (message(text("a", parsed={"a": 1})), [{"text": "a", "item": ITEM}]),
    "annotations": (message(text("a", annotations=NOTED)), [{"text": "a", "item": {**ITEM, "annotations": NOTED}}]),
    "a refusal": (
        message({"type": "refusal", "refusal": "no"}), [{"text": "no", "refusal": True, "item": ITEM}],
    ),
    "an empty text": (message(text("")), [{"text": "", "item": ITEM}]),
    "no content": (message(), [native(message())]),
    "content unknown here": (message(text("a"), SPOKEN), [native(message(text("a"), SPOKEN))]),
    "a call": (
        CALL, [{"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}}, "item": {"id": "fc_1", "status": "completed"}}],
    ),
    "a call of a namespace": (
        {**CALL, "namespace": "n"},
        [{"functionCall": {"id": "call_1", "name": "f", "args": {"a": 1}},
          "item": {"id": "fc_1", "status": "completed", "namespace": "n"}}],
    ),
    "arguments that are no JSON": (
        {**CALL, "arguments": "{"},
        [{"functionCall": {"id": "call_1", "name": "f", "args": {}}, "arguments": "{",
          "item": {"id": "fc_1", "status": "completed"}}],
    ),
    "reasoning": (REASONING, [native(REASONING)]),
    "a server tool": (SEARCH, [native(SEARCH)]),
    "no object": ("a", [native("a")]),
    "a call without a name": ({"type": "function_call"}, [native({"type": "function_call"})]),
}  # fmt: skip


@pytest.mark.parametrize(("item", "parts"), ITEMS.values(), ids=ITEMS)
def test_item(item, parts):
    whole = read(response(item))
    assert whole.parts == parts
    assert wire.read(orjson.dumps(response(item))) == whole


def test_items_keep_their_order():
    outcome = read(response(*(item for item, _ in ITEMS.values())))
    assert outcome.parts == [part for _, parts in ITEMS.values() for part in parts]


def done(*items, last):
    created = {"type": "response.created", "response": response(status="in_progress")}
    events = [
        {"type": "response.output_item.done", "output_index": index, "item": item}
        for index, item in enumerate(items)
    ]
    return sse(created, *events, {"type": f"response.{last['status']}", "response": last}, named=True)


def test_last_event_is_the_response():
    """What `added` and `done` events say may differ in what is encrypted."""
    early = {**REASONING, "encrypted_content": "early"}
    outcome = wire.read(done(early, last=response(REASONING)))
    assert outcome == read(response(REASONING))


def test_items_are_assembled_from_their_events():
    assert wire.read(done(message(text("a")), CALL, last=response())) == read(
        response(message(text("a")), CALL)
    )


def test_unfinished_item_is_kept():
    begun = {"type": "response.output_item.added", "output_index": 0, "item": {**CALL, "arguments": ""}}
    pieces = [{"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a"'}]
    pieces.append({"type": "response.output_text.delta", "output_index": 1, "delta": "so"})
    end = {"type": "response.incomplete", "response": response(status="incomplete")}
    outcome = wire.read(sse(begun, *pieces, end))
    assert [part.get("arguments") or part.get("text") for part in outcome.parts] == ['{"a"', "so"]


def test_streamed_parts():
    events = [
        {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
        {"type": "response.output_text.delta", "delta": "a"},
        {"type": "response.refusal.delta", "delta": "no"},
        {"type": "response.unknown.delta", "delta": "?"},
    ]
    reader = wire.Reader()
    parts = reader.feed(sse(*events) + done(REASONING, message(text("a")), CALL, last=response(CALL)))
    call = ITEMS["a call"][1][0]
    assert (parts, reader.restarts) == ([native(REASONING), call], 1)  # response.created begins anew
    parts = wire.Reader().feed(sse(*events))
    assert parts == [{"text": "hm", "thought": True}, {"text": "a"}, {"text": "no", "refusal": True}]


FINISHES = {
    "completed": (response(message(text("a"))), "Reply completed"),
    "completed, nothing said": (response(), "Reply completed"),
    "as a compatible host says it": (response(message(text("a")), status="complete"), "Reply complete"),
    "too long": (
        response(message(text("a")), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        "Reply incomplete:max_output_tokens",
    ),
    "too long, only reasoning": (
        response(REASONING, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        "Reply incomplete:max_output_tokens",
    ),
    "too long, nothing": (
        response(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        "Failure 4: incomplete:max_output_tokens (an answer without content)",
    ),
    "failed": (
        response(status="failed", error={"code": "server_error", "message": "oops"}), "Failure 75: server_error: oops",
    ),
    "failed, no reason": (response(status="failed"), "Failure 4: failed: the response is failed"),
    "cancelled": (response(status="cancelled"), "Failure 4: cancelled: the response is cancelled"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), FINISHES.values(), ids=FINISHES)
def test_outcome_of_status(body, expected):
    outcome = wire.read(orjson.dumps(body))
    assert ending(outcome) == expected
    assert outcome.model == "gpt-x"
    if body["status"] != "complete":
        assert wire.read(done(last=body)) == outcome


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_response_in_progress(status):
    outcome = wire.read(orjson.dumps(response(status=status)))
    assert (outcome.retry, outcome.code) == (True, status)

"""Gemini's answers in our terms."""

import orjson
import pytest

from answers import ending, gemini_event, reply, sse
from codeh_history.providers import wire
from codeh_history.providers.gemini.response import read

CALL = {"functionCall": {"name": "f", "args": {"a": 1}}}
SIGNED = {"text": "", "thoughtSignature": "c2ln"}
THOUGHT = {"text": "hm", "thought": True}
PNG = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
CODE = {"executableCode": {"language": "PYTHON", "code": "1+1"}, "thoughtSignature": "x"}

PARTS = {
    "text": ([{"text": "a"}], [{"text": "a"}]),
    "texts": ([{"text": "a"}, {"text": "b"}], [{"text": "ab"}]),
    "thoughts apart": (
        [THOUGHT, THOUGHT, {"text": "a"}],
        [{"text": "hmhm", "thought": True}, {"text": "a"}],
    ),
    "thought false": ([{"text": "a", "thought": False}, {"text": "b"}], [{"text": "ab", "thought": False}]),
    "a signed empty text": ([{"text": "a"}, SIGNED, {"text": "b"}], [{"text": "a"}, SIGNED, {"text": "b"}]),
    "a signed text": (
        [{"text": "a", "thoughtSignature": "s"}, {"text": "b"}],
        [{"text": "a", "thoughtSignature": "s"}, {"text": "b"}],
    ),
    "empty texts": ([{"text": ""}, {"text": "", "thought": True}, {"text": "a"}], [{"text": "a"}]),
    "calls": ([{**CALL, "thoughtSignature": "s"}, CALL], [{**CALL, "thoughtSignature": "s"}, CALL]),
    "a call without arguments": ([{"functionCall": {"name": "f"}}], [{"functionCall": {"name": "f"}}]),
    "an image": ([PNG, {"text": "a"}], [PNG, {"text": "a"}]),
    "a kind unknown here": ([CODE], [CODE]),
    "no object": (["a"], [{"native": {"provider": "gemini", "value": "a"}}]),
    "a call without a name": (
        [{"functionCall": {"args": {}}}],
        [{"native": {"provider": "gemini", "value": {"functionCall": {"args": {}}}}}],
    ),
}


def test_the_first_piece_of_a_text_may_come_again():
    events = [
        gemini_event({"text": text}, finish=finish)
        for text, finish in zip("aab", (None, None, "STOP"), strict=True)
    ]
    assert wire.read(sse(*events)).parts == [{"text": "aab"}]


def test_what_pythons_client_dumps_is_read_as_what_arrived():
    """`response.model_dump(mode="json")` and `model_dump_json(by_alias=True)` of google-genai."""
    args = {"city_name": "Rome", "day": None}
    call = {"functionCall": {"name": "f", "args": args}, "thoughtSignature": "c2ln"}
    counts = {"promptTokenCount": 9, "candidatesTokenCount": 4}
    arrived = gemini_event(THOUGHT, call, finish="STOP", usageMetadata=counts, modelVersion="m")
    with_nulls = {"executableCode": None, "functionCall": {"id": None, **call["functionCall"]}}
    aliased = gemini_event(
        {**THOUGHT, "functionCall": None}, {**call, **with_nulls}, finish="STOP",
        usageMetadata={**counts, "cachedContentTokenCount": None}, modelVersion="m",
    )  # fmt: skip
    dumped = {
        "candidates": [{
            "content": {"role": "model", "parts": [
                {**THOUGHT, "thought_signature": None},
                {"function_call": {"id": None, "args": args, "name": "f"}, "thought_signature": "c2ln"},
            ]},
            "finish_reason": "STOP", "citation_metadata": None,
        }],
        "usage_metadata": {"prompt_token_count": 9, "candidates_token_count": 4, "total_token_count": None},
        "response_id": "r1", "model_version": "m", "automatic_function_calling_history": [],
    }  # fmt: skip
    assert read(arrived).parts == [THOUGHT, call]
    assert read(aliased) == read(dumped) == read(arrived)


@pytest.mark.parametrize(("content", "parts"), PARTS.values(), ids=PARTS)
def test_parts(content, parts):
    whole = read(gemini_event(*content, finish="STOP"))
    assert whole.parts == parts
    events = [gemini_event(part, createTime=str(n)) for n, part in enumerate(content)]
    streamed = wire.read(sse(*events, gemini_event(finish="STOP")))
    assert streamed == whole


def body(finish=None, **more):
    candidate = {"content": {"role": "model"}, **({"finishReason": finish} if finish else {})}
    return {"candidates": [{**candidate, **more}], "modelVersion": "gemini-x"}


RATINGS = [{"category": "HARM_A", "blocked": True}, {"category": "HARM_B", "probability": "LOW"}]
EMPTY = {
    "after a tool": (body("STOP"), "Reply STOP"),
    "content without anything": (body("STOP", content={}), "Reply STOP"),
    "safety": (body("SAFETY", safetyRatings=RATINGS), "Failure 4: SAFETY: HARM_A (an answer without content)"),
    "too long": (body("MAX_TOKENS"), "Failure 4: MAX_TOKENS (an answer without content)"),
    "recitation": (body("RECITATION"), "Failure 4: RECITATION (an answer without content)"),
    "a call that went wrong": (
        body("MALFORMED_FUNCTION_CALL", finishMessage="Malformed: f("),
        "Failure 75: MALFORMED_FUNCTION_CALL: Malformed: f( (an answer without content)",
    ),
    "a blocked prompt": (
        {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 1}},
        "Failure 4: the prompt was blocked: PROHIBITED_CONTENT (an answer without content)",
    ),
    "a blocked prompt that says why": (
        {"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": "because"}},
        "Failure 4: the prompt was blocked: OTHER: because (an answer without content)",
    ),
    "nothing at all": ({"usageMetadata": {"promptTokenCount": 1}}, "Failure 75: an answer without content"),
    "no candidates": ({"candidates": []}, "Failure 75: an answer without content"),
}  # fmt: skip


@pytest.mark.parametrize(("response", "expected"), EMPTY.values(), ids=EMPTY)
def test_response_without_content(response, expected):
    assert ending(wire.read(orjson.dumps(response))) == expected


def test_only_the_first_candidate_is_read():
    second = {"index": 1, "content": {"parts": [{"text": "b"}]}, "finishReason": "STOP"}
    first = {"index": 0, "content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}
    outcome = read({"candidates": [second, first]})
    assert outcome.parts == [{"text": "a"}]


def test_content_after_the_finish_reason_counts():
    late = {"usageMetadata": {"promptTokenCount": 5}, "responseId": "r1"}
    outcome = reply(sse(gemini_event({"text": "a"}, finish="STOP"), late))
    assert outcome.usage is not None


def test_repeated_first_event_starts_a_retry():
    hel, lo = gemini_event({"text": "Hel"}, id=None), gemini_event({"text": "lo"}, id=None, finish="STOP")
    outcome = reply(sse(hel, hel, lo))
    assert outcome.parts == [{"text": "Hello"}]


def test_equal_later_events_are_not_a_retry():
    events = [gemini_event({"text": text}, id=None) for text in ("a", "b", "b", "a")]
    outcome = reply(sse(*events, gemini_event(id=None, finish="STOP")))
    assert outcome.parts == [{"text": "abba"}]

"""Answers of the chat format in our terms."""

import orjson
import pytest

from answers import arrived, chunk, ending, reply, sse, tool
from codeh_history.providers import wire
from codeh_history.providers.openai_chat.response import read
from codeh_history.providers.protocol import Reply


def completion(message, finish="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "model": "gpt-x", "choices": [choice], **more}


def call(id, name, arguments, **more):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def native(**value):
    return {"native": {"provider": "openai-chat", "value": value}}


NOTED = [{"type": "url_citation", "url_citation": {"url": "https://x", "start_index": 0, "end_index": 1}}]
AUDIO = {"id": "audio_1", "data": "UklGRg==", "transcript": "hi", "expires_at": 1}
CUSTOM = {"id": "call_1", "type": "custom", "custom": {"name": "sh", "input": "ls"}}
DETAILS = [{"type": "reasoning.encrypted", "data": "x", "index": 0}]
SIGNATURE = {"google": {"thought_signature": "c2ln"}}

MESSAGES = {
    "text": ({"content": "a", "refusal": None, "annotations": []}, [{"text": "a"}]),
    "parsed by the client": ({"content": '{"a":1}', "parsed": {"a": 1}}, [{"text": '{"a":1}'}]),
    "a refusal": ({"content": None, "refusal": "no"}, [{"text": "no", "refusal": True}]),
    "reasoning": (
        {"content": "a", "reasoning_content": "hm"},
        [{"text": "hm", "thought": True, "item": {"field": "reasoning_content"}}, {"text": "a"}],
    ),
    "reasoning, the other spelling": (
        {"content": "a", "reasoning": "hm"},
        [{"text": "hm", "thought": True, "item": {"field": "reasoning"}}, {"text": "a"}],
    ),
    "reasoning in both spellings": (
        {"content": "a", "reasoning": "hm", "reasoning_content": "hm"},
        [{"text": "hm", "thought": True, "item": {"field": "reasoning_content"}}, {"text": "a"}],
    ),
    "reasoning details": (
        {"content": "a", "reasoning": "hm", "reasoning_details": DETAILS},
        [{"text": "hm", "thought": True, "item": {"field": "reasoning"}}, {"text": "a"}, native(reasoning_details=DETAILS)],
    ),
    "calls": (
        {"content": None, "tool_calls": [call("c1", "f", '{"a": 1}'), call("c2", "g", "")]},
        [{"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}, {"functionCall": {"id": "c2", "name": "g", "args": {}}}],
    ),
    "text and a call": (
        {"content": "a", "tool_calls": [call("c1", "f", "{}")]},
        [{"text": "a"}, {"functionCall": {"id": "c1", "name": "f", "args": {}}}],
    ),
    "a call with more": (
        {"tool_calls": [call("c1", "f", "{}", extra_content=SIGNATURE)]},
        [{"functionCall": {"id": "c1", "name": "f", "args": {}}, "item": {"extra_content": SIGNATURE}}],
    ),
    "arguments with NaN": (
        {"tool_calls": [call("c1", "f", '{"a": NaN}')]},
        [{"functionCall": {"id": "c1", "name": "f", "args": {}}, "arguments": '{"a": NaN}'}],
    ),
    "arguments too deep": (
        {"tool_calls": [call("c1", "f", '{"a":' * 190 + "1" + "}" * 190)]},
        [{"functionCall": {"id": "c1", "name": "f", "args": {}}, "arguments": '{"a":' * 190 + "1" + "}" * 190}],
    ),
    "a custom tool's call": (
        {"tool_calls": [CUSTOM]},
        [{"functionCall": {"id": "call_1", "name": "sh", "args": {"input": "ls"}}, "item": {"type": "custom"}}],
    ),
    "the old single call": (
        {"content": None, "function_call": {"name": "f", "arguments": "{}"}},
        [{"functionCall": {"name": "f", "args": {}}}],
    ),
    "annotations": ({"content": "a", "annotations": NOTED}, [{"text": "a"}, native(annotations=NOTED)]),
    "audio": ({"content": None, "audio": AUDIO}, [native(audio=AUDIO)]),
    "content in items": (
        {"content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": []}]},
        [{"text": "a"}, native(type="thinking", thinking=[])],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("message", "parts"), MESSAGES.values(), ids=MESSAGES)
def test_message(message, parts):
    whole = read(completion(message))
    assert whole.parts == parts
    assert wire.read(orjson.dumps(completion(message))) == whole


@pytest.mark.parametrize(("message", "parts"), MESSAGES.values(), ids=MESSAGES)
def test_streamed_message(message, parts):
    """Texts and arguments come in pieces, the rest whole."""
    deltas = [{"role": "assistant", "content": ""}]
    for key, value in message.items():
        if isinstance(value, str):
            deltas += [{key: char} for char in value]
        elif key == "tool_calls":
            for index, call in enumerate(value):
                function = call.get("function")
                start = {
                    "index": index,
                    **call,
                    **({"function": {**function, "arguments": ""}} if function else {}),
                }
                deltas.append({"tool_calls": [start]})
                deltas += [tool(index, char) for char in (function or {}).get("arguments", "")]
        else:
            deltas.append({key: value})
    events = [*(chunk(delta, id="c1") for delta in deltas), chunk({}, "stop", id="c1")]
    outcome, arriving, _ = arrived([sse(*events, done=True)])
    assert isinstance(outcome, Reply)
    expected = [{**part} for part in parts]
    for part in expected:
        if "tool_calls" in part.get("native", {}).get("value", {}):
            part["native"] = native(tool_calls=[{"index": 0, **CUSTOM}])["native"]
    assert outcome.parts == expected
    assert outcome.finish == "stop"
    streamed_calls = [part for part in arriving if "functionCall" in part]
    assert streamed_calls == [
        part for part in outcome.parts if "functionCall" in part and "function_call" not in message
    ]


def streamed_calls(*pieces):
    events = [
        chunk({"role": "assistant"}),
        *(chunk({"tool_calls": [piece]}) for piece in pieces),
        chunk({}, "tool_calls"),
    ]
    outcome = reply(sse(*events, done=True))
    return [(part["functionCall"].get("id"), part["functionCall"]["args"]) for part in outcome.parts]


F = {"name": "f", "arguments": '{"a":1}'}
HOSTS = {
    "interleaved": (
        [{"index": 1, "id": "c2", "function": {"name": "f"}}, {"index": 0, "id": "c1", "function": {"name": "f"}},
         {"index": 1, "function": {"arguments": '{"a"'}}, {"index": 0, "function": {"arguments": '{"b"'}},
         {"index": 1, "function": {"arguments": ":2}"}}, {"index": 0, "function": {"arguments": ":1}"}}],
        [("c1", {"b": 1}), ("c2", {"a": 2})],
    ),
    "no index": ([{"id": "c1", "function": F}, {"id": "c2", "function": F}], [("c1", {"a": 1}), ("c2", {"a": 1})]),
    "always index 0": (
        [{"index": 0, "id": "c1", "function": F}, {"index": 0, "id": "c2", "function": F}],
        [("c1", {"a": 1}), ("c2", {"a": 1})],
    ),
    "the id in every piece": (
        [{"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{"}},
         {"index": 0, "id": "c1", "type": "function", "function": {"arguments": "}"}}],
        [("c1", {})],
    ),
    "no id": ([{"index": 0, "function": F}], [(None, {"a": 1})]),
}  # fmt: skip


@pytest.mark.parametrize(("pieces", "calls"), HOSTS.values(), ids=HOSTS)
def test_calls_streamed_by_hosts(pieces, calls):
    assert streamed_calls(*pieces) == calls


def test_streamed_audio_grows():
    pieces = [{"audio": {"id": "audio_1"}}, {"audio": {"data": "Uk"}}, {"audio": {"data": "lG", "transcript": "h"}},
              {"audio": {"transcript": "i", "expires_at": 1}}]  # fmt: skip
    outcome = reply(sse(*(chunk(piece) for piece in pieces), chunk({}, "stop"), done=True))
    assert outcome.parts == [
        native(audio={"id": "audio_1", "data": "UklG", "transcript": "hi", "expires_at": 1})
    ]


def test_an_answer_with_its_reason_to_finish_needs_no_done():
    """Perplexity sends none."""
    events = [chunk({"role": "assistant", "content": "a"}), chunk({"content": "b"}, "stop")]
    outcome = wire.read(sse(*events))
    assert (outcome.parts, outcome.finish) == ([{"text": "ab"}], "stop")
    assert isinstance(wire.read(sse(events[0])), wire.Cut)


def test_thoughts_in_the_content_are_joined_and_come_first():
    """Mistral streams thoughts as items of the content, the answer as text or as items, too."""
    thoughts = [
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]} for text in "hm"
    ]
    items = [{"content": [{"type": "text", "text": "a"}]}, {"content": [{"type": "text", "text": "b"}]}]
    for answer in (items, [{"content": "a"}, {"content": "b"}]):
        deltas = [{"role": "assistant", "content": ""}, *thoughts, *answer]
        outcome = wire.read(sse(*map(chunk, deltas), chunk({"content": ""}, "stop"), done=True))
        assert outcome.parts == [{"text": "hm", "thought": True}, {"text": "ab"}]


@pytest.mark.parametrize(
    "texts", [["**", "a", "**", "\n", "**", "b", "**"], ["ha", "ha", "!"], ["", "- ", "a", "", "b"]]
)
def test_the_first_piece_of_a_text_may_come_again(texts):
    """Ollama sends the role with every chunk, and all chunks of a second have one time."""
    events = [chunk({"role": "assistant", "content": text}) for text in texts]
    outcome = wire.read(sse(*events, chunk({"role": "assistant", "content": ""}, "stop"), done=True))
    assert outcome.parts == [{"text": "".join(texts)}]


def test_repeated_ids_and_roles_start_nothing():
    """Some give every chunk an id of its own, some the role again."""
    own_ids = [
        chunk({"role": "assistant", "content": "a"}, id="1"),
        chunk({"content": "b"}, "stop", id="2"),
    ]
    roles = [chunk({"role": "assistant", "content": text}) for text in ("a", "b")]
    azure = {"id": "", "object": "", "model": "", "choices": [], "prompt_filter_results": []}
    for events, id in ((own_ids, "1"), (roles, "r1"), ([azure, *roles], "r1")):
        outcome = reply(sse(*events, done=True))
        assert outcome.parts == [{"text": "ab"}]
        assert (outcome.model, outcome.id) == ("gpt-x", id)


FINISHES = {
    "nothing said": (completion({"content": ""}), "Reply stop"),
    "null": (completion({"content": None}), "Reply stop"),
    "too long": (completion({"content": ""}, "length"), "Failure 4: length (an answer without content)"),
    "filtered": (
        completion({"content": None}, "content_filter"),
        "Failure 4: content_filter (an answer without content)",
    ),
    "broken off": (completion({"content": "a"}, "error"), "Failure 75: error (the provider broke off)"),
    "no choices": (completion({}) | {"choices": []}, "Failure 75: an answer without content"),
}


@pytest.mark.parametrize(("body", "expected"), FINISHES.values(), ids=FINISHES)
def test_response_without_content(body, expected):
    assert ending(wire.read(orjson.dumps(body))) == expected


def test_error_in_a_stream_is_not_a_reply():
    error = {
        "error": {"message": "Provider returned error", "code": 502},
        "choices": [{"delta": {}, "finish_reason": "error"}],
    }
    outcome = wire.read(sse(chunk({"role": "assistant", "content": "a"}), error, done=True))
    assert (outcome.text, outcome.retry) == ("502: Provider returned error", True)


def test_data_before_event():
    events = b"".join(
        b"data: " + orjson.dumps(event) + b"\nevent: message\n\n"
        for event in (chunk({"role": "assistant", "content": "a"}), chunk({}, "stop"))
    )
    outcome = reply(events + b"data: [DONE]\n\n")
    assert outcome.parts == [{"text": "a"}]

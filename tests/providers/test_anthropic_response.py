"""Anthropic's answers in our terms."""

import orjson
import pytest

from answers import arrived, ending, sse
from codeh_history.providers import wire
from codeh_history.providers.anthropic.response import read
from codeh_history.providers.protocol import Reply

CITED = [{"type": "char_location", "cited_text": "x", "document_index": 0}]
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
SEARCH_RESULT = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}

BLOCKS = {
    "text": ({"type": "text", "text": "a"}, {"text": "a"}),
    "text without citations": ({"type": "text", "text": "a", "citations": None}, {"text": "a"}),
    "cited text": ({"type": "text", "text": "a", "citations": CITED}, {"text": "a", "citations": CITED}),
    "thinking": (
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"text": "hm", "thought": True, "thoughtSignature": "sig"},
    ),
    "thinking not shown": (
        {"type": "thinking", "thinking": "", "signature": "sig"},
        {"text": "", "thought": True, "thoughtSignature": "sig"},
    ),
    "thinking unsigned": ({"type": "thinking", "thinking": "hm", "signature": ""}, {"text": "hm", "thought": True}),
    "a call": (
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"a": 1}},
        {"functionCall": {"id": "toolu_1", "name": "f", "args": {"a": 1}}},
    ),
    "a call with its caller": (
        {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}, "caller": {"type": "direct"}},
        {"functionCall": {"id": "toolu_1", "name": "f", "args": {}}, "item": {"caller": {"type": "direct"}}},
    ),
    "redacted": (
        {"type": "redacted_thinking", "data": "xx"},
        {"native": {"provider": "anthropic", "value": {"type": "redacted_thinking", "data": "xx"}}},
    ),
    "a server tool": (SEARCH, {"native": {"provider": "anthropic", "value": SEARCH}}),
    "its result": (SEARCH_RESULT, {"native": {"provider": "anthropic", "value": SEARCH_RESULT}}),
    "a kind unknown here": (
        {"type": "hologram", "x": [1]},
        {"native": {"provider": "anthropic", "value": {"type": "hologram", "x": [1]}}},
    ),
    "no object": (7, {"native": {"provider": "anthropic", "value": 7}}),
    "a call without a name": (
        {"type": "tool_use", "id": "t"}, {"native": {"provider": "anthropic", "value": {"type": "tool_use", "id": "t"}}},
    ),
}  # fmt: skip


def message(*content, finish="end_turn", **more):
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": list(content),
        "stop_reason": finish, "usage": {"input_tokens": 1, "output_tokens": 2}, **more,
    }  # fmt: skip


def streamed(*content, finish="end_turn", usage=None):
    """The events that the API sends for a message: texts, thinking and input in pieces, the rest whole."""
    events = [{"type": "message_start", "message": message(finish=None)}]
    for index, block in enumerate(content):
        start, deltas = dict(block), []
        if block["type"] == "text":
            start |= {"text": "", "citations": None}
            deltas += [{"type": "text_delta", "text": char} for char in block["text"]]
            deltas += [
                {"type": "citations_delta", "citation": cited} for cited in block.get("citations") or ()
            ]
        elif block["type"] == "thinking":
            start |= {"thinking": "", "signature": ""}
            deltas += [{"type": "thinking_delta", "thinking": char} for char in block["thinking"]]
            deltas += (
                [{"type": "signature_delta", "signature": block["signature"]}] if block["signature"] else []
            )
        elif "input" in block:
            start |= {"input": {}}
            text = orjson.dumps(block["input"]).decode()
            deltas += [{"type": "input_json_delta", "partial_json": piece} for piece in ("", *text)]
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events.append(
        {"type": "message_delta", "delta": {"stop_reason": finish}, "usage": usage or {"output_tokens": 2}}
    )
    return [*events, {"type": "message_stop"}]


@pytest.mark.parametrize(("block", "part"), BLOCKS.values(), ids=BLOCKS)
def test_block(block, part):
    whole = read(message(block))
    assert whole.parts == [part]
    if isinstance(block, dict):
        assert wire.read(sse(*streamed(block), named=True)) == whole


def test_blocks_keep_their_order():
    blocks = [block for block, _ in BLOCKS.values() if isinstance(block, dict)]
    outcome, parts, _ = arrived([sse(*streamed(*blocks), named=True)])
    assert outcome == read(message(*blocks))
    assert isinstance(outcome, Reply)
    assert outcome.parts == [part for block, part in BLOCKS.values() if isinstance(block, dict)]
    whole = [part for part in outcome.parts if "text" not in part]
    assert [part for part in parts if "text" not in part] == whole


def test_empty_text_is_ignored():
    outcome = read(message({"type": "text", "text": ""}))
    assert outcome.parts == []


ARGUMENTS = {
    "nothing": ("", {"functionCall": {"id": "t", "name": "f", "args": {}}}),
    "cut": ('{"a": "b', {"functionCall": {"id": "t", "name": "f", "args": {}}, "arguments": '{"a": "b'}),
}  # fmt: skip


@pytest.mark.parametrize(("text", "part"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_streamed_input(text, part):
    events = streamed({"type": "tool_use", "id": "t", "name": "f", "input": {}})
    events[2]["delta"]["partial_json"] = text
    outcome = wire.read(sse(*[event for event in events if event.get("delta", {}).get("partial_json") != "{"
                              and event.get("delta", {}).get("partial_json") != "}"]))  # fmt: skip
    assert isinstance(outcome, Reply)
    assert outcome.parts == [part]


FINISHES = {
    **{finish: f"Reply {finish}" for finish in ("end_turn", "stop_sequence", "pause_turn", "tool_use")},
    "max_tokens": "Failure 4: max_tokens (an answer without content)",
    "refusal": "Failure 4: refusal: may enable harm (an answer without content)",
    "model_context_window_exceeded": "Failure 4: model_context_window_exceeded (an answer without content)",
}


@pytest.mark.parametrize(("finish", "expected"), FINISHES.items())
def test_finish(finish, expected):
    why = {"explanation": "may enable harm"} if finish == "refusal" else {}
    assert ending(read(message(finish=finish, stop_details=why))) == expected
    assert read(message({"type": "text", "text": "a"}, finish=finish)).finish == finish


def test_stream_without_its_start_is_truncated():
    outcome = wire.read(sse(*streamed({"type": "text", "text": "ab"})[2:]))
    assert isinstance(outcome, wire.Cut)

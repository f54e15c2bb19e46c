"""The offline rules: each rule caught by a body that breaks it."""

import copy

import pytest

from codeh_history.providers.openai_chat import rules as chat
from codeh_history.providers.openai_responses import rules as responses
from sdk_models import mistakes

PNG = "data:image/png;base64,iVBORw0KGgo="
PDF = "data:application/pdf;base64,JVBERi0="
CHAT = {
    "model": "gpt-5.1",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image_url", "image_url": {"url": PNG}},
            {"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}},
            {"type": "file", "file": {"filename": "a.pdf", "file_data": PDF}},
        ]},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "c2", "content": "b"},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a"}]},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "thanks"},
    ],
    "tools": [{"type": "function", "function": {"name": "read"}}],
    "tool_choice": "auto",
    "stream": True,
    "stream_options": {"include_usage": True},
}  # fmt: skip
RESPONSES = {
    "model": "gpt-5.1",
    "input": [
        {"role": "user", "content": [
            {"type": "input_text", "text": "Look:"},
            {"type": "input_image", "image_url": PNG, "detail": "auto"},
            {"type": "input_file", "filename": "a.pdf", "file_data": PDF},
            {"type": "input_file", "file_url": "https://e.example/a.pdf"},
        ]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
        {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": [
            {"type": "output_text", "text": "so", "annotations": []}]},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "ls"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "a"}]},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "b"},
        {"role": "assistant", "content": "done"},
    ],
    "tools": [{"type": "function", "name": "read", "parameters": {}, "strict": False}],
    "store": False,
}  # fmt: skip
GONE = object()


def changed(body, path, value):
    """The body with another value (or GONE) at a path."""
    body = copy.deepcopy(body)
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    node = body
    for key in way:
        node = node[key]
    if value is GONE:
        del node[last]
    else:
        node[last] = value
    return body


# rule: (where the body is changed, to what, where the problem is found); FAULTS of test_contract breaks more
CHAT_BREAKS = {
    "no model": ("model", GONE, "model"),
    "no messages": ("messages", [], "messages"),
    "no message": ("messages.6", 7, "messages.6.role"),
    "unknown role": ("messages.6.role", "model", "messages.6.role"),
    "system holds text only": ("messages.0.content", [{"type": "image_url", "image_url": {"url": PNG}}], "messages.0.content.0.type"),
    "null content": ("messages.6.content", None, "messages.6.content"),
    "empty list": ("messages.6.content", [], "messages.6.content"),
    "unknown part": ("messages.1.content.0.type", "input_text", "messages.1.content.0.type"),
    "text that is none": ("messages.1.content.0.text", None, "messages.1.content.0.text"),
    "image type": ("messages.1.content.1.image_url.url", "data:image/svg+xml;base64,aGk=", "messages.1.content.1.image_url.url"),
    "image address": ("messages.1.content.1.image_url.url", "gs://b/a.png", "messages.1.content.1.image_url.url"),
    "empty image": ("messages.1.content.1.image_url.url", "data:image/png;base64,", "messages.1.content.1.image_url.url"),
    "image is no object": ("messages.1.content.1.image_url", PNG, "messages.1.content.1.image_url"),
    "sound format": ("messages.1.content.2.input_audio.format", "ogg", "messages.1.content.2.input_audio.format"),
    "no sound": ("messages.1.content.2.input_audio.data", "", "messages.1.content.2.input_audio.data"),
    "file type": ("messages.1.content.3.file.file_data", "data:text/plain;base64,aGk=", "messages.1.content.3"),
    "file address": ("messages.1.content.3.file.file_data", "https://e.example/a.pdf", "messages.1.content.3"),
    "someone between call and result": ("messages.3", {"role": "user", "content": "x"}, "messages.2.tool_calls"),
    "result of another call": ("messages.3.tool_call_id", "c9", "messages.3"),
    "no id on the result": ("messages.3.tool_call_id", GONE, "messages.3.tool_call_id"),
    "media in a result": ("messages.4.content.0.type", "image_url", "messages.4.content.0.type"),
    "null result": ("messages.3.content", None, "messages.3.content"),
    "assistant without content": ("messages.5.content", None, "messages.5.content"),
    "media by the model": ("messages.5.content", [{"type": "image_url", "image_url": {"url": PNG}}], "messages.5.content.0.type"),
    "no calls": ("messages.2.tool_calls", [], "messages.2.tool_calls"),
    "call type": ("messages.2.tool_calls.0.type", "tool", "messages.2.tool_calls.0.type"),
    "name": ("messages.2.tool_calls.0.function.name", "a.b", "messages.2.tool_calls.0.function.name"),
    "arguments as an object": ("messages.2.tool_calls.0.function.arguments", {}, "messages.2.tool_calls.0.function.arguments"),
    "no tools": ("tools", [], "tools"),
    "choice without tools": ("tools", GONE, "tool_choice"),
    "tool type": ("tools.0.type", "web_search", "tools.0.type"),
    "tool name": ("tools.0.function.name", "", "tools.0.function.name"),
    "tool twice": ("tools", [CHAT["tools"][0]] * 2, "tools.1.function.name"),
    "max_tokens": ("max_tokens", 5, "max_tokens"),
    "stream options": ("stream", False, "stream_options"),
}  # fmt: skip
RESPONSES_BREAKS = {
    "no model": ("model", "", "model"),
    "no input": ("input", [], "input"),
    "no item": ("input.7", "x", "input.7"),
    "no type": ("input.1.type", 7, "input.1.type"),
    "unknown role": ("input.7.role", "tool", "input.7.role"),
    "empty content": ("input.7.content", [], "input.7.content"),
    "null content": ("input.7.content", None, "input.7.content"),
    "input by the model": ("input.2.content.0.type", "input_text", "input.2.content.0.type"),
    "output by the user": ("input.0.content.0.type", "output_text", "input.0.content.0.type"),
    "text that is none": ("input.0.content.0.text", None, "input.0.content.0.text"),
    "image type": ("input.0.content.1.image_url", "data:image/tiff;base64,aGk=", "input.0.content.1"),
    "sound": ("input.0.content.2.file_data", "data:audio/mpeg;base64,aGk=", "input.0.content.2"),
    "file that is no data url": ("input.0.content.2.file_data", "JVBERi0=", "input.0.content.2"),
    "file without a name": ("input.0.content.2.filename", GONE, "input.0.content.2"),
    "file address": ("input.0.content.3.file_url", "gs://b/a.pdf", "input.0.content.3"),
    "unanswered custom call": ("input.6", GONE, "input.4"),
    "no call id": ("input.5.call_id", None, "input.3"),
    "name": ("input.3.name", "a.b", "input.3.name"),
    "arguments as an object": ("input.3.arguments", {}, "input.3.arguments"),
    "custom input": ("input.4.input", None, "input.4.input"),
    "output that is none": ("input.5.output", {}, "input.5.output"),
    "unknown output part": ("input.5.output.0.type", "text", "input.5.output.0.type"),
    "empty item id": ("input.2.id", "", "input.2.id"),
    "item twice": ("input.2.id", "rs_1", "input.2.id"),
    "reasoning before an item without id": ("input.2.id", GONE, "input.1"),
    "reasoning that nobody can read": ("input.1.encrypted_content", GONE, "input.1"),
    "reasoning without summary": ("input.1.summary", None, "input.1.summary"),
    "tools": ("tools", {}, "tools"),
    "tool type": ("tools.0.type", None, "tools.0.type"),
    "tool name": ("tools.0.name", "a b", "tools.0.name"),
    "tool twice": ("tools", [RESPONSES["tools"][0]] * 2, "tools.1.name"),
}  # fmt: skip
BREAKS = [(f"chat: {name}", chat, CHAT, *case) for name, case in CHAT_BREAKS.items()]
BREAKS += [(f"responses: {name}", responses, RESPONSES, *case) for name, case in RESPONSES_BREAKS.items()]


@pytest.mark.parametrize(
    ("rules", "body", "path", "value", "expected"),
    [case[1:] for case in BREAKS],
    ids=[case[0] for case in BREAKS],
)
def test_a_broken_body_is_caught(rules, body, path, value, expected):
    problems = rules.Rules(changed(body, path, value)).in_order()
    assert expected in [problem.path for problem in problems], problems


@pytest.mark.parametrize(
    ("rules", "format", "body"), [(chat, "openai-chat", CHAT), (responses, "openai-responses", RESPONSES)]
)
def test_valid_body_has_no_problems(rules, format, body):
    assert rules.Rules(body).in_order() == []
    assert mistakes(format, {key: value for key, value in body.items() if key != "stream_options"}) == []


FINE = {
    "assistant first": (chat, CHAT, "messages.0", {"role": "assistant", "content": ""}),
    "user twice": (chat, CHAT, "messages.5", {"role": "user", "content": "x"}),
    "system last": (chat, CHAT, "messages.6", {"role": "system", "content": "x"}),
    "max_tokens for an older model": (chat, {**CHAT, "model": "gpt-4o"}, "max_tokens", 5),
    "input as text": (responses, RESPONSES, "input", "hi"),
    "output of a call that the provider keeps": (responses, {**RESPONSES, "previous_response_id": "r"}, "input.3", RESPONSES["input"][7]),
    "reasoning kept at the provider": (responses, {**RESPONSES, "store": True}, "input.1.encrypted_content", GONE),
    "answers in another order": (responses, RESPONSES, "input", [*RESPONSES["input"][:5], *RESPONSES["input"][6:4:-1]]),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "body", "path", "value"), FINE.values(), ids=FINE)
def test_odd_but_accepted_body_has_no_problems(rules, body, path, value):
    assert rules.Rules(changed(body, path, value)).in_order() == []


def test_problems_come_in_body_order():
    body = {"messages": [{"role": "user"}, {"role": "x"}], "model": ""}
    assert [problem.path for problem in chat.Rules(body).in_order()] == [
        "messages.0.content",
        "messages.1.role",
        "model",
    ]

"""An Anthropic body read back: body → session → body is the same to the API."""

import pytest

from codeh_history import providers
from histories import PNG

ANTHROPIC = providers.Format("anthropic")
MODEL = "claude-opus-4-8"
MARK = {"cache_control": {"type": "ephemeral"}}


def text(value, **beside):
    return {"type": "text", "text": value, **beside}


def image(**source):
    return {"type": "image", "source": source}


IMAGE = image(type="base64", media_type="image/png", data=PNG)
BLOB = {"inlineData": {"mimeType": "image/png", "data": PNG}}
NOTES = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "hi"}}
FILE = {"inlineData": {"mimeType": "text/plain", "data": "aGk="}}

BLOCKS = {  # a block and its part
    "text": ("user", text("a", **MARK), {"text": "a"}),
    "an image": ("user", IMAGE, BLOB),
    "an image's address": (
        "user", image(type="url", url="https://x/a.webp"), {"fileData": {"mimeType": "image/webp", "fileUri": "https://x/a.webp"}}),
    "an image's address of no type": (
        "user", image(type="url", url="https://x/a"), {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://x/a"}}),
    "a document": (
        "user", {"type": "document", "title": "t", "context": "c", "source": {"type": "base64", "media_type": "application/pdf", "data": PNG}},
        {"inlineData": {"mimeType": "application/pdf", "data": PNG, "displayName": "t"}, "item": {"context": "c"}}),
    "a text document": ("user", NOTES, FILE),
    "thinking": ("assistant", {"type": "thinking", "thinking": "t", "signature": "s"}, {"text": "t", "thought": True, "thoughtSignature": "s"}),
    "a call": (
        "assistant", {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}, "caller": {"type": "direct"}},
        {"functionCall": {"id": "1", "name": "f", "args": {"a": 1}}, "item": {"caller": {"type": "direct"}}}),
    "citations": ("assistant", text("a", citations=[1]), {"text": "a", "citations": [1]}),
    **{kind: (role, block, {"native": {"provider": "anthropic", "value": block}}) for kind, role, block in (
        ("an uploaded image", "user", image(type="file", file_id="f")),
        ("an image of our own alphabet", "user", image(type="base64", media_type="image/png", data="-_-_")),
        ("a search result", "user", {"type": "search_result", "source": "s", "title": "t", "content": [text("x")]}),
        ("hidden thinking", "assistant", {"type": "redacted_thinking", "data": "x"}),
        ("a server's tool", "assistant", {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        ("a later block", "assistant", {"type": "later"}),
    )},
}  # fmt: skip


@pytest.mark.parametrize(("role", "block", "part"), BLOCKS.values(), ids=BLOCKS)
def test_blocks(role, block, part):
    messages = [{"role": role, "content": [block]}]
    (message,) = ANTHROPIC.imported({"messages": messages, "model": MODEL}).messages
    assert message["parts"] == [part]


RESULTS = {  # a result's fields; the part's
    "text": ({"content": "ok"}, {"response": {"output": "ok"}}),
    "no content": ({}, {"response": {"output": ""}}),
    "one text block": ({"content": [text("ok", **MARK)], "is_error": False}, {"response": {"output": "ok"}}),
    "an error": ({"content": "no", "is_error": True}, {"response": {"error": "no"}}),
    "text and media": ({"content": [text("ok"), IMAGE, NOTES]}, {"response": {"output": "ok"}, "parts": [BLOB, FILE]}),
}  # fmt: skip
KEPT = {  # content that text and media do not say again; what others are told
    "two texts": ([text("a"), text("b")], {"output": "a\nb"}),
    "media first": ([IMAGE, text("a")], {"output": "a"}),
    "tools": ([{"type": "tool_reference", "tool_name": "f"}], {"output": '[{"type":"tool_reference","tool_name":"f"}]'}),
}  # fmt: skip


def imported_result(**fields):
    use = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", **fields}
    read = ANTHROPIC.imported({"messages": [
        {"role": "user", "content": "a"}, {"role": "assistant", "content": [use]}, {"role": "user", "content": [result, text("b")]},
    ]})  # fmt: skip
    assert [m["kind"] for m in read.messages] == ["user", "codeh", "tool", "user"]
    return read.messages[2]["parts"][0]


@pytest.mark.parametrize(("fields", "expected"), RESULTS.values(), ids=RESULTS)
def test_results(fields, expected):
    assert imported_result(**fields) == {"functionResponse": {"id": "1", "name": "f", **expected}}


@pytest.mark.parametrize(("content", "response"), KEPT.values(), ids=KEPT)
def test_result_content_is_kept(content, response):
    part = imported_result(content=content)
    assert part["functionResponse"]["response"] == response
    assert part["item"] == {"type": "tool_result", "content": content}


def test_plain_system_prompt_is_not_a_setting():
    for system in ("s", [text("s")]):
        read = ANTHROPIC.imported({"messages": [], "system": system})
        assert (read.system, read.settings) == ("s", {})

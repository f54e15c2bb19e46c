"""What stands around Anthropic's messages: limit, system prompt, tools, thinking, settings, cache marks."""

import pytest

from histories import call, model, requested, result, tool, user

OPUS = "claude-opus-4-8"
CLAUDE = f"anthropic/{OPUS}"


def text(value, **beside):
    return {"type": "text", "text": value, **beside}


def thought():
    return {"text": "hm", "thought": True, "thoughtSignature": "c2ln"}


THINKING = {"type": "enabled", "budget_tokens": 1024}
LOOP = [user("a"), model(thought(), call("f", "1"), by=CLAUDE), tool(result("f", "1"))]
FOREIGN = [user("a"), model(call("f", "1"), by="gemini/gemini-3-pro"), tool(result("f", "1"))]
AROUND = [
    ([], {}, {"max_tokens": 8192}),
    ([], {"max_tokens": 9, "settings": {"max_tokens": 5}}, {"max_tokens": 9}),
    ([], {"settings": {"max_tokens": 5, "top_k": 3}}, {"max_tokens": 5, "top_k": 3}),
    ([], {"stream": True}, {"max_tokens": 8192, "stream": True}),
    ([], {"settings": {"stream": False}}, {"max_tokens": 8192, "stream": False}),
    ([], {"stream": True, "settings": {"stream": False}}, {"max_tokens": 8192, "stream": True}),
    ([], {"system": "s"}, {"max_tokens": 8192, "system": "s"}),
    ([], {"system": " "}, {"max_tokens": 8192}),
    ([], {"system": "s", "settings": {"system": [text("s", cache_control={"type": "ephemeral"})]}},
     {"max_tokens": 8192, "system": [text("s", cache_control={"type": "ephemeral"})]}),
    ([], {"system": "t", "settings": {"system": [text("s")]}}, {"max_tokens": 8192, "system": "t"}),
    ([], {"settings": {"thinking": THINKING}}, {"max_tokens": 8192 + 1024, "thinking": THINKING}),
    (LOOP, {"settings": {"thinking": THINKING}, "max_tokens": 9999}, {"max_tokens": 9999, "thinking": THINKING}),
    (FOREIGN, {"settings": {"thinking": THINKING}, "max_tokens": 9999}, {"max_tokens": 9999}),
    ([*FOREIGN, model("b", by="gemini"), user("c")], {"settings": {"thinking": THINKING}, "max_tokens": 9999},
     {"max_tokens": 9999, "thinking": THINKING}),
    (FOREIGN, {"settings": {"thinking": {"type": "adaptive"}}}, {"max_tokens": 8192, "thinking": {"type": "adaptive"}}),
    ([], {"settings": {"tool_choice": {"type": "auto"}}}, {"max_tokens": 8192}),
    ([], {"tools": [{"name": "f", "input_schema": {"type": "object"}, "strict": True}], "settings": {"tool_choice": {"type": "any"}}},
     {"max_tokens": 8192, "tools": [{"name": "f", "input_schema": {"type": "object"}, "strict": True}], "tool_choice": {"type": "any"}}),
    ([], {"tools": [
        {"type": "function", "function": {"name": "f.g", "description": "d", "parameters": {"type": "object"}, "strict": True}},
        {"functionDeclarations": [{"name": "g"}]}, {"googleSearch": {}},
    ]}, {"max_tokens": 8192, "tools": [
        {"name": "f_g_d2bb54faa8", "description": "d", "input_schema": {"type": "object"}},
        {"name": "g", "input_schema": {"type": "object"}},
    ]}),
]  # fmt: skip


@pytest.mark.parametrize(("messages", "options", "expected"), AROUND)
def test_around_the_messages(messages, options, expected):
    body = requested("anthropic", messages or [user("a")], model=OPUS, **options).body
    del body["messages"]
    assert body == {"model": OPUS, **expected}


# -- cache marks ----------------------------------------------------------------------------------------

MARK = {"type": "ephemeral"}


def marked(value, path=""):
    """Where the cache marks are."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    below = [place for key, item in items for place in marked(item, f"{path}.{key}".lstrip("."))]
    return below + ([path] if isinstance(value, dict) and "cache_control" in value else [])


def test_cache_marks():
    messages = [user("a"), model("b"), user("c"), user("d"), model(call("f", "1")), tool(result("f", "1"))]
    tools = [
        {"name": "f", "input_schema": {"type": "object"}},
        {"name": "g", "input_schema": {"type": "object"}, "defer_loading": True},
    ]
    given = {"model": OPUS, "cache": True}
    assert marked(requested("anthropic", messages, **given, tools=tools, system="s").body) == [
        "system.0", "tools.0", "messages.3.content.0", "messages.5.content.0",
    ]  # fmt: skip
    assert marked(requested("anthropic", messages, **given).body) == [
        "messages.0.content.0", "messages.3.content.0", "messages.5.content.0",
    ]  # fmt: skip
    old = [text("s", cache_control=MARK), text("t", cache_control=MARK)]
    body = requested(
        "anthropic",
        messages,
        **given,
        system="s\n\nt",
        settings={"system": old, "cache_control": MARK},
        tools=tools,
    ).body
    assert marked(body) == ["system.1", "tools.0", "messages.5.content.0", ""]
    assert marked(requested("anthropic", messages, model=OPUS, tools=tools, system="s").body) == []

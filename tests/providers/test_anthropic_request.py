"""Anthropic's request: what each message becomes, by tables."""

import pytest

from codeh_history import providers
from codeh_history.providers.turns import CONTINUATION, EMPTY_MESSAGE
from histories import (
    PNG,
    call,
    message,
    model,
    requested,
    result,
    tool,
    user,
)  # fmt: skip

ANTHROPIC = providers.Format("anthropic")
OPUS, OLD = "claude-opus-4-8", "claude-sonnet-4-5"
CLAUDE = "anthropic/claude-opus-4-8"
MODELS = (OPUS, OLD, "claude-3-5-sonnet-20241022")
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
IMAGE_BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
PDF = {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}}
WAV = {"inlineData": {"mimeType": "audio/wav", "data": PNG}}
SIGNED = {"thoughtSignature": "c2ln"}
THINKING = {"type": "enabled", "budget_tokens": 1024}
FILE = {"type": "container_upload", "file_id": "f"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
HIDDEN = {"type": "redacted_thinking", "data": "x"}


def native(value, provider="anthropic"):
    return {"native": {"provider": provider, "value": value}}


def text(value, **beside):
    return {"type": "text", "text": value, **beside}


def use(name="f", id="1", input=None, **beside):
    return {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input, **beside}


def answer(id="1", content="ok", **beside):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **beside}


def thinking(value="hm"):
    return {"type": "thinking", "thinking": value, "signature": "c2ln"}


def thought(value="hm", **beside):
    return {"text": value, "thought": True, **SIGNED, **beside}


def sent(*messages, **options):
    """Role and content of each message; a lone text stands for itself."""
    turns = requested("anthropic", list(messages), **{"model": OPUS, **options}).body["messages"]
    return [
        (m["role"], *(b["text"] if b.keys() == {"type", "text"} else b for b in m["content"]))
        for m in turns
    ]


def of(*blocks):
    """A user's question and a model's answer of these blocks, which a user's word follows."""
    return [("user", "a"), ("assistant", *blocks), ("user", "b")]


def talk(*parts, by=CLAUDE):
    return [user("a"), model(*parts, by=by), user("b")]


CASES = {
    "texts": ([user("a"), model("b"), user("c")], [("user", "a"), ("assistant", "b"), ("user", "c")]),
    "users stay apart": ([user("a"), user("b")], [("user", "a"), ("user", "b")]),
    "models are joined": ([user("a"), model("b"), model("c"), user("d")],
                          [("user", "a"), ("assistant", "b", "c"), ("user", "d")]),
    "a user first": ([model("a"), user("b")], [("user", CONTINUATION), ("assistant", "a"), ("user", "b")]),
    "blank texts go": ([user("a", " \n", ""), model("b", " ")], [("user", "a"), ("assistant", "b")]),
    "a blank message says so": ([user(" ")], [("user", EMPTY_MESSAGE)]),
    "an unknown part alone, too": ([user({"later": 1})], [("user", EMPTY_MESSAGE)]),
    "a blank model goes": (talk(" "), [("user", "a"), ("user", "b")]),
    "images and documents": ([user(IMAGE, PDF)], [("user", IMAGE_BLOCK, {"type": "document", "source": {
        "type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}})]),
    "a text file": (
        [user({"inlineData": {"mimeType": "text/csv", "data": "YSxi", "displayName": "t.csv"}})],
        [("user", {"type": "document", "title": "t.csv",
                   "source": {"type": "text", "media_type": "text/plain", "data": "a,b"}})]),
    "by address": (
        [user({"fileData": {"fileUri": "https://x/a.png"}}, {"fileData": {"fileUri": "https://x/d", "mimeType": "application/pdf"}})],
        [("user", {"type": "image", "source": {"type": "url", "url": "https://x/a.png"}},
          {"type": "document", "source": {"type": "url", "url": "https://x/d"}})]),
    "both alphabets of base64": (
        [user({"inlineData": {"mimeType": "image/jpg", "data": "-_-_"}})],
        [("user", {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "+/+/"}})]),
    "media it does not take": ([user(WAV)], [("user", "[audio/wav, 8 bytes: Anthropic does not take this type]")]),
    "an address only Google knows": (
        [user({"fileData": {"fileUri": "gs://b/a.png", "mimeType": "image/png"}})],
        [("user", "[image/png gs://b/a.png: its data is missing, damaged or elsewhere]")]),
    "a model's media": (talk(IMAGE), of("[image/png, 8 bytes: a model's message holds no media]")),
    "code that Gemini ran": (
        talk({"executableCode": {"code": "1", "language": "PYTHON"}}, {"codeExecutionResult": {"output": "2"}}, by="gemini"),
        of("```python\n1\n```", "```\n2\n```")),
    "thinking comes back": (talk(thought(), "b"), of(thinking(), "b")),
    "thinking that is hidden, too": (talk(thought(""), native(HIDDEN), "b"), of(thinking(""), HIDDEN, "b")),
    "thinking of the family": (talk(thought(), "b", by="anthropic/claude-sonnet-4-5"), of(thinking(), "b")),
    "unsigned thoughts go": (talk({"text": "hm", "thought": True}, "b"), of("b")),
    "thoughts signed with nothing go": (talk(thought(thoughtSignature=""), {"thought": True, **SIGNED}, "b"), of("b")),
    "thoughts of others go": (talk(thought(), "b", by="gemini/gemini-3-pro"), of("b")),
    "thoughts of another family go": (talk(thought(), "b", by="anthropic/claude-3-7-sonnet"), of("b")),
    "thinking cannot be last": (talk("b", thought(), native(HIDDEN)), of("b")),
    "nor with nothing after it": ([user("a"), model("b", thought(), by=CLAUDE), model(" "), user("b")], of("b")),
    "nor alone": (talk(thought()), [("user", "a"), ("user", "b")]),
    "native blocks come back": (talk(native(SEARCH), "b"), of(SEARCH, "b")),
    "native blocks of another family go": (talk(native(SEARCH), "b", by="anthropic/claude-3-7-sonnet"), of("b")),
    "native blocks of the other role go": (
        [user("a", native(SEARCH)), model(native(FILE), "b", by=CLAUDE), user("b", native({"type": "tool_result"}), native({"type": "x_tool_result"}))],
        of("b")),
    "blank native texts go": (talk(native(text(" ")), "b"), of("b")),
    "native parts of others go": (talk(native(SEARCH, "gemini"), "b", by="gemini"), of("b")),
    "native blocks of a user": (
        [user("a", native({"type": "container_upload", "file_id": "f"}))],
        [("user", "a", {"type": "container_upload", "file_id": "f"})]),
    "citations come back": (talk({"text": "b", "citations": [1]}), of(text("b", citations=[1]))),
    "citations of others go": (talk({"text": "b", "citations": [1]}, by="openai-chat"), of("b")),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_messages(messages, expected):
    assert sent(*messages) == expected


TOOLS = {  # the model's parts, results, then both sides' blocks
    "a call": ([call("f", "1", {"x": 1})], [result("f", "1")], [use("f", "1", {"x": 1}), answer()]),
    "no id": ([call()], [result()], [use(id="call_1"), answer("call_1")]),
    "in the calls' order": (
        [call("f", "1"), call("g", "2")], [result("g", "2"), result("f", "1")],
        [use("f", "1"), use("g", "2"), answer("1"), answer("2")]),
    "an id outside the alphabet": (
        [call("f", "a b")], [result("f", "a b")], [use(id="a_b_c8687a08aa"), answer("a_b_c8687a08aa")]),
    "one id twice": (
        [call("f", "1"), call("g", "1")], [result("f", "1"), result("g", "1")],
        [use("f", "1"), use("g", "1_2"), answer("1"), answer("1_2")]),
    "a name outside the alphabet": (
        [call("mcp.f", "1")], [result("mcp.f", "1")], [use("mcp_f_bdd008bfd8", "1"), answer()]),
    "no name": ([call("", "1")], [result("", "1")], [use("tool"), answer()]),
    "arguments that are no object": (
        [{"functionCall": {"id": "1", "name": "f", "args": [1]}}], [result("f", "1")], [use(input={"arguments": [1]}), answer()]),
    "arguments kept as they came": (
        [call("f", "1", arguments="{torn")], [result("f", "1")], [use(input={"arguments": "{torn"}), answer()]),
    "the caller": (
        [call("f", "1", item={"caller": {"type": "direct"}, "more": 1})], [result("f", "1")],
        [use(caller={"type": "direct"}), answer()]),
    "an object": ([call("f", "1")], [result("f", "1", {"a": [1]})], [use(), answer(content='{"a":[1]}')]),
    "text with more": (
        [call("f", "1")], [result("f", "1", {"output": "x", "a": 1})], [use(), answer(content='{"output":"x","a":1}')]),
    "no text": ([call("f", "1")], [result("f", "1", {"output": " "})], [use(), answer(content="")]),
    "an error": ([call("f", "1")], [result("f", "1", {"error": "no"})], [use(), answer(content="no", is_error=True)]),
    "an error that is an object": (
        [call("f", "1")], [result("f", "1", {"error": {"a": 1}})],
        [use(), answer(content='{"error":{"a":1}}', is_error=True)]),
    "an error without a word": (
        [call("f", "1")], [result("f", "1", {"error": ""})], [use(), answer(content="The tool call failed.", is_error=True)]),
    "no error": ([call("f", "1")], [result("f", "1", {"error": None})], [use(), answer(content='{"error":null}')]),
    "a text for a response": ([call("f", "1")], [result("f", "1", "ok")], [use(), answer()]),
    "media": (
        [call("f", "1")], [result("f", "1", parts=[IMAGE])], [use(), answer(content=[text("ok"), IMAGE_BLOCK])]),
    "media alone": (
        [call("f", "1")], [result("f", "1", {"output": ""}, parts=[IMAGE])], [use(), answer(content=[IMAGE_BLOCK])]),
    "media it does not take": (
        [call("f", "1")], [result("f", "1", parts=[WAV])],
        [use(), answer(content=[text("ok"), text("[audio/wav, 8 bytes: Anthropic does not take this type]")])]),
    "content as it was": (
        [call("f", "1")],
        [{**result("f", "1"), "item": {"type": "tool_result", "content": [{"type": "tool_reference", "tool_name": "g"}]}}],
        [use(), answer(content=[{"type": "tool_reference", "tool_name": "g"}])]),
    "content of another's": (
        [call("f", "1")], [{**result("f", "1"), "item": {"content": [{"type": "input_text"}]}}], [use(), answer()]),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "results", "expected"), TOOLS.values(), ids=TOOLS)
def test_tools(calls, results, expected):
    turns = sent(user("a"), model(*calls, by=CLAUDE), tool(*results), user("b"))
    assert [block for _, *blocks in turns[1:3] for block in blocks] == expected
    assert [role for role, *_ in turns] == ["user", "assistant", "user", "user"]


def test_a_foreign_call_has_no_caller():
    part = call("f", "1", item={"caller": {"type": "direct"}})
    assert sent(user("a"), model(part, by="openai-responses"), tool(result("f", "1")))[1] == (
        "assistant",
        use(),
    )


def test_results_come_before_texts():
    turns = sent(
        user("a"),
        model(call("f", "1"), call("g", "2")),
        tool("x", result("g", "2")),
        tool(result("f", "1"), "y"),
    )
    assert turns[2:] == [("user", answer("1"), answer("2")), ("user", "x"), ("user", "y")]


def system(*parts):
    return message("user", *parts, item={"role": "system"})


SYSTEMS = [
    (OPUS, [user("a"), system("s")], [("user", "a"), ("system", "s")]),
    (OPUS, [user("a"), system()], [("user", "a")]),
    (OPUS, [user("a"), system("s"), model("b")], [("user", "a"), ("system", "s"), ("assistant", "b")]),
    (
        OPUS,
        [user("a"), system("s"), user("b")],
        [("user", "a"), ("system", "s"), ("assistant", "(noted)"), ("user", "b")],
    ),
    (OPUS, [system("s"), user("a")], [("user", "s"), ("user", "a")]),
    (OPUS, [user("a"), model("b"), system("s")], [("user", "a"), ("assistant", "b"), ("user", "s")]),
    (OPUS, [user("a"), system("s", IMAGE)], [("user", "a"), ("user", "s", IMAGE_BLOCK)]),
    (
        OPUS,
        [user("a"), system(native({"type": "tool_addition"}))],
        [("user", "a"), ("system", {"type": "tool_addition"})],
    ),
    (OLD, [user("a"), system(native({"type": "tool_addition"}))], [("user", "a")]),
    (OLD, [user("a"), system("s")], [("user", "a"), ("user", "s")]),
    (OLD, [user("a"), model("b"), system()], [("user", "a"), ("assistant", "b"), ("user", EMPTY_MESSAGE)]),
    ("claude-sonnet-5", [user("a"), system("s")], [("user", "a"), ("user", "s")]),
    ("claude-fable-5", [user("a"), system("s")], [("user", "a"), ("system", "s")]),
]


@pytest.mark.parametrize(("target", "messages", "expected"), SYSTEMS)
def test_system_messages_between(target, messages, expected):
    assert sent(*messages, model=target) == expected


def test_prefill_has_no_trailing_whitespace():
    assert sent(user("a"), model("b \n"))[1:] == [("assistant", "b")]
    assert sent(user("a"), model("b ", native(SEARCH), by=CLAUDE))[1:] == [("assistant", "b ", SEARCH)]
    assert sent(model(" ")) == [("user", "(empty message)")]
    assert sent(user("a "), model(" ")) == [("user", "a ")]
    assert sent(user("a"), model(thought(), "b", by=CLAUDE))[1:] == [("assistant", "b")]
    on = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    assert sent(user("a"), model(thought(), "b", by=CLAUDE), settings=on)[1:] == [
        ("assistant", thinking(), "b")
    ]


def test_omitted_content_is_noted():
    messages = [
        user(WAV, {"later": 1}),
        model(native({"type": "reasoning"}, "openai-responses"), call("f", "1")),
        tool(result("f", "1", parts=[WAV])),
    ]
    request = requested(
        "anthropic", messages, model=OPUS, settings={"thinking": THINKING}, tools=[{"googleSearch": {}}]
    )
    assert request.notes == [
        "message m0: sent to anthropic as a description: audio/wav, 8 bytes: Anthropic does not take this type",
        "message m0: a part of an unknown kind (later) is left out",
        "message m2: sent to anthropic as a description: audio/wav, 8 bytes: Anthropic does not take this type",
        "tool googleSearch is a tool of gemini: not sent to anthropic",
        "the history has tool calls but no tools are declared, which Anthropic may refuse: --tools",
        "thinking is left out: the model's last turn was not made with it, or is to be continued",
    ]


def test_faithful_repairs_nothing():
    messages = [
        model(call("f", "1"), call("f", "1")), user("b", {"later": 1}), tool(result("f", "1"), result("g", "2")),
        user(" "), user(), model(),
    ]  # fmt: skip
    assert sent(*messages, faithful=True) == [
        ("assistant", use(), use()), ("user", "b"), ("user", answer("1"), answer("2")), ("user", " "), ("user",),
        ("assistant",),
    ]  # fmt: skip
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    request = requested("anthropic", messages, model=OPUS, faithful=True, tools=tools, trace=True)
    assert request.notes == []
    assert request.sources == [["m0", "m0"], ["m1"], ["m2", "m2"], ["m3"], ["m4"], ["m5"]]
    empty = [model(), model("a"), model(), model("b")]
    assert requested("anthropic", empty, model=OPUS, faithful=True, trace=True).sources == [["m1", "m3"]]


# -- what stands around the messages ----------------------------------------------------------------------

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
    options = {"model": OPUS, "cache": True}
    assert marked(requested("anthropic", messages, **options, tools=tools, system="s").body) == [
        "system.0", "tools.0", "messages.3.content.0", "messages.5.content.0",
    ]  # fmt: skip
    assert marked(requested("anthropic", messages, **options).body) == [
        "messages.0.content.0", "messages.3.content.0", "messages.5.content.0",
    ]  # fmt: skip
    old = [text("s", cache_control=MARK), text("t", cache_control=MARK)]
    body = requested(
        "anthropic",
        messages,
        **options,
        system="s\n\nt",
        settings={"system": old, "cache_control": MARK},
        tools=tools,
    ).body
    assert marked(body) == ["system.1", "tools.0", "messages.5.content.0", ""]
    assert marked(requested("anthropic", messages, model=OPUS, tools=tools, system="s").body) == []

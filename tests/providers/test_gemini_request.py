"""Gemini's request: what each message becomes, by tables."""

import pytest

from codeh_history import providers
from codeh_history.providers.gemini.fields import SKIP_SIGNATURE
from codeh_history.providers.request import Options
from codeh_history.providers.turns import CONTINUATION, EMPTY_MESSAGE
from histories import (
    PNG,
    call,
    model,
    requested,
    result,
    sendable,
    tool,
    user,
)

GEMINI = providers.Format("gemini")
SIGNED = {"thoughtSignature": "c2ln"}
SKIPPED = {"thoughtSignature": SKIP_SIGNATURE}
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
GIF = {"inlineData": {"mimeType": "image/gif", "data": PNG}}
CODE = {"executableCode": {"code": "print(1)", "language": "PYTHON"}}
VIDEO = {"fileData": {"fileUri": "https://youtu.be/x"}, "videoMetadata": {"fps": 1}}


def contents(*messages, **options):
    return requested("gemini", list(messages), **options).body["contents"]


def parts_of(*messages, **options):
    """The parts of each content, without roles."""
    return [content["parts"] for content in contents(*messages, **options)]


BARE = [
    user("hi"),
    model({"text": "a thought", "thought": True}, {"text": "", **SIGNED}, call("f", args={"x": 1}, **SIGNED), call("g")),
    tool(result("f"), result("g", response={"a": [1]}, parts=[IMAGE])),
    user("and this?", IMAGE, VIDEO),
    model(CODE, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, "done"),
    user("b"),
]  # fmt: skip


def test_gemini_parts_are_not_copied():
    view = sendable(BARE)
    body = GEMINI.request(view.messages, Options(), []).body
    sent = [part for content in body["contents"] for part in content["parts"]]
    assert all(a is b for a, b in zip(sent, (p for m in view.messages for p in m.parts), strict=True))


CASES = {
    "private keys go": ([user({"text": "a", "callIndex": 1})], [[{"text": "a"}]]),
    "an empty message says so": ([user()], [[{"text": EMPTY_MESSAGE}]]),
    "an empty text, too": ([user("")], [[{"text": EMPTY_MESSAGE}]]),
    "an empty text beside another goes": ([user("", "a")], [[{"text": "a"}]]),
    "an unknown part alone, too": ([user({"later": 1})], [[{"text": EMPTY_MESSAGE}]]),
    "of two kinds of data the first is sent": ([user({"text": "a", **IMAGE})], [[{"text": "a"}]]),
    "a user first": ([model("a"), user("b")], [[{"text": CONTINUATION}], [{"text": "a"}], [{"text": "b"}]]),
    "neighbours stay apart": ([user("a"), user("b")], [[{"text": "a"}], [{"text": "b"}]]),
    "results and text apart": (
        [user("a"), model(call()), tool(result(), {"text": "b"})],
        [[{"text": "a"}], [call()], [result()], [{"text": "b"}]],
    ),
    "a response says its call's id and name": (
        [user("a"), model(call("f", "1"), call("g")), tool(result("g", "2"), result("f"))],
        [[{"text": "a"}], [call("f", "1"), call("g")], [result("f", "1"), result("g")]],
    ),
    "arguments and responses are objects": (
        [user("a"), model({"functionCall": {"name": "f", "args": [1]}}), tool(result("f", response="text"))],
        [[{"text": "a"}], [call("f", args={"arguments": [1]})], [result("f", response={"output": "text"})]],
    ),
    "no arguments stay none": (
        [user("a"), model({"functionCall": {"name": "f", "args": None}}), tool(result("f"))],
        [[{"text": "a"}], [{"functionCall": {"name": "f"}}], [result("f")]],
    ),
    "an empty name is none": (
        [user("a"), model(call("")), tool(result(""))],
        [[{"text": "a"}], [call("tool")], [result("tool")]],
    ),
    "foreign thoughts go": (
        [user("a"), model({"text": "t", "thought": True, **SIGNED}, "b", by="anthropic/claude-opus-4-8")],
        [[{"text": "a"}], [{"text": "b"}]],
    ),
    "foreign signatures go": (
        [user("a"), model({"text": "b", **SIGNED}, {"text": "", **SIGNED}, by="openai-responses/gpt-5")],
        [[{"text": "a"}], [{"text": "b"}]],
    ),
    "a signature without data keeps its part": (
        [user("a"), model("b", {"thoughtSignature": "c2ln"})],
        [[{"text": "a"}], [{"text": "b"}, {"text": "", **SIGNED}]],
    ),
    "damaged signatures go": ([user("a"), model({"text": "b", "thoughtSignature": "?!"})], [[{"text": "a"}], [{"text": "b"}]]),
    "a turn of thoughts only goes": (
        [user("a"), model({"text": "t", "thought": True}, by="anthropic"), user("b")],
        [[{"text": "a"}], [{"text": "b"}]],
    ),
    "native parts come back": (
        [user("a"), model({"native": {"provider": "gemini", "value": CODE}}, by="gemini")],
        [[{"text": "a"}], [CODE]],
    ),
    "native parts of others go": (
        [user("a"), model("b", {"native": {"provider": "anthropic", "value": {"text": "x"}}}, by="anthropic")],
        [[{"text": "a"}], [{"text": "b"}]],
    ),
    "an alias of a type": (
        [user({"inlineData": {"mimeType": "image/jpg", "data": PNG, "displayName": "a.jpg"}})],
        [[{"inlineData": {"mimeType": "image/jpeg", "data": PNG}}]],
    ),
    "sounds keep their type": (
        [user({"inlineData": {"mimeType": "audio/mp3", "data": PNG}})],
        [[{"inlineData": {"mimeType": "audio/mp3", "data": PNG}}]],
    ),
    "text files of other types are texts": (
        [user({"inlineData": {"mimeType": "application/json", "data": "e30="}})], [[{"text": "{}"}]],
    ),
    "a data URL": (
        [user({"fileData": {"mimeType": "image/png", "fileUri": f"data:image/png;base64,{PNG}"}})], [[IMAGE]],
    ),
    "media it does not take": (
        [user(GIF)], [[{"text": "[image/gif, 8 bytes: Gemini does not take this type]"}]],
    ),
    "media it does not take, of two bytes": (
        [user({"inlineData": {"mimeType": "image/gif", "data": "R0k="}})],
        [[{"text": "[image/gif, 2 bytes: Gemini does not take this type]"}]],
    ),
    "an alias by address": (
        [user({"fileData": {"mimeType": "image/jpg", "fileUri": "gs://b/a.jpg", "displayName": "a"}})],
        [[{"fileData": {"mimeType": "image/jpeg", "fileUri": "gs://b/a.jpg"}}]],
    ),
    "a type that is none by address": (
        [user({"fileData": {"mimeType": "image", "fileUri": "gs://b/a"}})], [[{"fileData": {"fileUri": "gs://b/a"}}]],
    ),
    "media it does not take by address": (
        [user({"fileData": {"fileUri": "https://x/a.gif"}})], [[{"text": "[file https://x/a.gif: Gemini does not take this type]"}]],
    ),
    "another provider's address": (
        [user({"fileData": {"fileUri": "file-123"}})], [[{"text": "[file file-123: Gemini does not take this type]"}]],
    ),
    "an address on this machine": (
        [user({"fileData": {"fileUri": "file:///a.png"}})], [[{"text": "[file file:///a.png: Gemini does not take this type]"}]],
    ),
    "a user's signature": ([user({"text": "a", **SIGNED})], [[{"text": "a", **SIGNED}]]),
    "a signature stays with its own data": (
        [user("a"), model({"text": "b", **IMAGE, **SIGNED})], [[{"text": "a"}], [{"text": "b", **SIGNED}]],
    ),
    "media without data": (
        [user({"inlineData": {"mimeType": "image/png"}})],
        [[{"text": "[image/png, 0 bytes: its data is missing or damaged]"}]],
    ),
    "media in a response that it does not take": (
        [user("a"), model(call()), tool(result(parts=[IMAGE, GIF]))],
        [[{"text": "a"}], [call()], [result(parts=[IMAGE])],
         [{"text": "What f returned besides:"}, {"text": "[image/gif, 8 bytes: Gemini does not take this type]"}]],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_parts(messages, expected):
    assert parts_of(*messages) == expected


SIGNING = [  # maker, target, the calls as they stand, what the first is signed with
    ("", None, [call()], {}),
    ("", "gemini-2.5-flash", [call()], {}),
    ("", "gemini-3-pro", [call(), call()], SKIPPED),
    ("", "models/gemini-flash-latest", [call()], SKIPPED),
    ("", "gemini-3-pro", [call(**SIGNED), call()], SIGNED),
    ("gemini/gemini-2.5-pro", "gemini-2.5-flash", [call(**SIGNED)], SIGNED),
    ("gemini/gemini-2.5-pro", "gemini-3-pro", [call(**SIGNED)], SKIPPED),
    ("gemini/gemini-3-pro", None, [call()], SKIPPED),
    ("gemini/gemini-3-pro", "gemini-3.6-flash", [call(**SIGNED)], SIGNED),
    ("anthropic/claude-opus-4-8", None, [call(**SIGNED), call()], SKIPPED),
    ("anthropic/claude-opus-4-8", "gemini-2.5-flash", [call()], SKIPPED),
]


@pytest.mark.parametrize(("maker", "target", "calls", "signature"), SIGNING)
def test_the_first_call_is_signed(maker, target, calls, signature):
    messages = (user("a"), model("so", *calls, by=maker), tool(*[result() for _ in calls]))
    sent = parts_of(*messages, model=target)[1]
    bare = [{key: value for key, value in part.items() if key != "thoughtSignature"} for part in sent]
    assert bare == [{"text": "so"}, *[call() for _ in calls]]
    assert {key: value for key, value in sent[1].items() if key == "thoughtSignature"} == signature
    assert all("thoughtSignature" not in part for part in sent[2:])


def test_media_in_a_response_follows_it_for_gemini_2():
    messages = (user("a"), model(call()), tool(result(parts=[IMAGE])))
    assert parts_of(*messages, model="gemini-2.5-flash")[2:] == [
        [result()], [{"text": "What f returned besides:"}, IMAGE],
    ]  # fmt: skip
    assert parts_of(*messages, model="gemini-3-pro")[2:] == [[result(parts=[IMAGE])]]


AROUND = [
    ({}, {}),
    ({"system": "Be brief."}, {"systemInstruction": {"parts": [{"text": "Be brief."}]}}),
    ({"system": " "}, {}),
    ({"max_tokens": 9}, {"generationConfig": {"maxOutputTokens": 9}}),
    (
        {"max_tokens": 9, "settings": {"generationConfig": {"maxOutputTokens": 5, "topK": 1}, "labels": {"a": "b"}}},
        {"generationConfig": {"maxOutputTokens": 9, "topK": 1}, "labels": {"a": "b"}},
    ),
    ({"stream": True, "cache": True, "model": "gemini-3-pro"}, {}),
    (
        {"system": "a", "settings": {"systemInstruction": {"role": "user", "parts": [{"text": "a"}]}}},
        {"systemInstruction": {"role": "user", "parts": [{"text": "a"}]}},
    ),
    (
        {"system": "b", "settings": {"systemInstruction": {"parts": [{"text": "a"}]}}},
        {"systemInstruction": {"parts": [{"text": "b"}]}},
    ),
    ({"settings": {"systemInstruction": {"parts": [{"text": "a"}]}}}, {}),
    (
        {"tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}]},
        {"tools": [{"googleSearch": {}}, {"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}]},
    ),
    (
        {"tools": [
            {"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}}},
            {"name": "g h", "input_schema": {}}, {"type": "web_search_20250305", "name": "web_search"},
        ]},
        {"tools": [{"functionDeclarations": [
            {"name": "f", "description": "d", "parametersJsonSchema": {"type": "object"}},
            {"name": "g_h_0cf976b59f"},
        ]}]},
    ),
]  # fmt: skip


def test_names_are_valid_and_equal_in_call_and_result():
    for name in ("9lives", "日本", "a b", "n" * 200):
        _, ((called),), ((answered),) = parts_of(user("a"), model(call(name)), tool(result(name)))
        assert called["functionCall"]["name"] == answered["functionResponse"]["name"]
        assert len(called["functionCall"]["name"]) <= 128
    assert parts_of(user("a"), model(call("mcp.x:y-1")), tool(result("mcp.x:y-1")))[1] == [
        call("mcp.x:y-1")
    ]


@pytest.mark.parametrize(("options", "expected"), AROUND)
def test_around_the_contents(options, expected):
    body = requested("gemini", [user("a")], **options).body
    assert body == {"contents": [{"role": "user", "parts": [{"text": "a"}]}], **expected}


def test_omitted_content_is_noted():
    native = {"native": {"provider": "anthropic", "value": {"type": "server_tool_use"}}}
    messages = [
        user(GIF, GIF, {"later": 1}, {}, {"native": {"provider": "x", "value": 5}}),
        model("a", native, by="anthropic"),
    ]
    assert requested("gemini", messages, tools=[{"type": "web_search"}]).notes == [
        "message m0: sent to gemini as a description: image/gif, 8 bytes: Gemini does not take this type",
        "message m0: a part of an unknown kind (later) is left out",
        "message m0: a part that only x knows is not sent to gemini",
        "message m1: a part that only anthropic knows is not sent to gemini",
        "tool web_search is a tool of openai-responses: not sent to gemini",
    ]


def test_faithful_repairs_nothing():
    assert requested("gemini", [user({"later": 1}, GIF)], faithful=True).notes == []
    assert requested("gemini", [user(), model()], faithful=True, trace=True).sources == [["m0"], ["m1"]]
    messages = [model(call("f")), user("b"), tool(result("f"), result("g")), user()]
    assert parts_of(*messages, faithful=True) == [
        [call("f")], [{"text": "b"}], [result("f"), result("g")], [],
    ]  # fmt: skip


def test_faithful_result_has_the_sent_name_of_its_call():
    called, answered = parts_of(model(call("my tool")), tool(result("my tool")), faithful=True)
    assert answered[0]["functionResponse"]["name"] == called[0]["functionCall"]["name"] != "my tool"

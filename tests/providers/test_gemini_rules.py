"""Gemini's offline validator: every rule catches its broken body."""

from copy import deepcopy

import pytest

from codeh_history import providers
from histories import PNG, call, result

GEMINI = providers.Format("gemini")
SIGNED = {"thoughtSignature": "c2ln"}


def a(role, *parts):
    return {"role": role, "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def body(*contents, **around):
    return {"contents": list(contents), **around}


def media(**fields):
    return {"inlineData": {"mimeType": "image/png", "data": PNG} | fields}


CALLING = (a("user", "hi"), a("model", call("f", "1"), call("g")))
ANSWERED = (*CALLING, a("user", result("f", "1"), result("g")))

GOOD = {
    "a text": body(a("user", "hi")),
    "no role is a user": {"contents": [{"parts": [{"text": "hi"}]}]},
    "an empty text": body(a("user", "")),
    "types with parameters, and others": body(a("user", media(mimeType="audio/pcm;rate=24000"), media(mimeType="application/json"))),
    "neighbours": body(a("user", "a"), a("user", "b"), a("model", "c"), a("model", "d"), a("user", "e")),
    "a model first": body(a("model", "a"), a("user", "b")),
    "calls and responses": body(*ANSWERED),
    "text after the responses": body(*CALLING, a("user", result("f", "1"), result("g"), "so")),
    "responses one by one, in any order": body(*CALLING, a("user", result("g")), a("user", result("f", "1"))),
    "calls one by one": body(a("user", "a"), a("model", call("f")), a("model", call("g")), ANSWERED[2]),
    "the other spelling": {"contents": [
        a("user", "a"), a("model", {"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}),
        a("user", {"function_response": {"name": "f", "response": {}}}),
        a("user", {"inline_data": {"mime_type": "image/png", "data": PNG}, "video_metadata": {"fps": 1}}),
    ], "system_instruction": {"parts": [{"text": "s"}]}},
    "around": body(a("user", "a"), systemInstruction={"role": "user", "parts": [{"text": "s"}]}, generationConfig={},
                   tools=[{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}], toolConfig={}),
    "a prefill of an old model": body(a("user", "a"), a("model", "b"), model="gemini-3-pro"),
    "a signed loop": body(a("user", "a"), a("model", call(**SIGNED), call()), a("user", result(), result()),
                          a("model", call(**SIGNED)), a("user", result()), model="gemini-3-pro"),
    "an earlier unsigned loop": body(*ANSWERED, a("model", "b"), a("user", "c"), model="gemini-3-pro"),
    "unsigned calls of Gemini 2": body(*ANSWERED, model="gemini-2.5-pro"),
}  # fmt: skip

BROKEN = {
    "no contents": ({}, "contents", "at least one content"),
    "empty contents": (body(), "contents", "at least one content"),
    "not a list": ({"contents": "hi"}, "contents", "at least one content"),
    "no object": (body("hi"), "contents.0", "an object is expected"),
    "a role of another provider": (body(a("assistant", "a")), "contents.0.role", "is not one of user, model"),
    "no parts": (body({"role": "user", "parts": []}), "contents.0.parts", "must not be empty"),
    "parts missing": (body({"role": "user"}), "contents.0.parts", "must not be empty"),
    "an empty part": (body(a("user", {})), "contents.0.parts.0", "exactly one of"),
    "two kinds of data": (body(a("user", {"text": "a", **media()})), "contents.0.parts.0", "exactly one of"),
    "a private key": (body(a("user", {"text": "a", "callIndex": 1})), "contents.0.parts.0", "callIndex"),
    "a part that is none": (body(a("user", 5)), "contents.0.parts.0", "an object is expected"),
    "no text": (body(a("user", {"text": 5})), "contents.0.parts.0.text", "a text is expected"),
    "data that is no object": (body(a("user", {"inlineData": "x"})), "contents.0.parts.0.inlineData", "an object"),
    "a bad signature": (body(a("user", {"text": "a", "thoughtSignature": "?"})), "contents.0.parts.0.thoughtSignature", "base64"),
    "a type that is none": (body(a("user", media(mimeType="png"))), "contents.0.parts.0.inlineData.mimeType", "unsupported"),
    "image/jpg": (body(a("user", media(mimeType="image/jpg"))), "contents.0.parts.0.inlineData.mimeType", "unsupported"),
    "image/gif": (body(a("user", media(mimeType="image/gif"))), "contents.0.parts.0.inlineData.mimeType", "unsupported"),
    "no type": (body(a("user", media(mimeType=None))), "contents.0.parts.0.inlineData.mimeType", "unsupported"),
    "no data": (body(a("user", media(data=""))), "contents.0.parts.0.inlineData.data", "required"),
    "no address": (body(a("user", {"fileData": {}})), "contents.0.parts.0.fileData.fileUri", "required"),
    "a nameless call": (body(CALLING[0], a("model", call("")), a("user", result(""))), "contents.1.parts.0.functionCall.name", "empty"),
    "a nameless response": (body(CALLING[0], a("model", call("")), a("user", result(""))), "contents.2.parts.0.functionResponse.name", "empty"),
    "arguments that are no object": (
        body(CALLING[0], a("model", {"functionCall": {"name": "f", "args": "{}"}}), a("user", result())),
        "contents.1.parts.0.functionCall.args", "an object"),
    "an id that is no text": (
        body(CALLING[0], a("model", {"functionCall": {"name": "f", "id": 5}}), a("user", result())),
        "contents.1.parts.0.functionCall.id", "text"),
    "a response that is no object": (
        body(CALLING[0], a("model", call()), a("user", {"functionResponse": {"name": "f", "response": "ok"}})),
        "contents.2.parts.0.functionResponse.response", "an object"),
    "media in a response": (
        body(CALLING[0], a("model", call()), a("user", result(parts=[media(mimeType="image/gif")]))),
        "contents.2.parts.0.functionResponse.parts.0.inlineData.mimeType", "unsupported"),
    "a user's call": (body(a("user", call())), "contents.0.parts.0", "model's turn"),
    "a model's response": (body(CALLING[0], a("model", result())), "contents.1.parts.0", "user's turn"),
    "a call first": (body(a("model", call()), a("user", result())), "contents.0.parts.0", "immediately after a user"),
    "an orphan": (body(a("user", result())), "contents.0.parts.0", "immediately after a function call"),
    "a late result": (body(*CALLING, a("user", "x"), a("model", "y"), ANSWERED[2]), "contents.4.parts.0", "immediately after a function call"),
    "a result after a text": (body(*CALLING, a("user", "x"), ANSWERED[2]), "contents.3.parts.0", "immediately after its call"),
    "a lost result": (body(*CALLING, a("user", result("f", "1"))), "contents.2", "2 function calls answered by 1"),
    "lost results": (body(*CALLING, a("user", "x")), "contents.1", "2 function calls answered by 0"),
    "a doubled result": (body(*ANSWERED, a("user", result("g"))), "contents.2", "2 function calls answered by 3"),
    "open calls": (body(*CALLING), "contents.1", "2 function calls answered by 0"),
    "another's id": (body(*CALLING, a("user", result("f", "2"), result("g"))), "contents.2.parts.0", "no call 2"),
    "another's name": (body(*CALLING, a("user", result("f", "1"), result("h"))), "contents.2.parts.1", "no call h"),
    "the wrong name": (body(*CALLING, a("user", result("x", "1"), result("g"))), "contents.2.parts.0.functionResponse.name", "name is f"),
    "an unsigned loop": (body(*ANSWERED, model="models/gemini-3-pro"), "contents.1.parts.0", "thoughtSignature"),
    "an unsigned step": (
        body(a("user", "a"), a("model", call(**SIGNED)), a("user", result()), a("model", call()), a("user", result()),
             model="gemini-3-pro"), "contents.3.parts.0", "thoughtSignature"),
    "a prefill": (body(a("user", "a"), a("model", "b"), model="gemini-3.6-flash"), "contents.1", "ending with a model"),
    "a prefill of 3.5 lite": (body(a("user", "a"), a("model", "b"), model="gemini-3.5-flash-lite"), "contents.1", "ending with a model"),
    "an empty system": (body(a("user", "a"), systemInstruction={"parts": []}), "systemInstruction.parts", "must not be empty"),
    "a system that is none": (body(a("user", "a"), systemInstruction={"parts": "s"}), "systemInstruction.parts", "a list"),
    "a system image": (body(a("user", "a"), systemInstruction={"parts": [media()]}), "systemInstruction.parts.0.text", "a text"),
    "settings that are none": (body(a("user", "a"), generationConfig=5), "generationConfig", "an object"),
    "a tool's name": (body(a("user", "a"), tools=[{"functionDeclarations": [{"name": "a b"}]}]), "tools.0.functionDeclarations.0.name", "invalid"),
    "a tool twice": (
        body(a("user", "a"), tools=[{"function_declarations": [{"name": "f"}, {"name": "f"}]}]),
        "tools.0.functionDeclarations.1.name", "declared twice"),
    "two schemas": (
        body(a("user", "a"), tools=[{"functionDeclarations": [{"name": "f", "parameters": {}, "parametersJsonSchema": {}}]}]),
        "tools.0.functionDeclarations.0", "exclude"),
}  # fmt: skip


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_accepts_valid_bodies(good):
    before = deepcopy(good)
    assert GEMINI.problems(good) == []
    assert good == before


@pytest.mark.parametrize(("broken", "path", "reason"), BROKEN.values(), ids=BROKEN)
def test_reports_invalid_bodies(broken, path, reason):
    problems = GEMINI.problems(broken)
    assert [problem for problem in problems if problem.path == path and reason in problem.reason], problems

"""Anthropic's offline validator: every rule catches its broken body."""

from copy import deepcopy

import pytest

from codeh_history import providers
from histories import PNG

ANTHROPIC = providers.Format("anthropic")
OPUS, OLD = "claude-opus-4-8", "claude-sonnet-4-5"
MARK = {"cache_control": {"type": "ephemeral"}}
THINKING = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
ON = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
SERVER = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}


def text(value, **beside):
    return {"type": "text", "text": value, **beside}


def user(*content):
    return {"role": "user", "content": [text(b) if isinstance(b, str) else b for b in content]}


def assistant(*content):
    return {**user(*content), "role": "assistant"}


def system(*content):
    return {**user(*content), "role": "system"}


def use(id="1", name="f", input=None):
    return {"type": "tool_use", "id": id, "name": name, "input": {} if input is None else input}


def answer(id="1", content="ok", **beside):
    return {"type": "tool_result", "tool_use_id": id, "content": content, **beside}


def image(**source):
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG} | source}


def document(**source):
    return {"type": "document", "source": source}


def body(*messages, **around):
    return {"model": OLD, "max_tokens": 2048, "messages": list(messages), **around}


def tool(name="f", **beside):
    return {"name": name, "input_schema": {"type": "object"}, **beside}


PDF = document(type="base64", media_type="application/pdf", data="JVBERi0=")

GOOD = {
    "a text": body({"role": "user", "content": "hi"}),
    "the least limit": body(user("a"), max_tokens=1),
    "neighbours": body(user("a"), user("b"), assistant("c"), assistant("d"), user("e")),
    "an assistant first": body(assistant("a"), user("b")),
    "a pair": body(user("a"), assistant("b", use()), user(answer(), "c")),
    "parallel calls": body(user("a"), assistant(use("1"), use("2")), user(answer("2"), answer("1"))),
    "calls and results one by one": body(user("a"), assistant(use("1")), assistant(use("2")), user(answer("1")), user(answer("2"))),
    "an id used again later": body(user("a"), assistant(use()), user(answer()), assistant(use()), user(answer())),
    "results of all kinds": body(user("a"), assistant(use("1"), use("2"), use("3")), user(
        {"type": "tool_result", "tool_use_id": "1"}, answer("2", ""),
        answer("3", [text("x"), image(), {"type": "tool_reference", "tool_name": "f"}], is_error=True))),
    "media": body(user(image(), image(type="url", url="https://x"), image(type="file", file_id="f"), PDF,
                       document(type="url", url="https://x"), document(type="text", media_type="text/plain", data="x"),
                       document(type="content", content="x"))),
    "thinking": body(user("a"), assistant(THINKING, {"type": "redacted_thinking", "data": "x"}, use()), user(answer()), **ON),
    "thinking that shows nothing": body(user("a"), assistant({**THINKING, "thinking": ""}, "b"), user("c"), **ON),
    "thinking off in an earlier loop": body(user("a"), assistant(use()), user(answer()), assistant("b"), user("c"), **ON),
    "a later step of a loop": body(user("a"), assistant(THINKING, use()), user(answer()), assistant(use()), user(answer()), **ON),
    "a prefill of an old model": body(user("a"), assistant("b")),
    "an empty prefill": body(user("a"), {"role": "assistant", "content": []}),
    "a pause": body(user("a"), assistant(THINKING, SERVER), **ON, model=OPUS),
    "system messages": body(user("a"), system("b"), system("c"), assistant("d"), user("e"), system("f"), model=OPUS),
    "after a server's tool": body(user("a"), assistant("b", SERVER), system("c"), assistant("d"), user("e"), model=OPUS),
    "a model not known": body(user("a"), system("b"), model="my-deployment"),
    "around": body(user("a"), system=[text("s", **MARK)], tools=[tool(), tool("g", **MARK), {"type": "web_search_20250305", "name": "web_search"}],
                   cache_control=MARK["cache_control"]),
}  # fmt: skip

LATE = (user("a"), assistant(use()), user("b"), assistant("c"), user(answer()))
BROKEN = {
    "no model": ({"max_tokens": 5, "messages": [user("a")]}, "model", "required"),
    "an empty model": (body(user("a"), model=""), "model", "required"),
    "no limit": ({"model": OLD, "messages": [user("a")]}, "max_tokens", "required"),
    "no number": (body(user("a"), max_tokens=True), "max_tokens", "required"),
    "a budget above the limit": (body(user("a"), **ON, max_tokens=1024), "max_tokens", "budget_tokens"),
    "no messages": (body(), "messages", "at least one"),
    "messages that are none": (body(messages="hi"), "messages", "at least one"),
    "a role of another provider": (body({"role": "tool", "content": "x"}), "messages.0.role", "is not one of user, assistant"),
    "no object": (body("hi"), "messages.0.role", "is not one of user, assistant"),
    "no content": (body({"role": "user"}), "messages.0.content", "expected"),
    "empty content": (body(user()), "messages.0", "non-empty content"),
    "an empty text": (body({"role": "user", "content": ""}), "messages.0", "non-empty content"),
    "an empty assistant": (body(user("a"), assistant(), user("b")), "messages.1", "non-empty content"),
    "an empty block": (body(user("a", "")), "messages.0.content.1.text", "non-whitespace"),
    "a blank block": (body(user("a"), assistant(" \n"), user("b")), "messages.1.content.0.text", "non-whitespace"),
    "a block without a type": (body(user({})), "messages.0.content.0.type", "required"),
    "a user's call": (body(user(use())), "messages.0.content.0", "role user"),
    "an assistant's image": (body(user("a"), assistant(image()), user("b")), "messages.1.content.0", "role assistant"),
    "an assistant's result": (body(user("a"), assistant(answer()), user("b")), "messages.1.content.0", "role assistant"),
    "an id of no text": (body(user("a"), assistant(use("a.b")), user(answer("a.b"))), "messages.1.content.0.id", "pattern"),
    "an id of no text in a result": (body(user("a"), assistant(use("a.b")), user(answer("a.b"))), "messages.2.content.0.tool_use_id", "pattern"),
    "a call's name": (body(user("a"), assistant(use(name="a.b")), user(answer())), "messages.1.content.0.name", "pattern"),
    "a long name": (body(user("a"), assistant(use(name="n" * 129)), user(answer())), "messages.1.content.0.name", "pattern"),
    "arguments": (body(user("a"), assistant(use(input="{}")), user(answer())), "messages.1.content.0.input", "object"),
    "an id twice": (body(user("a"), assistant(use(), use()), user(answer(), answer())), "messages.1.content.1", "unique"),
    "a lost result": (body(user("a"), assistant(use("1"), use("2")), user(answer("1"))), "messages.1.content.1", "immediately after: 2"),
    "open calls": (body(user("a"), assistant(use())), "messages.1.content.0", "immediately after"),
    "a late result": (body(*LATE), "messages.1.content.0", "immediately after"),
    "a late result, too": (body(*LATE), "messages.4.content.0", "no such call just before"),
    "an orphan": (body(user("a"), assistant("b"), user(answer())), "messages.2.content.0", "no such call"),
    "an orphan first": (body(user(answer())), "messages.0.content.0", "no such call"),
    "a doubled result": (body(user("a"), assistant(use()), user(answer(), answer())), "messages.2.content.1", "single result"),
    "a text before a result": (body(user("a"), assistant(use()), user("b", answer())), "messages.2.content.1", "come first"),
    "a message before a result": (body(user("a"), assistant(use()), user("b"), user(answer())), "messages.3.content.0", "come first"),
    "an error without a word": (body(user("a"), assistant(use()), user(answer(content="", is_error=True))), "messages.2.content.0.content", "is_error"),
    "an empty list": (body(user("a"), assistant(use()), user(answer(content=[]))), "messages.2.content.0.content", "empty list"),
    "a result that is an object": (body(user("a"), assistant(use()), user(answer(content={"a": 1}))), "messages.2.content.0.content", "expected"),
    "a blank text in a result": (body(user("a"), assistant(use()), user(answer(content=[text(" ")]))), "messages.2.content.0.content.0.text", "non-whitespace"),
    "a call in a result": (body(user("a"), assistant(use()), user(answer(content=[use()]))), "messages.2.content.0.content.0.type", "is not one of text"),
    "an image in a result": (
        body(user("a"), assistant(use()), user(answer(content=[image(media_type="image/bmp")]))),
        "messages.2.content.0.content.0.source.media_type", "is not one of image/jpeg"),
    "image/jpg": (body(user(image(media_type="image/jpg"))), "messages.0.content.0.source.media_type", "is not one of image/jpeg"),
    "no data": (body(user(image(data=""))), "messages.0.content.0.source.data", "required"),
    "no address": (body(user(image(type="url"))), "messages.0.content.0.source.url", "required"),
    "no file": (body(user(image(type="file"))), "messages.0.content.0.source.file_id", "required"),
    "an image's text": (body(user(image(type="text", media_type="text/plain", data="x"))), "messages.0.content.0.source.type", "is not one of base64"),
    "no source": (body(user({"type": "image"})), "messages.0.content.0.source", "an object"),
    "a document that is none": (body(user(document(type="base64", media_type="text/html", data="x"))), "messages.0.content.0.source.media_type", "is not one of application/pdf"),
    "an empty document": (body(user(document(type="text", media_type="text/plain", data=" "))), "messages.0.content.0.source.data", "non-whitespace"),
    "unsigned thinking": (body(user("a"), assistant({"type": "thinking", "thinking": "x"}, "b"), user("c")), "messages.1.content.0.signature", "required"),
    "thinking without its field": (body(user("a"), assistant({"type": "thinking", "signature": "x"}, "b"), user("c")), "messages.1.content.0.thinking", "a text"),
    "hidden thinking without data": (body(user("a"), assistant({"type": "redacted_thinking"}, "b"), user("c")), "messages.1.content.0.data", "required"),
    "thinking last": (body(user("a"), assistant("b", THINKING), user("c")), "messages.1", "cannot be thinking"),
    "no thinking before a call": (body(user("a"), assistant(use()), user(answer()), **ON), "messages.2", "expected thinking first"),
    "no thinking before a prefill": (body(user("a"), assistant("b"), **ON), "messages.1", "expected thinking first"),
    "thinking in a prefill without": (body(user("a"), assistant(THINKING, "b")), "messages.1", "thinking disabled"),
    "whitespace at the end": (body(user("a"), assistant("b ")), "messages.1", "trailing whitespace"),
    "whitespace at the end of a text": (body(user("a"), {"role": "assistant", "content": "b\n"}), "messages.1", "trailing whitespace"),
    "a prefill of 4.6": (body(user("a"), assistant("b"), model="claude-sonnet-4-6"), "messages.1", "prefill"),
    "a prefill": (body(user("a"), assistant("b"), model=OPUS), "messages.1", "prefill"),
    "a system message of an old model": (body(user("a"), system("b")), "messages.1.role", "not supported"),
    "a system message of an older model": (body(user("a"), system("b"), model="claude-sonnet-4-0"), "messages.1.role", "not supported"),
    "a system message after nothing": (body(user("a"), assistant(), system("b"), model=OPUS), "messages.2", "follow a user"),
    "a system message first": (body(system("a"), user("b"), model=OPUS), "messages.0", "follow a user"),
    "a system message after an assistant": (body(user("a"), assistant("b"), system("c"), model=OPUS), "messages.2", "follow a user"),
    "a system message before a user": (body(user("a"), system("b"), user("c"), model=OPUS), "messages.1", "precede an assistant"),
    "an empty system": (body(user("a"), system=[text("")]), "system.0.text", "non-whitespace"),
    "a tool's name": (body(user("a"), tools=[tool("a.b")]), "tools.0.name", "pattern"),
    "a custom tool's name": (body(user("a"), tools=[tool("a.b", type="custom")]), "tools.0.name", "pattern"),
    "a tool's schema": (body(user("a"), tools=[tool(input_schema={})]), "tools.0.input_schema.type", "object"),
    "a tool twice": (body(user("a"), tools=[tool(), tool()]), "tools.1.name", "declared twice"),
    "five marks": (body(user(*(text(str(n), **MARK) for n in range(5)))), "messages.0.content.4", "at most 4"),
    "five marks with the tools'": (
        body(user(text("a", **MARK)), tools=[tool(**MARK), tool("g", **MARK)], system=[text("s", **MARK)], **MARK),
        "cache_control", "at most 4"),
    "a mark on thinking": (body(user("a"), assistant({**THINKING, **MARK}, "b"), user("c")), "messages.1.content.0", "cache_control"),
}  # fmt: skip


@pytest.mark.parametrize("good", GOOD.values(), ids=GOOD)
def test_accepts_valid_bodies(good):
    before = deepcopy(good)
    assert ANTHROPIC.problems(good) == []
    assert good == before


@pytest.mark.parametrize(("broken", "path", "reason"), BROKEN.values(), ids=BROKEN)
def test_reports_invalid_bodies(broken, path, reason):
    problems = ANTHROPIC.problems(broken)
    assert [problem for problem in problems if problem.path == path and reason in problem.reason], problems


def test_problems_come_in_the_order_of_the_body():
    problems = ANTHROPIC.problems(body(user(answer()), assistant(""), user("a", answer()), max_tokens=0))
    assert [p.path for p in problems] == [
        "max_tokens", "messages.0.content.0", "messages.1.content.0.text", "messages.2.content.1",
    ]  # fmt: skip

"""Sessions as Responses requests: items, what goes back to the model that made it, and what holds for all."""

import base64

import pytest

from codeh_history.providers.openai_responses import request as responses
from codeh_history.providers.openai_responses.replay import is_answer
from codeh_history.providers.request import Options
from codeh_history.providers.turns import EMPTY_MESSAGE
from codeh_history.session.model import Message
from histories import PNG, inline, linked, native, reasoning, requested
from histories import record as message

USER = message(0, "user", [{"text": "hi"}])
OWN = {"provider": "openai-responses", "model": "gpt-5.1"}
OTHER = {"provider": "anthropic", "model": "claude-opus-4-8"}


def request(records, **options):
    return requested("openai-responses", records, **{"model": "gpt-5.1", "session": "s", **options})


def call(id="c1", name="read", **beside):
    named = {"name": name} if id is None else {"id": id, "name": name}
    return {"functionCall": {**named, "args": {}}, **beside}


def result(response, id="c1", name="read", **fields):
    named = {"name": name} if id is None else {"id": id, "name": name}
    return {"functionResponse": {**named, "response": response, **fields}}


def text_part(text, **item):
    return {"text": text, "item": item} if item else {"text": text}


def sent(*parts, to="gpt-5.1", **fields):
    """The items that a model's message of these parts becomes."""
    results = [result({"output": "ok"}, p["functionCall"].get("id")) for p in parts if "functionCall" in p]
    records = [USER, message(1, "codeh", list(parts), **fields)]
    records += [message(2, "tool", results)] if results else []
    items = request(records, model=to).body["input"][1:]
    return [item for item in items if not str(item.get("type")).endswith("_output")]


def user_items(*parts, **fields):
    """The items that a user's message of these parts becomes."""
    return request([message(0, "user", list(parts), **fields)]).body["input"]


def answered(*parts, asking=None):
    """What follows a call that these results answer."""
    records = [USER, message(1, "codeh", [asking or call()], **OWN), message(2, "tool", list(parts))]
    items = request(records).body["input"]
    return items[2:]


def text(value):
    return {"type": "input_text", "text": value}


def user(content):
    return {"role": "user", "content": content}


IMAGE = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}
USERS = {
    "text": ([{"text": "hi"}], [user("hi")]),
    "texts": ([{"text": "a"}, {"text": "b"}], [user([text("a"), text("b")])]),
    "nothing": ([], [user(EMPTY_MESSAGE)]),
    "an empty text": ([{"text": ""}], [user(EMPTY_MESSAGE)]),
    "an empty text beside another": ([{"text": ""}, {"text": "a"}], [user("a")]),
    "image": ([inline("image/png", PNG)], [user([IMAGE])]),
    "image by address, detail": (
        [{**linked("https://e.example/x"), "item": {"type": "input_image", "detail": "low"}}],
        [user([{"type": "input_image", "image_url": "https://e.example/x", "detail": "low"}])]),
    "pdf": ([inline("application/pdf", PNG)], [user([
        {"type": "input_file", "filename": "file.pdf", "file_data": f"data:application/pdf;base64,{PNG}"}])]),
    "pdf by address": ([linked("https://e.example/a.pdf")], [user([
        {"type": "input_file", "file_url": "https://e.example/a.pdf"}])]),
    "text file": ([inline("text/csv", base64.b64encode(b"a").decode(), displayName="a.csv")], [user([
        {"type": "input_file", "filename": "a.csv", "file_data": "data:text/csv;base64,YQ=="}])]),
    "files without a name": ([inline("text/markdown", "YQ=="), inline("application/vnd.ms-excel", "YQ==")], [user([
        {"type": "input_file", "filename": "file.txt", "file_data": "data:text/markdown;base64,YQ=="},
        {"type": "input_file", "filename": "file.xls", "file_data": "data:application/vnd.ms-excel;base64,YQ=="}])]),
    "a picture in text": ([inline("image/svg+xml", "YQ==", displayName="a.svg")], [user("[File a.svg, image/svg+xml]\na")]),
    "sound": ([inline("audio/wav", PNG)], [user("[audio/wav, 8 bytes: audio/wav cannot be sent]")]),
    "own uploaded file": ([native("openai-responses", type="input_image", file_id="f", detail="auto")], [
        user([{"type": "input_image", "file_id": "f", "detail": "auto"}])]),
    "own item between texts": (
        [{"text": "a"}, native("openai-responses", type="additional_tools", role="developer", tools=[]), {"text": "b"}],
        [user("a"), {"type": "additional_tools", "role": "developer", "tools": []}, user("b")]),
    "answer to nothing": ([native("openai-responses", type="computer_call_output", call_id="x"), {"text": "b"}], [user("b")]),
    "another's part": ([native("anthropic", type="input_text", text="y"), native("gemini", type="z"), {"text": "x"}], [user("x")]),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "items"), USERS.values(), ids=USERS)
def test_user(parts, items):
    assert user_items(*parts) == items


def output_text(value):
    return {"type": "output_text", "text": value, "annotations": []}


def item(id, *contents, **fields):
    return {
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "id": id,
        **fields,
        "content": list(contents),
    }


def assistant(value, **fields):
    return {"role": "assistant", "content": value, **fields}


def thinking(id):
    return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA"}


def function_call(id="c1", **fields):
    return {"type": "function_call", **fields, "call_id": id, "name": "read", "arguments": "{}"}


SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}}
SEARCHED = native("openai-responses", **SEARCH)
SHELL = native(
    "openai-responses", type="local_shell_call", id="ls_1", call_id="x", status="completed", action={}
)
MODELS = {
    "text": ([{"text": "a"}], OTHER, [assistant("a")]),
    "pieces of one text": ([{"text": "a"}, {"text": ""}, {"text": "b"}], OTHER, [assistant("ab")]),
    "another's calls stand last": ([{"text": "a"}, call(), {"text": "b"}], OTHER,
                                   [assistant("a"), assistant("b"), function_call()]),
    "own order": ([call(), text_part("b")], OWN, [function_call(), assistant("b")]),
    "own texts stay apart": ([text_part("a"), text_part("b")], OWN, [assistant("a"), assistant("b")]),
    "thoughts": ([{"text": "t", "thought": True}], OTHER, []),
    "image": ([inline("image/png", PNG)], OTHER, [assistant("[image/png, 8 bytes: a model's message takes only text]")]),
    "reasoning before its text": ([reasoning("rs_1"), text_part("a", id="msg_1", status="completed")], OWN,
                                  [thinking("rs_1"), item("msg_1", output_text("a"))]),
    "reasoning as Python's client dumps it": (
        [native("openai-responses", **thinking("rs_1"), status=None), text_part("a", id="msg_1")],
        OWN,
        [thinking("rs_1"), item("msg_1", output_text("a"))],
    ),
    "reasoning before its call": ([reasoning("rs_1"), call(item={"id": "fc_1", "status": "completed"})], OWN,
                                  [thinking("rs_1"), function_call(id="c1") | {"id": "fc_1", "status": "completed"}]),
    "reasoning before a server tool": ([reasoning("rs_1"), SEARCHED, text_part("a", id="msg_1")], OWN,
                                       [thinking("rs_1"), SEARCH, item("msg_1", output_text("a"))]),
    "several contents of one item": ([text_part("a", id="m", phase="final_answer"), text_part("b", id="m", phase="final_answer")], OWN,
                                     [item("m", output_text("a"), output_text("b"), phase="final_answer")]),
    "probabilities": (
        [text_part("a", id="m", logprobs=[{"token": "a"}])],
        OWN,
        [item("m", {**output_text("a"), "logprobs": [{"token": "a"}]})],
    ),
    "refusal": ([{**text_part("no", id="m"), "refusal": True}], OWN, [item("m", {"type": "refusal", "refusal": "no"})]),
    "annotations": ([text_part("a", id="m", annotations=[{"type": "file_path"}])], OWN,
                    [item("m", {**output_text("a"), "annotations": [{"type": "file_path"}]})]),
    "namespace": ([call(item={"id": "fc_1", "namespace": "n"})], OWN, [function_call(namespace="n") | {"id": "fc_1"}]),
    "custom": ([{"functionCall": {"id": "c1", "name": "read", "args": {"input": "w"}}, "item": {"type": "custom_tool_call"}}], OWN,
               [{"type": "custom_tool_call", "call_id": "c1", "name": "read", "input": "w"}]),
    "reasoning at the end": ([text_part("a", id="m"), reasoning("rs_1")], OWN, [assistant("a")]),
    "reasoning that cannot be read": ([reasoning("rs_1", None), text_part("a", id="m", phase="commentary")], OWN,
                                      [assistant("a", phase="commentary")]),
    "what followed has no id": ([reasoning("rs_1"), text_part("a")], OWN, [assistant("a")]),
    "two items of one id": ([text_part("a", id="m"), call(item={"id": "m"})], OWN, [assistant("a"), function_call()]),
    "another family": ([reasoning("rs_1"), SEARCHED, text_part("a", id="m"), call(item={"id": "fc_1", "namespace": "n"})],
                       {**OWN, "model": "o3"}, [assistant("a"), function_call(namespace="n")]),
    "an item without an id": ([native("openai-responses", type="tool_search_call", execution="server", arguments={})],
                              {**OWN, "model": "o3"}, [{"type": "tool_search_call", "execution": "server", "arguments": {}}]),
    "a call that only this format knows": ([SHELL], OWN, []),
    "a custom call whose arguments were changed": (
        [call(item={"type": "custom_tool_call", "id": "ctc_1"})],
        OWN,
        [function_call() | {"id": "ctc_1"}],
    ),
    "another provider's item": ([native("anthropic", **SEARCH), {"text": "a"}], OWN, [assistant("a")]),
    "an id that is none": ([text_part("a", id=""), call(item={"id": 7})], OWN, [assistant("a"), function_call()]),
    "empty message item": ([native("openai-responses", type="message", id="m", content=[])], OWN, []),
}  # fmt: skip


def several_messages(encrypted):
    """A response as openai-agents stores it: a message an item, two calls at once, and the answer."""
    one = {"item": {"id": "fc_1"}}, {"item": {"id": "fc_2"}}
    parts = [
        [reasoning("rs_1", encrypted)], [call("c1", **one[0])], [result({"output": "a"}, "c1")],
        [call("c2", **one[1])], [result({"output": "b"}, "c2")], [reasoning("rs_2")], [text_part("c", id="m")],
    ]  # fmt: skip
    kinds = ("codeh", "codeh", "tool", "codeh", "tool", "codeh", "codeh")
    records = [
        message(number, kind, part, **(OWN if kind == "codeh" else {}))
        for number, (kind, part) in enumerate(zip(kinds, parts, strict=True), 1)
    ]
    return [
        item.get("id")
        for item in request([USER, *records, message(9, "user", [{"text": "x"}])]).body["input"]
    ]


def test_reasoning_and_what_followed_it_go_back_from_several_messages():
    assert several_messages("gAAA") == [None, "rs_1", "fc_1", None, "fc_2", None, "rs_2", "m", None]


def test_what_followed_lost_reasoning_goes_back_without_its_id():
    assert several_messages(None) == [None, None, None, None, None, "rs_2", "m", None]


@pytest.mark.parametrize(("parts", "fields", "items"), MODELS.values(), ids=MODELS)
def test_model(parts, fields, items):
    assert sent(*parts, **fields) == items


def test_an_item_is_sent_once():
    """A turn stored twice, as after a resume, goes back without ids the second time."""
    turn = [reasoning("rs_1"), text_part("a", id="msg_1")]
    records = [
        USER,
        message(1, "codeh", turn, **OWN),
        message(2, "user", [{"text": "x"}]),
        message(3, "codeh", turn, **OWN),
    ]
    body = request([*records, message(4, "user", [{"text": "y"}])]).body
    assert body["input"][1:] == [
        thinking("rs_1"), item("msg_1", output_text("a")), user("x"), assistant("a"), user("y")
    ]  # fmt: skip


def test_reasoning_needs_the_item_that_followed_it():
    """Compaction that takes away an item takes the turn's reasoning and ids with it."""
    own = [reasoning("rs_1"), text_part("a", id="msg_1"), call(item={"id": "fc_1"})]
    whole = Message(id="m", kind="codeh", role="model", ts=None, fields=OWN, own=own, parts=own)
    for left, ids in (
        ([0, 1, 2], ["rs_1", "msg_1", "fc_1"]),
        ([0, 1], ["rs_1", "msg_1"]),
        ([0, 2], []),
        ([1, 2], []),
    ):
        items = responses.build([whole.derive([own[n] for n in left])], Options(model="gpt-5.1"), []).body[
            "input"
        ]
        assert [i["id"] for i in items if "id" in i] == ids


RESULTS = {
    "text": ([result({"output": "x"})], [{"type": "function_call_output", "call_id": "c1", "output": "x"}]),
    "error": ([result({"error": "x"})], [{"type": "function_call_output", "call_id": "c1", "output": '{"error":"x"}'}]),
    "media": ([result({"output": "x"}, parts=[inline("image/png", PNG), inline("audio/wav", PNG)])], [
        {"type": "function_call_output", "call_id": "c1", "output": [
            text("x"), IMAGE, text("[audio/wav, 8 bytes: audio/wav cannot be sent]")]}]),
    "media alone": ([result({}, parts=[inline("image/png", PNG)])], [
        {"type": "function_call_output", "call_id": "c1", "output": [IMAGE]}]),
    "as it was received": ([{**result({"output": "ab"}), "item": {"output": [text("a"), text("b")], "id": "fco_1"}}], [
        {"type": "function_call_output", "call_id": "c1", "output": [text("a"), text("b")], "id": "fco_1"}]),
    "changed since": ([{**result({"output": "stub"}), "item": {"output": [text("a"), text("b")]}}], [
        {"type": "function_call_output", "call_id": "c1", "output": "stub"}]),
}  # fmt: skip


@pytest.mark.parametrize(("parts", "items"), RESULTS.values(), ids=RESULTS)
def test_result(parts, items):
    assert answered(*parts) == items


def test_the_output_of_a_custom_call():
    asking = {
        "functionCall": {"id": "c1", "name": "read", "args": {"input": "w"}},
        "item": {"type": "custom_tool_call"},
    }
    assert answered(result({"output": "x"}), asking=asking)[0]["type"] == "custom_tool_call_output"


def test_notes_name_omitted_content():
    records = [
        message(0, "user", [native("gemini", executableCode={})]),
        message(1, "codeh", [SHELL, reasoning("rs_1"), {"later": 1}], **OWN),
        message(2, "user", [native("openai-responses", type="computer_call_output", call_id="c")]),
    ]
    assert request(records).notes == [
        "message m0: a part that only gemini knows is not sent to openai-responses",
        "message m1: local_shell_call is not allowed here, and is not sent",
        "message m1: a part of an unknown kind (later) is left out",
        "message m2: computer_call_output is not allowed here, and is not sent",
    ]


SIDES = {
    "function_call_output": True, "custom_tool_call_output": True, "apply_patch_call_output": True,
    "mcp_approval_response": True, "additional_tools": True, "item_reference": True, "compaction_trigger": True,
    "tool_search_output": False, "reasoning": False, "mcp_call": False, "compaction": False, "program_output": False,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "ours"), SIDES.items())
def test_side_of_an_item(kind, ours):
    assert is_answer({"type": kind}) == ours
    assert is_answer({"type": "tool_search_output", "execution": "client"})


@pytest.mark.parametrize("kind", ["computer_call", "shell_call", "apply_patch_call", "local_shell_call"])
def test_client_call_is_sent_once_with_its_output(kind):
    asking = native("openai-responses", type=kind, call_id="c")
    answer = native("openai-responses", type=f"{kind}_output", call_id="c")
    whole = [USER, message(1, "codeh", [asking, asking], **OWN), message(2, "tool", [answer, answer])]
    items = request(whole).body["input"]
    assert [i.get("type") for i in items] == [None, kind, f"{kind}_output"]
    again = [
        *whole,
        message(3, "codeh", [asking, call("c")], **OWN),
        message(4, "tool", [answer, result({}, "c")]),
    ]
    ids = [i["call_id"] for i in request(again).body["input"] if "call_id" in i]
    assert ids == ["c", "c", "c_2", "c_2"]
    half = request([USER, message(1, "codeh", [asking], **OWN), USER | {"id": "m2"}])
    assert [i.get("type") for i in half.body["input"]] == [None, None]


def test_parallel_calls_precede_their_outputs():
    records = [USER, message(1, "codeh", [{"text": "a"}, call("c1"), call("c2")], **OTHER),
               message(2, "tool", [result({}, "c2"), result({}, "c1")]), message(3, "user", [{"text": "b"}])]  # fmt: skip
    items = request(records).body["input"]
    assert [i.get("call_id") or i["role"] for i in items] == "user assistant c1 c2 c1 c2 user".split()


OPTIONS = {
    "nothing": ({}, {}),
    "system": ({"system": "s"}, {"instructions": "s"}),
    "imported empty system": ({"settings": {"instructions": ""}}, {"instructions": ""}),
    "stream": ({"stream": True, "settings": {"stream": False}}, {"stream": True}),
    "own settings never": ({"settings": {"model": "other", "input": [], "tools": []}}, {}),
    "cache without a session": ({"cache": True, "session": ""}, {}),
    "cap": ({"max_tokens": 9, "settings": {"max_output_tokens": 7}}, {"max_output_tokens": 9}),
    "cache": ({"cache": True}, {"prompt_cache_key": "s"}),
    "settings": ({"settings": {"reasoning": {"effort": "low"}, "include": []}}, {"reasoning": {"effort": "low"}, "include": []}),
    "tools": ({"tools": [{"name": "f", "description": "d", "input_schema": {}, "strict": True}, {"type": "web_search"}]}, {"tools": [
        {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}, "strict": True},
        {"type": "web_search"}]}),
}  # fmt: skip


@pytest.mark.parametrize(("options", "expected"), OPTIONS.values(), ids=OPTIONS)
def test_options(options, expected):
    kept_nothing = {"store": False, "include": ["reasoning.encrypted_content"]}
    body = request([USER], **options).body
    assert body == {"model": "gpt-5.1", "input": [user("hi")], **kept_nothing, **expected}


@pytest.mark.parametrize(
    "kept", [{"store": True}, {"background": True}, {"conversation": "c"}, {"previous_response_id": "r"}]
)
def test_body_that_refers_to_stored_state_keeps_the_reference(kept):
    body = request([USER], settings=kept).body
    assert {k: v for k, v in body.items() if k not in ("model", "input")} == kept


def test_user_item_is_sent_once():
    """The provider refuses a second item of the same id."""
    compaction = native("openai-responses", id="cmp_1", type="compaction", encrypted_content="gAAA")
    assert user_items(compaction, compaction) == [compaction["native"]["value"]]

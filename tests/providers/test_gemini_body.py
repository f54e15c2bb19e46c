"""A Gemini body read back: body → session → body is the same to the API."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import providers
from codeh_history.base.errors import BadData
from codeh_history.providers.gemini import fields
from codeh_history.session.records import check_message
from histories import PNG, call, conversations, given_back, odd, requested, result
from support import corpus_files

GEMINI = providers.load("gemini")


def canonical(body):
    """A body as the API reads it: one spelling of keys, neighbours of a role joined, no role on the system's."""
    body = {fields.camel(key): value for key, value in body.items()}
    contents = []
    for raw in body["contents"]:
        content = {**raw, "parts": [fields.part(part) for part in raw["parts"]]}
        role = content.get("role", "user")
        if contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += content["parts"]
        else:
            contents.append({"role": role, "parts": [*content["parts"]]})
    system = (
        {"systemInstruction": {"parts": body["systemInstruction"]["parts"]}}
        if "systemInstruction" in body
        else {}
    )
    return {**body, **system, "contents": contents}


def test_every_recorded_body_comes_back():
    """71 recorded bodies, 71 equal."""
    paths = [
        path for path in corpus_files("exchanges/gemini/*.json") if not path.name.endswith(".expected.json")
    ]
    if not paths:
        pytest.skip("no recorded data")
    different = []
    for path in paths:
        body = orjson.loads(path.read_bytes())["request"]
        request = given_back("gemini", GEMINI.imported(body))
        if canonical(request.body) != canonical(body) or request.notes:
            different.append(path.name)
    print(f"gemini: {len(paths)} recorded bodies, {len(paths) - len(different)} equal")
    assert different == []
    assert len(paths) >= 71


def test_what_is_kept():
    read = GEMINI.imported({
        "model": "models/gemini-3-pro",
        "system_instruction": {"parts": [{"text": "a"}, {"text": "b"}]},
        "contents": [
            {"parts": [{"text": "hi"}]},
            {"role": "model", "parts": [{"function_call": {"name": "f", "args": {"a_b": 1}}, "thought_signature": "c2ln"}]},
            {"role": "model", "parts": [call("g")]},
            {"role": "user", "parts": [result("f"), {"text": "so"}, {"function_response": {"name": "g", "parts": [
                {"inline_data": {"mime_type": "image/png", "data": PNG}}]}}]},
            {"role": "model", "parts": [{"text": "x"}]},
            {"role": "model", "parts": [{"text": 5}]},
        ],
        "tools": [{"google_search": {}}],
        "generation_config": {"top_k": 1},
    })  # fmt: skip
    made = {"provider": "gemini", "model": "models/gemini-3-pro"}
    assert read.messages == [
        {"kind": "user", "role": "user", "parts": [{"text": "hi"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [call("f", args={"a_b": 1}, thoughtSignature="c2ln"), call("g")]},
        {"kind": "tool", "role": "user", "parts": [result("f"), {"functionResponse": {"name": "g", "parts": [
            {"inlineData": {"mimeType": "image/png", "data": PNG}}]}}]},
        {"kind": "user", "role": "user", "parts": [{"text": "so"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [{"text": "x"}]},
        {"kind": "codeh", "role": "model", **made, "parts": [{"native": {"provider": "gemini", "value": {"text": 5}}}]},
    ]  # fmt: skip
    assert (read.system, read.tools, read.model) == (
        "a\n\nb",
        [{"google_search": {}}],
        "models/gemini-3-pro",
    )
    assert read.settings == {
        "systemInstruction": {"parts": [{"text": "a"}, {"text": "b"}]}, "generationConfig": {"top_k": 1},
    }  # fmt: skip


@pytest.mark.parametrize("body", [
    {}, {"contents": "hi"}, {"contents": ["hi"]}, {"contents": [{"role": "assistant", "parts": []}]},
    {"contents": [{"role": "user", "parts": "hi"}]},
])  # fmt: skip
def test_what_is_no_body(body):
    with pytest.raises(BadData, match="contents"):
        GEMINI.imported(body)


@given(messages=conversations(), options=st.fixed_dictionaries({}, optional={
    "system": st.just("be brief"), "max_tokens": st.just(9), "tools": st.just([{"name": "f", "input_schema": {}}]),
}))  # fmt: skip
def test_every_request_comes_back(messages, options):
    body = requested("gemini", messages, **options).body
    again = given_back("gemini", GEMINI.imported(body)).body
    assert canonical(again) == canonical(body)


@given(part=odd, parts=odd)
def test_any_part_becomes_one_that_a_record_can_hold(part, parts):
    shapes = [
        part,
        {"functionCall": part},
        {"functionResponse": {"name": part, "parts": parts}},
        {"text": part},
    ]
    for role in ("user", "model"):
        for message in GEMINI.imported({"contents": [{"role": role, "parts": shapes}]}).messages:
            assert check_message({"id": "m", **message}) is None

"""What both OpenAI formats share: ids, content parts, arguments and results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.providers.answers import arguments_of, parsed_response, result_media, result_text
from codeh_history.providers.base import Options
from codeh_history.providers.openai import CHAT, RESPONSES, OpenAIArray
from codeh_history.providers.turns import Turn, runs
from codeh_history.session.pairing import failed_call
from histories import call, model, result, sendable, tool, user

ARGUMENTS = {
    "an object": ({"args": {"b": 1, "a": [None]}}, '{"b":1,"a":[null]}'), "nothing": ({}, "{}"), "null": ({"args": None}, "{}"),
    "no object": ({"args": [1]}, '{"arguments":[1]}'), "a text": ({"args": "x"}, '{"arguments":"x"}'),
}  # fmt: skip


@pytest.mark.parametrize(("given", "text"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments_are_the_text_of_an_object(given, text):
    part = {"functionCall": {"name": "f", **given}}
    assert arguments_of(part) == text


LONG = '{"a": 123456789012345678901}'


@pytest.mark.parametrize(
    ("raw", "args", "text"),
    [
        (LONG, {"a": 123456789012345678901.0}, LONG), (LONG, {"a": 5}, '{"a":5}'), ('{"a": ', {}, '{"arguments":"{\\"a\\": "}'), ("[1]", {}, '{"arguments":"[1]"}'),
        ("[1]", {"a": 5}, '{"a":5}'), (5, {"a": 5}, '{"a":5}'),
    ],
)  # fmt: skip
def test_the_text_they_were_read_from_is_sent_while_it_says_the_same(raw, args, text):
    part = {"functionCall": {"name": "f", "args": args}, "arguments": raw}
    assert arguments_of(part) == text


FAILED = failed_call("f", "boom")


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"output": "ok"}, "ok"), ({"output": ""}, ""), ({"output": 5}, '{"output":5}'), ({"output": "a", "b": 1}, '{"output":"a","b":1}'), ("plain", "plain"),
        ({"error": "boom"}, '{"error":"boom"}'), ({"error": FAILED}, FAILED), ({}, ""), (None, ""), (["x"], '["x"]'), ({"a": 1}, '{"a":1}'), (0, "0"),
    ],
)  # fmt: skip
def test_a_result_is_its_text_else_its_json(response, text):
    assert result_text(response) == text


@given(
    response=st.one_of(
        some.json_objects,
        st.builds(
            lambda key, text: {key: text},
            st.sampled_from(["output", "error"]),
            some.texts | st.just(FAILED),
        ),
    )
)
def test_a_result_read_back_is_sent_the_same(response):
    text = result_text(response)
    assert result_text(parsed_response(text)) == text


@pytest.mark.parametrize(
    ("text", "response"),
    [
        ("", {}),
        ("ok", {"output": "ok"}),
        ('{"a":1}', {"a": 1}),
        ('{"a": 1}', {"output": '{"a": 1}'}),
        (FAILED, {"error": FAILED}),
        ("{x", {"output": "{x"}),
    ],
)
def test_a_text_is_a_result(text, response):
    assert parsed_response(text) == response


def test_media_of_a_result_are_its_parts_of_files():
    blob = {"inlineData": {"mimeType": "image/png", "data": "x"}}
    assert result_media({"parts": [blob, {"text": "a"}, 5, {"fileData": "x"}]}) == [blob]
    assert result_media({"parts": "x"}) == result_media({}) == []


def sent(messages, *, faithful=False):
    """The ids that calls and results are sent with."""
    ids = OpenAIArray(Options(faithful=faithful), CHAT).ids
    calls, answers = [], []
    for entry in runs(sendable(messages).messages, (), faithful=faithful):
        if isinstance(entry, Turn):
            calls += ids.calls(entry) if entry.role == "model" else []
            answers += ids.results(entry) if entry.role == "results" else []
    return calls, answers


def test_a_call_and_its_result_have_one_id_that_no_other_has():
    twice = [
        model(call("f", "c")),
        tool(result("f", "c")),
        model(call("f", "c"), call("g", "d")),
        tool(result("g", "d"), result("f", "c")),
    ]
    calls, answers = sent([user("a"), *twice])
    assert calls[:2] == ["c", "c_2"]
    assert sorted(calls) == sorted(answers)
    assert len(set(calls)) == 3


@pytest.mark.parametrize("id", ["x" * 65, "a\nb", "x" * 300])
def test_an_id_that_is_not_taken_becomes_a_hash(id):
    (found,), answered = sent([user("a"), model(call("f", id)), tool(result("f", id))])
    assert answered == [found]
    assert found.startswith("call_")
    assert len(found) <= 64
    assert sent([user("a"), model(call("f", "x" * 64)), tool(result("f", "x" * 64))])[0] == ["x" * 64]


def test_an_id_hangs_on_nothing_that_comes_later():
    messages = [user("a"), model(call("f", "c")), tool(result("f", "c"))]
    more = [*messages, user("b"), model(call("f", "c")), tool(result("f", "c"))]
    assert sent(more)[0][:1] == sent(messages)[0]


def test_faithful_changes_no_id():
    messages = [user("a"), *[model(call("f", "x" * 99)), tool(result("f", "x" * 99))] * 2]
    assert sent(messages, faithful=True) == (["x" * 99] * 2, ["x" * 99] * 2)


PARTS = [
    {"text": "a"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}},
    {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0=", "displayName": "a.pdf"}},
    {"fileData": {"fileUri": "https://example.org/a.png"}, "item": {"type": "image_url", "detail": "low"}},
]  # fmt: skip


@pytest.mark.parametrize("content", [CHAT, RESPONSES])
@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_written_is_read_again(content, part):
    block = content.write(part)
    assert block is not None
    assert content.write(content.read(block)) == block


@pytest.mark.parametrize("content", [CHAT, RESPONSES])
@pytest.mark.parametrize("block", [None, 7, {}, {"type": "later", "x": 1}, {"type": "text"}])
def test_what_is_no_content_part_is_kept_as_it_is(content, block):
    assert content.read(block) == {"native": {"provider": content.provider, "value": block}}


def test_what_cannot_be_sent_has_a_reason():
    sound = {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}
    assert CHAT.why_not({"text": "a"}) == ""
    assert RESPONSES.why_not(sound) == "audio/wav cannot be sent"
    assert CHAT.why_not(sound, by_model=True) == "a model's message takes only text"
    assert "its own provider" in CHAT.why_not({"fileData": {"fileUri": "gs://b/f"}})

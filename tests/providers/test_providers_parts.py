"""The parts of a reply, made of what providers send, whatever shape it has."""

import pytest

from codeh_history.providers.parts import (
    call,
    first,
    further,
    is_message,
    kept,
    kinds,
    name_of,
    rest,
    text_of,
    texts_of,
)

CALLS = {  # what came as arguments; the args, and what is kept of it verbatim
    "an object": ({"a": 1}, {"a": 1}, None), "its text": ('{"a": 1}', {"a": 1}, None), "nothing": (None, {}, None), "blanks": (" ", {}, None),
    "a cut text": ('{"a": ', {}, '{"a": '), "a list": ("[1]", {}, "[1]"), "a list as it is": ([1], {}, "[1]"), "a text of a text": ('"x"', {}, '"x"'),
    "a number that loses digits": ('{"a":123456789012345678901}', {"a": 123456789012345678901.0}, '{"a":123456789012345678901}'),
    "nineteen digits": ('{"a":1234567890123456789}', {"a": 1234567890123456789}, '{"a":1234567890123456789}'),
    "eighteen digits": ('{"a":123456789012345678}', {"a": 123456789012345678}, None), "many decimals": ('{"a":1.1234567890123456789}', {"a": 1.1234567890123457}, None),
}  # fmt: skip


@pytest.mark.parametrize(("given", "args", "verbatim"), CALLS.values(), ids=CALLS)
def test_arguments_are_an_object_and_nothing_of_them_is_lost(given, args, verbatim):
    made = call("c", "f", given)
    assert made["functionCall"] == {"id": "c", "name": "f", "args": args}
    assert made.get("arguments") == verbatim


@pytest.mark.parametrize("id", [None, "", 5])
def test_a_call_without_an_id_has_none(id):
    assert call(id, "f", {}) == {"functionCall": {"name": "f", "args": {}}}


def test_what_a_provider_says_besides_stands_beside_a_call():
    assert call("c", "f", {}, {"index": 1})["item"] == {"index": 1}  # type: ignore[typeddict-item]
    assert "item" not in call("c", "f", {}, {})


@pytest.mark.parametrize(
    ("part", "usable"),
    [
        ({"text": "a"}, True),
        ({"text": 5}, False),
        ({"functionCall": {}}, False),
        ({"later": 5}, True),
        ({"inlineData": []}, False),
    ],
)
def test_what_no_record_can_hold_is_kept_for_its_provider(part, *, usable):
    assert kept(part, "gemini") == (part if usable else {"native": {"provider": "gemini", "value": part}})


def test_fields_that_say_nothing_are_no_rest():
    assert rest({"a": 1, "b": None, "c": "", "d": [], "e": {}, "f": 0, "g": False}, ["a"]) == {
        "f": 0,
        "g": False,
    }
    assert rest({"a": 1}, ["a", "b"]) == {}


MESSAGES = [
    ({"role": "user", "content": "a"}, True), ({"role": "user", "content": []}, True), ({"role": "user"}, False), ({"role": "user", "content": None}, False),
    ({"role": "assistant", "tool_calls": []}, True), ({"role": "nobody", "content": "a"}, False), ({"content": "a"}, False), ("user", False),
    ({"type": "reasoning", "role": "user", "content": "a"}, False), ({"type": "message", "role": "tool", "content": "a"}, True), ({"role": ["user"], "content": "a"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("item", "is_one"), MESSAGES)
def test_a_message_has_a_role_and_a_content(item, *, is_one):
    assert is_message(item, "tool_calls") is is_one


def test_the_first_choice_may_leave_its_index_out_and_the_others_are_known_by_theirs():
    a, b, c = {"a": 1}, {"index": 2, "b": 1}, {"index": 1, "c": 1}
    assert first([b, a]) == a
    assert further([a, b, c]) == {1, 2}
    assert further([{}, {"x": 1}]) == {1}
    assert (first([b]), first(None), further("x")) == ({}, {}, set())


def test_only_blocks_of_texts_are_texts():
    blocks = [
        {"type": "text", "text": "a"},
        {"type": "image"},
        "b",
        {"type": "text", "text": 5},
        {"text": "c"},
    ]
    assert texts_of(blocks) == ["a"]
    assert kinds([{"content": blocks}, {"content": "x"}, {}]) == {"text", "image"}


@pytest.mark.parametrize(("value", "name"), [("a", "a"), ("", None), (None, None), (5, None)])
def test_a_name_is_a_text_that_says_something(value, name):
    assert name_of(value) == name
    assert text_of(value) == (value if isinstance(value, str) else "")

"""Parts of requests and replies: media, names, arguments and answers as providers take them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.media import base64_of, media, mime_of
from codeh_history.providers.names import WORD, Alphabet
from codeh_history.providers.parts import (
    answer,
    call,
    first,
    further,
    is_message,
    response_of,
)

CALLS = {  # what came as arguments; the args, and what is kept of it verbatim
    "an object": ({"a": 1}, {"a": 1}, None), "its text": ('{"a": 1}', {"a": 1}, None), "nothing": (None, {}, None), "blanks": (" ", {}, None),
    "a cut text": ('{"a": ', {}, '{"a": '), "a list": ("[1]", {}, "[1]"), "a list as it is": ([1], {}, "[1]"), "a text of a text": ('"x"', {}, '"x"'),
    "a number that loses digits": ('{"a":123456789012345678901}', {"a": 123456789012345678901.0}, '{"a":123456789012345678901}'),
    "nineteen digits": ('{"a":1234567890123456789}', {"a": 1234567890123456789}, '{"a":1234567890123456789}'),
    "eighteen digits": ('{"a":123456789012345678}', {"a": 123456789012345678}, None), "many decimals": ('{"a":1.1234567890123456789}', {"a": 1.1234567890123457}, None),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "args", "verbatim"), CALLS.values(), ids=CALLS)
def test_arguments_become_an_object_without_loss(raw, args, verbatim):
    made = call("c", "f", raw)
    assert made["functionCall"] == {"id": "c", "name": "f", "args": args}
    assert made.get("arguments") == verbatim


MESSAGES = [
    ({"role": "user", "content": "a"}, True), ({"role": "user", "content": []}, True), ({"role": "user"}, False), ({"role": "user", "content": None}, False),
    ({"role": "assistant", "tool_calls": []}, True), ({"role": "nobody", "content": "a"}, False), ({"content": "a"}, False), ("user", False),
    ({"type": "reasoning", "role": "user", "content": "a"}, False), ({"type": "message", "role": "tool", "content": "a"}, True), ({"role": ["user"], "content": "a"}, False),
]  # fmt: skip


@pytest.mark.parametrize(("item", "is_one"), MESSAGES)
def test_a_message_has_a_role_and_a_content(item, *, is_one):
    assert is_message(item, "tool_calls") is is_one


def test_first_choice_may_omit_its_index():
    a, b, c = {"a": 1}, {"index": 2, "b": 1}, {"index": 1, "c": 1}
    assert first([b, a]) == a
    assert further([a, b, c]) == {1, 2}
    assert further([{}, {"x": 1}]) == {1}
    assert (first([b]), first(None), further("x")) == ({}, {}, set())


MIMES = {
    "as it is": ("image/png", None, "image/png"),
    "alias": ("image/jpg", None, "image/jpeg"),
    "case and parameters": ("Text/Plain; charset=utf-8", None, "text/plain"),
    "by name": (None, "a.PDF", "application/pdf"),
    "by address": ("", "https://e.example/v1.2/cat.jpeg", "image/jpeg"),
    "no ending": (None, "https://e.example/cat", ""),
    "no name": (7, None, ""),
    "not a type": ("png", "a.gif", "image/gif"),
}


@pytest.mark.parametrize(("mime", "name", "expected"), MIMES.values(), ids=MIMES)
def test_type(mime, name, expected):
    assert mime_of(mime, name) == expected


DATA = {
    "standard": ("aGk=", "aGk="),
    "url-safe": ("-_8=", "+/8="),
    "no padding": ("aGk", "aGk="),
    "wrapped": ("aG\nk=\n", "aGk="),
    "too much padding": ("aGkaGk==", "aGkaGk=="),
    "impossible length": ("aGkaG", None),
    "not base64": ("hello!", None),
    "empty": ("", None),
    "missing": (None, None),
    "number": (7, None),
}


@pytest.mark.parametrize(("data", "expected"), DATA.values(), ids=DATA)
def test_base64(data, expected):
    assert base64_of(data) == expected


def _inline(data, **more):
    return {"inlineData": {"mimeType": "image/png", "data": data, **more}}


PARTS = {
    "inline": (_inline("aGk=", displayName="a"), ("image/png", "aGk=", None, "a")),
    "no data": (_inline(None), ("image/png", None, None, None)),
    "nothing": ({"inlineData": {}}, ("", None, None, None)),
    "https": ({"fileData": {"fileUri": "https://e.example/a.png"}}, ("image/png", None, "https://e.example/a.png", None)),
    "query": ({"fileData": {"fileUri": "https://e.example/a.png?x=1.pdf"}},
              ("image/png", None, "https://e.example/a.png?x=1.pdf", None)),
    "gs": ({"fileData": {"fileUri": "gs://b/a.png"}}, ("image/png", None, None, None)),
    "files api": ({"fileData": {"fileUri": "https://generativelanguage.googleapis.com/v1beta/files/x"}},
                  ("", None, None, None)),
    "data url": ({"fileData": {"fileUri": "data:image/gif;base64,aGk="}}, ("image/gif", "aGk=", None, None)),
    "no address": ({"fileData": {"fileUri": None}}, ("", None, None, None)),
    "text": ({"text": "x"}, None),
    "not an object": ({"inlineData": 7}, None),
}  # fmt: skip


@pytest.mark.parametrize(("part", "expected"), PARTS.values(), ids=PARTS)
def test_part(part, expected):
    content = media(part)
    assert (content and (content.mime, content.data, content.url, content.name)) == expected


def test_the_text_of_a_text_file():
    csv = media({"inlineData": {"mimeType": "text/csv", "data": "aGk="}})
    assert (csv.textual, csv.text()) == (True, "hi")
    latin = media({"inlineData": {"mimeType": "application/vnd.x+json", "data": "6Q=="}})
    assert (latin.textual, latin.text()) == (True, None)


@given(st.text(), st.booleans())
def test_text_file_round_trips(text, failed):
    assert answer(response_of(text, failed=failed)) == (text, failed)


WORDS = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789_", 16)
LED = Alphabet("abcdefghijklmnopqrstuvwxyz0123456789_", 16, first="abcdefghijklmnopqrstuvwxyz_")

FITS = [
    (WORDS, "abc", "abc"), (WORDS, "a" * 16, "a" * 16), (WORDS, "a" * 17, "aaaa_b860666ee2"), (WORDS, "", "_e3b0c44298"),
    (WORDS, "a b", "a_b_c8687a08aa"), (LED, "9a", "_9a_"), (LED, "a.b", "a_b_"),
]  # fmt: skip


@pytest.mark.parametrize(("alphabet", "text", "begins"), FITS)
def test_fit(alphabet, text, begins):
    assert alphabet.fit(text).startswith(begins)
    assert (alphabet.fit(text) == text) == alphabet.takes(text)


@given(name=st.text(), other=st.text())
def test_encoded_names_are_unique(name, other):
    alphabet = Alphabet(WORD, 32)
    assert alphabet.takes(alphabet.fit(name))
    assert (alphabet.fit(name) == alphabet.fit(other)) == (name == other)


def test_only_strings_are_names():
    assert not any(WORDS.takes(value) for value in (None, 5, "", "A", "a\n", "a" * 17))

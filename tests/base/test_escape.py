"""What acts on a terminal is shown as its escape, the rest as it is; JSON text without a JSON library."""

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.escape import quote, safe, shown


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f\u200d🔥",  # joined emoji
        "می\u200cخواهم",  # Persian
        "क्\u200dष",  # Hindi
        "✔\ufe0e ✔\ufe0f",  # variation selectors
        "a\tb\nc é ß 漢字",
    ],
)
def test_what_people_write_stays(text):
    assert safe(text) == text
    assert shown(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("pass\u200dword", "pass\\u{200d}word"),
        ("\u200cx", "\\u{200c}x"),
        ("é\u200dx", "é\\u{200d}x"),
        ("👩\u200d\u200d", "👩\u200d\\u{200d}"),
        ("a\u200bb\u202ec", "a\\u{200b}b\\u{202e}c"),
        ("\u200b\u200c", "\\u{200b}\\u{200c}"),
        ("\u200c\u200d", "\\u{200c}\\u{200d}"),
        ("\x1b[2J\x9b", "^[[2J\\x9b"),
    ],
)
def test_what_could_mislead_is_escaped(text, escaped):
    assert safe(text) == escaped


@given(value=some.json_values)
def test_json_for_a_terminal_is_the_same_value(value):
    line = shown(orjson.dumps(value))
    assert safe(line.decode()) == line.decode()
    assert orjson.loads(line) == orjson.loads(orjson.dumps(value))


def test_json_with_something_to_escape_keeps_what_people_write():
    assert shown('["می\u200cخواهم\u202e"]'.encode()) == '["می\u200cخواهم\\u202e"]'.encode()


@given(text=st.text())
@example('\\"\b\f\n\r\t\0\x1f\x7f\u2028')
def test_the_quoter_writes_what_the_json_library_writes(text):
    assert quote(text).encode() == orjson.dumps(text)

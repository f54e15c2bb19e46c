"""Texts inside a text: what is found in another spelling is told where that stands."""

from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.redact.disguises import coded, spans, text_in
from codeh_history.filters.redact.spans import Span

SECRET = "hunter2-of-the-zeppelin"


def find(text):
    """All places of the secret."""
    at = text.find(SECRET)
    return [Span(at, at + len(SECRET), "kind")] if at >= 0 else []


def hidden(text):
    """What of a text holds the secret in another spelling."""
    return [text[span.start : span.end] for span in spans(text, find, base64=bool(list(coded(text))))]


PERCENT = "".join(f"%{ord(char):02X}" for char in SECRET)
UNICODE = "".join(f"\\u{ord(char):04x}" for char in SECRET)
BASE64 = b64encode(f"the password is {SECRET}, keep it".encode()).decode()


@pytest.mark.parametrize("around", ["{}", "a {} b", '{{"x":"{}"}}', "a={}\n"])
@pytest.mark.parametrize(
    "spelled",
    [PERCENT, UNICODE, quote(SECRET).replace("-", "%2D"), BASE64],
    ids=["percent", "numbers", "a little", "base64"],
)
def test_a_secret_in_another_spelling_is_found_where_it_stands(spelled, around):
    found = hidden(around.format(spelled))
    assert [text.strip("=") for text in found] == [spelled.strip("=")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n"])
@pytest.mark.parametrize("after", ["", " ", "{end}", "{end}Done", "{end}Done{end}so far{end}", "{end}y z"])
@pytest.mark.parametrize("width", [24, 40, 48, 60])
def test_base64_over_lines_goes_whole_whatever_follows(width, after, end):
    lines = end.join(BASE64[at : at + width] for at in range(0, len(BASE64), width))
    (found,) = hidden(f"x: {lines}{after.replace('{end}', end)}")
    assert found.rstrip("=") == lines.rstrip("=")


@pytest.mark.parametrize(
    "text",
    [
        "100%25",
        "%41%42%43 is no secret",
        "\\u0041",
        b64encode(b"nothing of that kind is here").decode(),
        SECRET,
    ],
)
def test_nothing_is_found_where_nothing_is_hidden(text):
    assert hidden(text) == []


@given(
    text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=18, max_size=60)
)
def test_the_text_in_base64_is_read_back(text):
    spelled = b64encode(text.encode()).decode().rstrip("=")
    assert text_in(spelled) == text
    assert len(spelled) < 24 or list(coded(spelled)) == [0]


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 9, b"\x89PNG\r\n\x1a\n" * 5, b"\xff\xfe\xfd" * 12])
def test_bytes_in_base64_are_no_text(data):
    spelled = b64encode(data).decode()
    assert text_in(spelled) is None
    assert not list(coded(spelled))


@pytest.mark.parametrize("data", ["", "abc", "A" * 25])
def test_what_is_no_base64_holds_no_text(data):
    assert text_in(data) is None

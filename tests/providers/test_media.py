"""Media parts: one spelling of types, standard base64, addresses that anybody may fetch."""

import pytest

from codeh_history.providers.media import base64_of, media, mime_of, parse_data_url

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


@pytest.mark.parametrize(("given", "name", "expected"), MIMES.values(), ids=MIMES)
def test_type(given, name, expected):
    assert mime_of(given, name) == expected


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


@pytest.mark.parametrize(("given", "expected"), DATA.values(), ids=DATA)
def test_base64(given, expected):
    assert base64_of(given) == expected


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
    found = media(part)
    assert (found and (found.mime, found.data, found.url, found.name)) == expected


def test_the_text_of_a_text_file():
    csv = media({"inlineData": {"mimeType": "text/csv", "data": "aGk="}})
    assert csv is not None
    assert (csv.textual, csv.text()) == (True, "hi")
    latin = media({"inlineData": {"mimeType": "application/vnd.x+json", "data": "6Q=="}})
    assert latin is not None
    assert (latin.textual, latin.text()) == (True, None)


@pytest.mark.parametrize(
    ("url", "expected"),
    [("data:image/png;base64,aGk=", ("image/png", "aGk=")),
     ("data:text/plain;charset=utf-8;base64,aGk=", ("text/plain", "aGk=")),
     ("data:;base64,", ("", "")), ("data:text/plain,hi", None), ("https://e.example", None)],
)  # fmt: skip
def test_data_url(url, expected):
    assert parse_data_url(url) == expected

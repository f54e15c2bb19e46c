"""Small values: ids, words, amounts, times, types of files, JSON, and escapes."""

import re
import time
from datetime import timedelta

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import strategies
from codeh_history.base import times
from codeh_history.base.errors import BadData, NotFound, Usage
from codeh_history.base.escape import quote, safe, shown
from codeh_history.base.mime import mime_type
from codeh_history.base.options import amount
from codeh_history.base.read_json import json_object, json_value, parse_json, strings_in
from codeh_history.base.times import FIRST, LAST, from_millis, to_millis
from codeh_history.base.words import (
    WHOLE,
    closest,
    did_you_mean,
    is_id,
    plural,
    prefixes,
    suggestion,
    unique_match,
)


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("dmeo", ["demo", "play"], "demo"),
        ("shw", ["show", "set"], "show"),
        ("sumarise", ["summarize", "status"], "summarize"),
        ("titel", ["title", "tools"], "title"),
        ("a", ["b"], None),
        ("ab", ["xyz"], None),
        ("work", ["play", "words"], None),
        ("demo", ["demo"], None),
        ("demo", [], None),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-02"], "codex-01a1ffc8-d3f6-7031"),
        ("codex-01a1", ["codex-01a1ffc8-d3f6-7031", "codex-01a1ffc8-d3f6-7032"], None),
        ("alpha", ["alpha-of-may"], None),
        ("c", ["codex-01a1ffc8-d3f6-7031"], None),
    ],
)
def test_did_you_mean(name, names, meant):
    assert closest(name, names) == meant


PLURALS = {
    "message that was rewound": "messages that were rewound",
    "message of a turn that was rolled back": "messages of a turn that was rolled back",
    "message of an abandoned branch": "messages of an abandoned branch",
    "summary": "summaries", "key": "keys",
    "block (token_budget)": "blocks (token_budget)", "message without a list of contents": "messages without a list of contents",
    "branch": "branches",
}  # fmt: skip


def test_did_you_mean_message():
    assert did_you_mean("dmeo", ["demo"]) == " (did you mean demo?)"
    assert did_you_mean("other", ["demo"]) == ""
    assert suggestion("dmeo", ["demo"], "one of demo") == "did you mean demo?"
    assert suggestion("other", ["demo"], "one of demo") == "one of demo"
    assert [plural(count, "hit") for count in (0, 1, 2)] == ["0 hits", "1 hit", "2 hits"]
    assert [plural(1, noun) for noun in PLURALS] == [f"1 {noun}" for noun in PLURALS]
    assert [plural(4, noun) for noun in PLURALS] == [f"4 {plural}" for plural in PLURALS.values()]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("a", "ambiguous: ab, abc"), ("ab", "ambiguous: ab, abc"), ("", "none such"),
        ("x:", "none such; did you mean x?"), ("7", "none such; did you mean :7?"),
    ],
)  # fmt: skip
def test_unique_prefix_names_an_id(name, why):
    assert unique_match("abc", ["ab", "abc"], "demo", "none such") == "abc"
    with pytest.raises(NotFound, match=rf"^demo: {re.escape(name)}: {re.escape(why)}$"):
        unique_match(name, ["ab", "abc"], "demo", "none such")


def test_a_small_number_is_no_prefix_of_an_id():
    """`fork --at 2` means the second message, not one whose id begins with 2."""
    with pytest.raises(NotFound, match=r"^demo: 2: none such; did you mean :2\?$"):
        unique_match("2", ["25f8db87a96677bfb7ec"], "demo", "none such")
    assert unique_match("1234", ["1234db87a96677bfb7ec"], "demo", "none such") == "1234db87a96677bfb7ec"


def test_ids_are_shortened_to_readable_unique_prefixes():
    same = "claude-code-5e551000-"
    codex, sky = "codex-01a1ffc8-d3f6-7031-8000", "2026-11-23-why-is-the-sky"
    ids = [f"{same}0000-4000", f"{same}1000-4000", codex, "demo", "a" * WHOLE, sky, f"{sky}-2"]
    taken = [*ids, "codex-01a1ffc8-d3f6-9999", "demo-2"]
    short = [f"{same}0", f"{same}1", "codex-01a1ffc8-d3f6-7"]
    assert list(prefixes(ids, taken).values()) == [*short, *ids[3:]]  # `sky-2`, rather than `…-sky-`
    assert prefixes(["a" * 30], ["a" * 30, "a" * 29]) == {"a" * 30: "a" * 30}


VALID = ["a", "A1", "0", "demo-1_x", "a" * 128, "console", "com", "com10", "lpt0", "nul_"]
INVALID = [
    "", "-a", "_a", ".a", "a.b", "a b", "a/b", "../a", "/a", "a\0b", "a\n", "é", "a" * 129, "con", "CON", "Prn", "aux",
    "nul", "com1", "COM9", "lpt1", "a\\b", "a:b", "@", "~", "*",
]  # fmt: skip


@pytest.mark.parametrize("text", [*VALID, *INVALID])
def test_valid_ids(text):
    assert is_id(text) == (text in VALID)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1), ("32000", 32000), ("32k", 32000), ("32K", 32000), (" 32k ", 32000), ("1.5k", 1500),
        ("1.5m", 1_500_000), ("0.001k", 1), ("1.000001m", 1_000_001), ("2.0", 2), ("999999999999", 999999999999),
        ("0.29k", 290), ("1.001k", 1001),
    ],
)  # fmt: skip
def test_budget_suffixes(text, number):
    assert amount("", "tokens").coerce(text, "--budget") == number


@pytest.mark.parametrize(
    "text",
    ["", "k", "0", "0k", "0.0004k", "1.5", "1.0001k", "-1", "+1", "1g", "32 k", "1e3", "٣", "1,000", "1.", ".5k",
     "9999999999999", "1.1234567m", "inf", "nan"],
)  # fmt: skip
def test_invalid_amounts_are_refused(text):
    why = re.escape("expected a positive number of tokens (32k is 32000)")
    with pytest.raises(Usage, match=rf"^--max-chars .*: {why}$"):
        amount("", "tokens").coerce(text, "--max-chars")


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("1970-01-01T00:00:00.001Z", 1), ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01", 0), ("1500", 1500),
        ("2026-01-02T03:04:05.678Z", 1767323045678), ("2026-01-02 03:04:05.6785", 1767323045678),
        ("253402300799999", 253402300799999), ("253402300800000", None), ("0" * 16, None), ("9" * 30, None), ("²", None), ("-1", None), ("2026-13-01", None), ("", None), ("now", None),
    ],
)  # fmt: skip
def test_times_are_read(text, millis):
    assert to_millis(text) == millis


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"), (1767323045678, "2026-01-02T03:04:05.678Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (LAST, "9999-12-31T23:59:59.999Z"), (FIRST, "0001-01-01T00:00:00.000Z"),
    ],
)  # fmt: skip
def test_times_are_written_with_their_milliseconds(millis, text):
    assert from_millis(millis) == text


@given(st.integers(FIRST, LAST))
def test_written_times_are_read(millis):
    assert to_millis(from_millis(millis)) == millis


JULY = 1_783_080_000_000  # 2026-07-03T12:00:00Z


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Europe/Berlin", "14:00"), ("UTC", "12:00"), ("z", "12:00"), ("gmt", "12:00"), ("+02:00", "14:00"),
        ("-0330", "08:30"), ("+23:59", "11:59"),
        ("Asia/Kolkata", "17:30"),
    ],
)  # fmt: skip
def test_a_zone_goes_by_name_or_offset(name, shown):
    assert f"{times.local(name)(JULY):%H:%M}" == shown


def test_offset_may_change_the_date():
    assert f"{times.local('+23:59')(JULY):%d}" == "04"
    assert times.named("-00:30").utcoffset(None) == timedelta(minutes=-30)


@pytest.mark.parametrize(
    "name",
    ["+24", "+2:60", "+2:5", "+99:00", "Nowhere/At_all", "../../etc/passwd", "", "..", "2", "Europe"],
)
def test_invalid_zone_is_exit_2(name):
    with pytest.raises(Usage, match="no such time zone"):
        times.named(name)


@pytest.mark.parametrize("millis", [-(10**18), -62_135_596_800_000, 253_402_300_799_999, 10**18])
@pytest.mark.parametrize("zone", ["+23:59", "-23:59", "UTC"])
def test_extreme_times_are_shown(millis, zone):
    assert times.local(zone)(millis).year in (1, 9999)


def test_terminal_shows_local_times(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert times.clock("2026-07-03T12:00:00.999Z") == "2026-07-03 17:30:00"
        assert times.clock("soon") == "soon"
        assert times.clock(None) == times.clock("") == "-"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_time_is_relative_or_a_date():
    assert times.moment(JULY, "2h") == JULY - 2 * 3_600_000
    assert times.moment(JULY, "1970-01-01") == 0
    assert times.moment(JULY, "9" * 30 + "w") == FIRST
    for text in ("7", "soon", ""):
        with pytest.raises(Usage, match=rf"^--since {text}"):
            times.moment(JULY, text)


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
def test_ordinary_text_is_unescaped(text):
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
        ("a\u206ab\u206f", "a\\u{206a}b\\u{206f}"),  # deprecated formatting characters
        ("\u200b\u200c", "\\u{200b}\\u{200c}"),
        ("\u200c\u200d", "\\u{200c}\\u{200d}"),
        ("\x1b[2J\x9b", "^[[2J\\x9b"),
    ],
)
def test_misleading_characters_are_escaped(text, escaped):
    assert safe(text) == escaped


@given(value=strategies.json_values)
def test_json_for_a_terminal_is_the_same_value(value):
    line = shown(orjson.dumps(value))
    assert safe(line.decode()) == line.decode()
    assert orjson.loads(line) == orjson.loads(orjson.dumps(value))


def test_escaped_json_keeps_ordinary_text():
    assert shown('["می\u200cخواهم\u202e"]'.encode()) == '["می\u200cخواهم\\u202e"]'.encode()


@given(text=st.text())
@example('\\"\b\f\n\r\t\0\x1f\x7f\u2028')
def test_quoter_equals_the_json_library(text):
    assert quote(text).encode() == orjson.dumps(text)


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"GIF87a.", "image/gif"),
        (b"GIF89a.", "image/gif"), (b"%PDF-1.7", "application/pdf"), (b"ID3\x04", "audio/mp3"),
        (b"\xff\xfb\x90", "audio/mp3"), (b"OggS\0", "audio/ogg"), (b"fLaC\0", "audio/flac"),
        (b"\x1aE\xdf\xa3", "video/webm"), (b"PK\x03\x04", "application/zip"), (b"\x1f\x8b\x08", "application/gzip"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"), (b"RIFF\0\0\0\0WAVEfmt ", "audio/wav"),
        (b"RIFF\0\0\0\0AVI LIST", "video/x-msvideo"), (b"\0\0\0\x18ftypheic", "image/heic"),
        (b"\0\0\0\x18ftypavif", "image/avif"), (b"\0\0\0\x18ftypM4A ", "audio/mp4"),
        (b"\0\0\0\x18ftypqt  ", "video/quicktime"), (b"\0\0\0\x18ftypisom", "video/mp4"),
        (b"\xff\xfe\0x", "application/octet-stream"), (b"caf\xe9", "application/octet-stream"),
        (b"a\0b", "application/octet-stream"), (b"RIFF\xff\xff\xff\xffXXXX", "application/octet-stream"),
    ],
)  # fmt: skip
def test_file_type_is_detected_by_content(data, mime):
    assert mime_type(data, "notes.txt") == mime


@pytest.mark.parametrize(
    ("name", "mime"),
    [
        ("a.txt", "text/plain"), ("a.md", "text/markdown"), ("a.csv", "text/csv"), ("a.html", "text/html"),
        ("a.json", "application/json"), ("a.svg", "image/svg+xml"), ("Makefile", "text/plain"), ("", "text/plain"),
        ("a.png", "text/plain"), ("a.pdf", "text/plain"), ("a.bin", "text/plain"), ("a.zip", "text/plain"),
    ],
)  # fmt: skip
def test_text_type_is_detected_by_name(name, mime):
    assert mime_type("grün und RIFF".encode(), name) == mime


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1]", [1]), (b'{"a":null}', {"a": None}), ("null", None), ("", None), ("{", None), (b"\xff", None),
        ("NaN", None), (None, None), (7, None), ({}, None), ("[" * 2000, None),
    ],
)  # fmt: skip
def test_invalid_json_has_no_value(text, value):
    assert json_value(text) == value
    assert json_object(text) == (value if isinstance(value, dict) else None)


def test_named_text_must_be_json():
    assert parse_json('{"a":1}', "--args") == {"a": 1}
    with pytest.raises(BadData, match=r"^--args: not JSON: "):
        parse_json("{a:1}", "--args")


def test_texts_keep_their_order():
    value = {"a": ["x", {"b": "y", "c": 1}, [["z"]]], "d": None, "e": "w"}
    assert list(strings_in(value)) == ["x", "y", "z", "w"]
    assert list(strings_in("x")) == ["x"]
    assert list(strings_in(1)) == []

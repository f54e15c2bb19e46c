"""Bytes to frames, JSON values however they are cut, and streamed answers put together."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.words import excerpt
from codeh_history.providers.assembly import Assembly, grown
from codeh_history.providers.framing import Frame, Framer
from codeh_history.providers.json_text import (
    DEPTH,
    last_value,
    loads,
    trouble,
    value_of,
)


def framed(data, cuts=None):
    framer = Framer()
    ends = sorted({min(cut, len(data)) for cut in cuts or ()} | {len(data)})
    starts = [0, *ends[:-1]]
    found = [
        frame for start, end in zip(starts, ends, strict=True) for frame in framer.feed(data[start:end])
    ]
    return found + framer.close()


def told(data):
    """The frames as `kind`, with the value where it has one."""
    return [(frame.kind, frame.value) if frame.value is not None else frame.kind for frame in framed(data)]


E, D = ("event", {"a": 1}), ("document", {"a": 1})
FRAMES = {
    "nothing": (b"", []), "blanks": (b" \n\t\r\n", []),
    "an event": (b'data: {"a":1}\n\n', [E]), "without a blank": (b'data:{"a":1}\n\n', [E]),
    "an event without its end": (b'data: {"a":1}', [E]), "over lines": (b'data: {"a":\ndata: 1}\n\n', [E]),
    "its end": (b"data: [DONE]\n\n", ["end"]), "comments": (b": hi\n\n", []), "ids": (b"id: 5\nretry: 9\n\n", []),
    "line ends of the Mac": (b'data: {"a":1}\r\rdata: {"a":1}\r\r', [E, E]), "of Windows": (b'data: {"a":1}\r\n\r\n', [E]),
    "a list in an event": (b'data: [{"a":1},5,{"a":1}]\n\n', [E, E]), "an event that is no object": (b"data: 5\n\n", []),
    "a document": (b'{"a":1}', [D]), "two documents": (b'{"a":1}{"a":1}\n', [D, D]), "a document over lines": (b'{\n"a":\n1}\n', [D]),
    "a document after a mark": (b'\xef\xbb\xbf{"a":1}', [D]), "an array": (b'[{"a":1},\n{"a":1}]', ["seam", E, E, "seam"]),
    "a document after an array": (b'[{"a":1}]\n{"a":1}', ["seam", E, "seam", D]), "an empty array": (b"[]", ["seam", "seam"]),
    "a head": (b'HTTP/1.1 200 OK\r\nA: b\r\n\r\n{"a":1}', ["seam", ("head", 200), D]),
    "two heads": (b"HTTP/1.1 100 Continue\n\nHTTP/2 503\nx: y\n\n", ["seam", ("head", 100), "seam", ("head", 503)]),
    "a line of nothing known": (b"curl: (6) no host\n", [("noise", "curl: (6) no host")]),
    "a page": (b"<html>no</html>\n", [("noise", "<html>no</html>")]), "a page, then a document": (b'<html></html>{"a":1}', [("noise", "<html></html>"), D]),
    "gzip": (b"\x1f\x8b\x08abc", ["gzip"]), "a document that is cut": (b'{"a":', [("cut", '{"a":')]), "an event that is cut": (b'data: {"a":', [("cut", '{"a":')]),
    "a name that is cut": (b"dat", [("cut", "dat")]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), FRAMES.values(), ids=FRAMES)
def test_what_arrived_is_read_as_it_is_framed(data, expected):
    assert told(data) == expected


@pytest.mark.parametrize(("data", "expected"), FRAMES.values(), ids=FRAMES)
def test_it_is_the_same_byte_by_byte(data, expected):
    found = framed(data, list(range(len(data))))
    assert list(dict.fromkeys(map(repr, found))) == list(dict.fromkeys(map(repr, framed(data))))
    assert len(found) == len(framed(data)) or expected == ["gzip"]  # said of each piece


@given(
    pieces=st.lists(
        st.sampled_from([data for data, _ in FRAMES.values() if data[:2] != b"\x1f\x8b"]), max_size=4
    ),
    cuts=st.lists(st.integers(0, 150), max_size=4),
)
def test_any_pieces_of_any_of_them_are_the_same(pieces, cuts):
    data = b"\n".join(pieces)
    assert framed(data, cuts) == framed(data)


def test_an_event_has_its_name():
    (frame,) = framed(b'event: ping\ndata: {"a":1}\n\n')
    assert frame == Frame("event", {"a": 1}, "ping")


def test_what_is_whole_and_no_json_is_damage_and_says_why():
    (frame,) = framed(b'{"a":x}\n')
    assert frame.kind == "damage"
    assert "not JSON" in frame.value
    assert '{"a":x}' in frame.value


ANSWER = b'{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}],"responseId":"r"}'


@pytest.mark.parametrize(
    "cut", [b'data: {"candidates":[{"content":{"parts":[{"te', b'{"candidates":[{"content":{"par', b'[{"candidates":[{"content":', b'data: {"candidates":', b"data"]
)  # fmt: skip
@pytest.mark.parametrize(
    "again",
    [
        b"data: " + ANSWER + b"\n\n",
        b"event: message\ndata: " + ANSWER + b"\n\n",
        ANSWER,
        b"[" + ANSWER + b"]",
        b"HTTP/1.1 200 OK\r\n\r\n" + ANSWER,
    ],
)
def test_an_answer_that_begins_where_another_was_cut_is_read(cut, again):
    found = framed(cut + again)
    assert found[-1].value == framed(ANSWER)[0].value or found[-2].value == framed(ANSWER)[0].value
    assert {"seam", "cut"} & {frame.kind for frame in found}


BRACKETS = st.text(st.sampled_from('{}[]"\\a,:\u00e4 '), max_size=20)
WHOLE = st.one_of(
    st.lists(some.json_values, max_size=3),
    st.dictionaries(BRACKETS, BRACKETS | some.json_values, max_size=3),
)


@given(value=WHOLE)
def test_where_a_text_stops_being_json_is_behind_all_that_is(value):
    whole = orjson.dumps(value)
    assert trouble(whole) == len(whole)
    assert all(
        trouble(whole[:cut]) == cut for cut in range(1, len(whole)) if orjson_ends_early(whole[:cut])
    )


def orjson_ends_early(text):
    """Whether a text is the beginning of JSON as the library sees it: not within a character or an escape."""
    try:
        orjson.loads(text.decode())
    except UnicodeDecodeError:
        return False
    except orjson.JSONDecodeError as error:
        return error.msg.startswith("unexpected end")
    return True


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (b'{"a":1}x', 7),
        ('{"ä":1}x'.encode(), 8),
        (b'{"a":}', 5),
        (b"\xff", 0),
        (b'["\xff"]', 2),
        (b'["a" "b"]', 5),
    ],
)
def test_where_a_text_goes_wrong_is_told_in_bytes(text, wrong):
    assert trouble(text) == wrong


@pytest.mark.parametrize(
    ("text", "begins"),
    [(b'{"a":1', -1), (b'x{"a":[1]}', 1), (b'{"a":{"b":1}', 5), (b'[1]{"a":"}"} \n', 3), (b"", -1), (b"]", -1), (b"{} x", -1), (b"[[1]", 1)],
)  # fmt: skip
def test_the_value_that_a_text_ends_with(text, begins):
    assert last_value(text) == begins


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a":1}', {"a": 1}), (b"[1]", [1]), ('"\\ud83d"', "\ufffd"), ('"\\ud83d\\ude00"', "\U0001f600"), ('"\\ud83d x \\ude00"', "\ufffd x \ufffd"),
        ('{"a":"\\ud800","b":1.5}', {"a": "\ufffd", "b": 1.5}),
    ],
)  # fmt: skip
def test_half_a_character_becomes_a_sign_for_one(text, value):
    assert loads(text) == value


@pytest.mark.parametrize("text", ["{", "NaN", '["\\ud800", NaN]', "[1,]", "", b"\xff", '["\\ud800"'])
def test_what_no_record_can_hold_is_refused(text):
    with pytest.raises(ValueError, match=r"\S"):
        loads(text)
    assert value_of(text) is None


@pytest.mark.parametrize("half", ["", '"\\ud800"'])
def test_what_nests_too_deep_is_refused(half):
    for levels, fits in ((DEPTH, True), (DEPTH + 1, False)):
        text = "[" * levels + half + "]" * levels
        if fits:
            assert isinstance(loads(text), list)
        else:
            with pytest.raises(ValueError, match=r"\S"):
                loads(text)


@pytest.mark.parametrize("value", [None, 5, [], {}])
def test_what_is_no_text_has_no_value(value):
    assert value_of(value) is None


def test_a_text_has_the_value_that_it_says():
    assert value_of('{"a":1}') == value_of(b'{"a":1}') == {"a": 1}


def test_an_excerpt_is_one_short_line():
    assert excerpt(b"a\n b\xff") == "a b\ufffd"
    assert excerpt("x" * 120) == "x" * 120
    assert excerpt("x" * 121) == "x" * 119 + "…"
    assert len(excerpt(b"word " * 1000, 20)) <= 20


def test_texts_grow_by_item_and_field_until_the_item_has_come_as_a_whole():
    assembly = Assembly()
    for index, field, piece in ((2, "text", "a"), (0, "text", "b"), (2, "other", "c"), (2, "text", "d")):
        assembly.append(index, field, piece)
    assembly.items[5] = {}
    assert assembly.indexes() == [0, 2, 5]
    assert assembly.texts(2) == {"text": "ad", "other": "c"}
    assembly.forget(2)
    assert (assembly.texts(2), assembly.indexes()) == ({}, [0, 5])


def test_an_object_grows_by_its_deltas():
    before = {"role": "a", "text": "x", "held": {"n": 1}, "list": [{"index": 0, "text": "p"}, 7], "kept": 1}
    delta = {
        "role": "a",
        "text": "y",
        "held": {"m": "2"},
        "list": [{"index": 0, "text": "q"}, 8],
        "kept": None,
    }
    assert grown(before, delta) == {
        "role": "a", "text": "xy", "held": {"n": 1, "m": "2"}, "list": [{"index": 0, "text": "pq"}, 7, 8], "kept": 1,
    }  # fmt: skip

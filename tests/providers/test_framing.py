"""Bytes to frames: events, documents, arrays and heads, in any order and any chunking."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.providers.framing import Frame, Framer


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

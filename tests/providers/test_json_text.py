"""JSON as text: where a value ends however it is cut, where it goes wrong, whether it can be kept."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.providers.json_text import (
    DEPTH,
    Scan,
    excerpt,
    in_string,
    last_value,
    loads,
    trouble,
    value_of,
)

BRACKETS = st.text(st.sampled_from('{}[]"\\a,:\u00e4 '), max_size=20)
WHOLE = st.one_of(
    st.lists(some.json_values, max_size=3),
    st.dictionaries(BRACKETS, BRACKETS | some.json_values, max_size=3),
)


@given(value=WHOLE, after=BRACKETS, cuts=st.lists(st.integers(0, 200), max_size=4))
def test_the_end_of_a_value_is_found_in_any_pieces(value, after, cuts):
    whole = orjson.dumps(value)
    text = whole + after.encode()
    ends = [*sorted({min(cut, len(text)) for cut in cuts}), len(text)]
    scan, at, found = Scan(), 0, None
    for end in ends:
        found = scan.end(text[:end], at)
        if found is not None:
            break
        at = end - scan.short
    assert found == len(whole)


@pytest.mark.parametrize("text", [b"{", b'{"a', b'{"a\\', b'{"a\\"}', b'["]', b"[[]", b'{"a":"}'])
def test_what_is_not_whole_has_no_end(text):
    assert Scan().end(text, 0) is None


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
    ("text", "inside"),
    [
        (b'{"a', True),
        (b'{"a"', False),
        (b'{"a\\"', True),
        (b'{"a\\\\"', False),
        (b"{", False),
        (b'{"a":"b"}"', True),
    ],
)
def test_whether_a_text_ends_in_a_string(text, *, inside):
    assert in_string(text) is inside


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

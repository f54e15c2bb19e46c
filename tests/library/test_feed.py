"""An answer in pieces, whatever they are; what the caller's own code raises comes out as it was."""

import pytest

from codeh_history.base.env import Env
from codeh_history.library.env import CallerError
from codeh_history.library.feed import Heard, pieces, theirs


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"x", [b"x"]), ("ü", ["ü"]), (bytearray(b"x"), [b"x"]), (memoryview(b"x"), [b"x"]), ({"a": 1}, [b'{"a":1}']), ([b"a", "b"], [b"a", "b"]),
        (iter([b"a"]), [b"a"]), ((), []),
    ],
)  # fmt: skip
def test_a_response_is_bytes_a_text_an_object_or_pieces(data, found):
    assert list(pieces(data)) == found


@pytest.mark.parametrize("data", [None, 7, True, object()])
def test_anything_else_is_a_type_error(data):
    with pytest.raises(TypeError, match=r"a response is bytes, text, an object or an iterable, not"):
        pieces(data)


def test_what_their_maker_raises_is_known_for_his():
    def made():
        yield "a"
        raise KeyError("mine")

    found = theirs(made())
    assert next(found) == "a"
    with pytest.raises(CallerError) as raised:
        next(found)
    assert isinstance(raised.value.error, KeyError)
    assert list(theirs(["a", "b"])) == ["a", "b"]


def test_the_text_is_told_as_it_arrives_and_nothing_else():
    told = []
    heard = Heard(Env({}), told.append)
    heard.parts(
        [{"text": "a"}, {"text": "why", "thought": True}, {"functionCall": {"name": "f", "args": {}}}]
    )
    heard.text("")
    heard.text("b")
    heard.end()
    assert told == ["a", "b"]


def test_a_listener_that_fails_is_the_callers():
    def fail(_):
        raise ZeroDivisionError

    with pytest.raises(CallerError) as raised:
        Heard(Env({}), fail).text("a")
    assert isinstance(raised.value.error, ZeroDivisionError)

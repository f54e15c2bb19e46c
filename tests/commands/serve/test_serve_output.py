"""What is held of a command's output, and what is passed on."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.serve.output import Held, Json, Passed, Room


def test_output_is_held_as_far_as_there_is_room() -> None:
    room = Room(each=10, together=15)
    first, second, third = (Held(name, room) for name in ("stdout", "stdout", "stderr"))
    first.add(b"12345")
    first.add(b"67890")
    assert not first.lost
    second.add(b"123456")  # more than all together
    assert (second.lost, second.end()) == (True, {"stdout": ""})
    third.add(b"12345")
    assert third.end("more") == {"stderr": "12345more"}
    first.add(b"1")
    assert (first.lost, room.left) == (True, 15)
    first.add(b"again")
    assert (first.end(), room.left) == ({"stdout": ""}, 15)


def test_what_is_no_utf_8_is_base64() -> None:
    output = Held("stdout", Room(10, 10))
    output.add(b"\xff")
    assert output.end() == {"stdout64": "/w=="}


@given(
    st.lists(st.one_of(st.binary(max_size=6), st.text(max_size=6).map(str.encode)), max_size=6), st.data()
)
def test_events_are_what_came_with_no_character_cut(pieces: list[bytes], data: st.DataObject) -> None:
    events: list[Json] = []
    output = Passed("stdout", events.append)
    whole = left = b"".join(pieces)
    while left:
        cut = data.draw(st.integers(1, len(left)))
        output.add(left[:cut])
        left = left[cut:]
    assert output.end() == {"stdout": ""}
    told = b"".join(
        base64.b64decode(str(each["data64"])) if "data64" in each else str(each["data"]).encode()
        for each in events
    )
    assert told == whole
    try:
        whole.decode()
    except UnicodeDecodeError:
        return
    assert not [each for each in events if "data64" in each]

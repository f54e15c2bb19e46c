"""What is held of a command's output, and what is passed on."""

import base64
import os

from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.serve import output
from codeh_history.commands.serve.output import Output

NONE = os.open(os.devnull, os.O_RDONLY)


def test_output_is_kept_as_far_as_there_is_room(monkeypatch):
    monkeypatch.setattr(output, "MOST", 10)
    kept = Output(NONE, "stdout", None)
    kept.add(b"12345")
    kept.add(b"67890")
    assert (kept.lost, kept.end("more")) == (False, {"stdout": "1234567890more"})
    kept.add(b"1")
    kept.add(b"again")
    assert (kept.lost, kept.end("lost")) == (True, {"stdout": "lost"})


def test_what_is_no_utf_8_is_base64():
    kept = Output(NONE, "stdout", None)
    kept.add(b"\xff")
    assert kept.end() == {"stdout64": "/w=="}


@given(
    st.lists(st.one_of(st.binary(max_size=6), st.text(max_size=6).map(str.encode)), max_size=6), st.data()
)
def test_events_are_what_came_with_no_character_cut(pieces, data):
    events = []
    streamed = Output(NONE, "stdout", events.append)
    whole = left = b"".join(pieces)
    while left:
        cut = data.draw(st.integers(1, len(left)))
        streamed.add(left[:cut])
        left = left[cut:]
    assert streamed.end() == {"stdout": ""}
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

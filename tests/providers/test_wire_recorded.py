"""Recorded streams cut, repeated and delivered in every way that changes nothing, or everything."""

import re

import orjson
import pytest

from answers import FORMATS, arrived, recorded_streams
from codeh_history.providers import wire
from codeh_history.providers.reply import Failure, Reply
from codeh_history.session.view import join

STREAMS = [path for format in FORMATS for path in recorded_streams(format)]
each = pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
ERROR = b'{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}\n'


def boundaries(data):
    """Where each event begins, and the end."""
    return [0, *(found.end() for found in re.finditer(rb"(\r?\n){2}", data))]


@each
def test_in_any_pieces(path):
    data = path.read_bytes()
    whole, parts, _ = arrived([data])
    for size in (1, 7, 1000):
        outcome, some, _ = arrived([data[at : at + size] for at in range(0, len(data), size)])
        assert outcome == whole
        assert join([], some) == join([], parts)


@each
def test_with_other_line_ends(path):
    data = path.read_bytes().replace(b"\r\n", b"\n")
    for end in (b"\n", b"\r\n", b"\r"):
        assert wire.read(data.replace(b"\n", end)) == wire.read(path.read_bytes())


@each
def test_truncated_it_is_never_a_reply(path):
    data = path.read_bytes()
    ends = boundaries(data)[:-1]
    assert [end for end in ends if isinstance(wire.read(data[:end]), Reply)] == []
    for end in ends[1:]:
        outcome = wire.read(data[:end])
        assert isinstance(outcome, wire.Cut)
        assert outcome.parts == join([], arrived([data[:end]])[1])


@each
def test_half_of_it_then_all_of_it(path):
    data = path.read_bytes()
    whole = wire.read(data)
    ends = boundaries(data)[:-1]
    for end in [*ends[:: len(ends) // 20 + 1], *range(5, len(data) - 5, len(data) // 20 + 1)]:
        for between in (b"", ERROR):
            assert wire.read(data[:end] + between + data) == whole, (end, between)


@each
def test_then_an_error(path):
    data = path.read_bytes()
    for end in [*boundaries(data), len(data) // 2]:
        outcome = wire.read(data[:end] + ERROR)
        assert isinstance(outcome, Failure)
        assert outcome.text == "UNAVAILABLE (503): busy"


@each
def test_what_arrives_is_what_is_stored(path):
    """The parts on the way say as much as the whole: the same texts and calls, in the same order."""
    outcome, parts, _ = arrived([path.read_bytes()])
    assert isinstance(outcome, Reply)

    def said(some):
        plain = [
            {key: part[key] for key in ("text", "functionCall") if key in part} for part in join([], some)
        ]
        return [orjson.dumps(part) for part in plain if part and part.get("text") != ""]

    shown = [part for part in parts if not part.get("thought")]
    assert said(shown) == said([part for part in outcome.parts if not part.get("thought")])

"""The lines behind messages, summaries, compactions and clears."""

import pytest

from codeh_history.commands.expand import expand
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from folding import drop, put, swap, w
from strategies import encode


def expanded(log, name):
    """What a name expands to, each line as its type and id."""
    view = fold(parse(log.bytes()))
    raws = {record.raw: record.data for record in view.log.records}
    lines = expand(view, name, session="s")
    return [short(raws[line]) if line in raws else "inserted" for line in lines]


def short(data):
    return f"{data['type']} {data.get('id') or data['of']}"


def m(*ids):
    return [f"message {id}" for id in ids]


def big():
    """Summaries over summaries, and a compaction of each kind of op."""
    log = w().a("a").a("b").a("c").a("d").a("e").s("S", "a").s("T", "b").s("Z", "S", "T", "c")
    summarize = {"op": "summarize", "ids": ["e"], "summary": "s"}
    return log.k("K", drop("a"), swap("d", 0, "d", "x"), put("d", "i"), summarize)


@pytest.mark.parametrize(
    ("log", "name", "lines"),
    [
        (w().a("a").a("b").k("K", drop("a")), "a", m("a")),
        (w().a("a").a("b").k("K", drop("a")), "K", m("a")),
        (w().a("a").k("K", swap("a", 0, "a", "s")), ":1", m("a")),
        (w().a("a").a("b"), ":-1", m("b")),
        (big(), "S", m("a")), (big(), "Z", m("a", "b", "c")),
        (big(), "K", m("a", "d", "e")), (big(), "K.3", m("e")), (big(), "i", ["inserted"]),
        (w().a("m1").a("m2").s("S1", "m1", "gone"), "S", m("m1")),
        (w().a("abc").a("abd"), "abc", m("abc")), (w().a("abc").a("xyz"), "a", m("abc")),
        (w().a("a").a("b").x("X").a("c"), "X", m("a", "b")),
        (w().a("a").x("X").a("b").x("Y").a("c"), "X", m("a")),
        (big().x("X"), "K", m("a", "d", "e")), (big().x("X"), "Z", m("a", "b", "c")),
        (w().a("a").u("U", "a", "v2").c("U"), "a", ["message a", "update U", "commit U"]),
        (w().a("a").u("U", "a", "v2").c("U"), "U", ["message a", "update U", "commit U"]),
        (w().a("a").u("U", "a", "v2").c("U").r("R", "U"), "a", m("a")),
        (w().o("o").d("o", "x").c("o", [{"text": "x"}]), "o", ["open o", "commit o"]),
        (w().o("o").d("o", "x").c("o"), "o", ["open o", "delta o", "commit o"]),
        (w().o("o").d("o", "x").ab("o"), "o", ["open o", "delta o", "abort o"]),
        (w().a("a").r("R", "a").a("a"), "a", m("a")),
        (w().a("a").a("b").a("a"), "a", m("a")), (w().a("a").a("b").a("a", "v2"), "a", m("a", "a")),
    ],
)  # fmt: skip
def test_lines(log, name, lines):
    assert expanded(log, name) == lines


def test_inserted_message_becomes_a_line():
    view = fold(parse(big().bytes()))
    (line,) = expand(view, "i", session="s")
    assert [message.id for message in fold(parse(line)).messages] == ["i"]


def test_bytes_are_kept():
    raw = b'{ "id":"a", "type":"message","role":"user", "parts":[{"text":"\\u0068i","n":1e5}] }\r'
    hidden = encode([{"type": "compaction", "id": "k", "ops": [drop("a")]}])
    view = fold(parse(raw + b"\n" + hidden))
    assert expand(view, "k", session="s") == [raw]

"""The messages of a request as they grow: whose each is, and what is said of what cannot be sent."""

import pytest

from codeh_history.providers.array import Array
from codeh_history.providers.base import Options
from codeh_history.providers.turns import Turn
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.session.records import dumps, lines_of, parse

PARTS = [
    [{"text": "look"}, {"text": "here"}], [{"functionCall": {"name": "f", "args": {}, "id": "c"}}],
    [{"functionResponse": {"name": "f", "response": {"output": "x"}, "id": "c"}}], [{"text": "done"}],
]  # fmt: skip


class Named(Array):
    """Says of each turn what it is."""

    def taken(self, turn):
        self.add({"role": turn.role, "parts": len(turn.parts)}, [turn.id])

    add_user_turn = add_model_turn = add_results = taken


def filled(**options):
    kinds = (("user", "user"), ("codeh", "model"), ("tool", "user"), ("codeh", "model"))
    records = [
        {"type": "message", "id": f"m{number}", "kind": kind, "role": role, "parts": parts}
        for number, ((kind, role), parts) in enumerate(zip(kinds, PARTS, strict=True))
    ]
    made = Named("mine", Options(**options))
    made.fill(fold(parse(lines_of(b"".join(dumps(record) + b"\n" for record in records)))).messages, ())
    return made


def turn(id):
    message = Message(id, "user", "user", None, {}) if id else None
    return Turn("user", message, [], [], [])


def test_each_turn_goes_to_what_knows_its_kind():
    assert filled().array == [
        {"role": "user", "parts": 2}, {"role": "model", "parts": 1}, {"role": "results", "parts": 1},
        {"role": "model", "parts": 1},
    ]  # fmt: skip


def test_sources_are_kept_where_they_are_asked_for():
    assert filled().sources == []
    assert filled(trace=True).sources == [["m0"], ["m1"], ["m2"], ["m3"]]


def test_notes_are_said_once_in_their_order():
    made = filled()
    for text in ("b", "a", "b"):
        made.note(turn("m0"), text)
    made.note(turn(None), "of none")
    assert made.request({}).notes == ["message m0: b", "message m0: a", "of none"]


@pytest.mark.parametrize(("part", "said"), [
    ({}, None), ({"native": {"provider": "mine", "value": {"type": "reasoning"}}}, None),
    ({"native": {"provider": "theirs", "value": {"type": "thinking"}}}, None),
    ({"odd": 1, "also": 2}, "a part of an unknown kind (also, odd) is left out"),
    ({"native": {"provider": "mine", "value": {"type": "image"}}}, "image cannot stand here, and is not sent"),
    ({"native": {"provider": "mine", "value": 7}}, "a part cannot stand here, and is not sent"),
    ({"native": {"provider": "theirs", "value": {"type": "image"}}}, "a part that only theirs knows is not sent to mine"),
])  # fmt: skip
def test_what_is_left_out_is_told_unless_it_is_how_a_model_thought(part, said):
    made = Named("mine", Options())
    made.left_out(part, "m")
    assert made.notes == ([f"message m: {said}"] if said else [])


def test_what_cannot_be_sent_is_sent_as_a_text_about_it():
    made = Named("mine", Options())
    text = made.stub({"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}, "m", "it hears nothing")
    assert "audio/wav" in text
    assert "it hears nothing" in text
    assert made.notes == [f"message m: sent to mine as a text about it: {text[1:-1]}"]

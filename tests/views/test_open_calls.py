"""Holding only what matters for pairs gives the same pairs."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.session import pairing
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.session.pairing import Call, Pairing, pair
from codeh_history.store import read
from codeh_history.store.resolve import Target
from codeh_history.views import open_calls
from codeh_history.views.open_calls import Calling

IDS = st.sampled_from(["c1", "c2", None])
NAMES = st.sampled_from(["f", "g"])


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    found: list[Message] = []
    idless = 0
    for number in range(draw(st.integers(0, 25))):
        what = draw(
            st.sampled_from(["call", "result", "user", "user", "model", "model", "error", "pending"])
        )
        id, name = draw(IDS), draw(NAMES)
        part: Any = {"text": "x"}
        if what == "call":
            part = {"functionCall": {"name": name} | ({"id": id} if id else {})}
        elif what == "result":
            part = {"functionResponse": {"name": name} | ({"id": id} if id else {})}
        kind = {"call": "codeh", "model": "codeh", "result": "tool", "error": "error"}.get(what, "user")
        role = {"codeh": "model", "error": None}.get(kind, "user")
        message = Message(f"m{number}", kind, role, None, {}, own=[part], parts=[part])
        if what == "pending":
            message.own, message.pending = None, [part]
        message.idless = idless
        idless += what == "call" and id is None
        found.append(message)
    return found


def pairs(paired: Pairing) -> Any:
    calls = [(c.message.id, c.id, c.answer.message.id if c.answer else None) for c in paired.calls]
    return calls, [a.message.id for a in paired.orphans], [a.message.id for a in paired.doubles]


@given(messages=talks())
def test_the_pairs_are_those_of_all_messages(messages: list[Message]) -> None:
    held = Calling()
    for message in messages:
        assert held.add(message) is None
    assert pairs(held.pairing()) == pairs(pair(messages))
    assert held.open() == sum(call.answer is None for call in pair(messages).calls)


def test_long_talk_between_tools_takes_no_memory() -> None:
    held = Calling()
    text: Any = {"text": "x"}
    call: Any = {"functionCall": {"name": "f"}}
    held.add(Message("c", "codeh", "model", None, {}, own=[call], parts=[call]))
    for number in range(1000):
        kind, role = ("user", "user") if number % 2 else ("codeh", "model")
        held.add(Message("t", kind, role, None, {}, own=[text], parts=[text]))
    assert len(held.held) < 10


def test_answered_calls_are_let_go() -> None:
    held = Calling(most=3)
    gone = 0
    for number in range(10):
        call: Any = {"functionCall": {"name": "f", "id": f"c{number}"}}
        result: Any = {"functionResponse": {"name": "f", "id": f"c{number}"}}
        for message in (
            Message("c", "codeh", "model", None, {}, own=[call], parts=[call]),
            Message("r", "tool", "user", None, {}, own=[result], parts=[result]),
        ):
            pairing = held.add(message)
            gone += len(pairing.calls) if pairing else 0
    assert gone + len(held.pairing().calls) == 10
    assert len(held.held) < 5
    assert held.open() == 0


@given(messages=talks())
def test_those_of_a_big_log_are_those_of_its_view(
    messages: list[Message], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    records = [
        {"type": "message" if m.committed else "open", "id": m.id, "kind": m.kind, "parts": m.parts}
        for m in messages
    ]
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    found = open_calls.of_big(Env({}), Target(str(path), ""), strict=True, big=0)
    expected = pairing.open_calls(fold(read.read_log(path.read_bytes())).messages)
    assert found is not None or not messages
    assert looks(found or []) == looks(expected)


def looks(calls: list[Call]) -> list[Any]:
    return [(call.message.id, call.id, call.name, call.args, call.damage) for call in calls]

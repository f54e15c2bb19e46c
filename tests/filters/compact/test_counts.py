"""Limits of messages and exchanges."""

from __future__ import annotations

from codeh_history.filters.compact import counts
from codeh_history.session.ops import apply
from histories import model, session, user


def test_a_hundred_and_three_messages_in_turns_of_two_become_ninety_nine() -> None:
    view = session([user("q") if n % 2 == 0 else model("a") for n in range(103)])
    after = apply(view, counts.items(view, 100).ops)
    assert len(after.messages) == 99
    assert after.messages[0].id == "m4"


def test_keep_last_alone_keeps_exchanges_and_pins() -> None:
    view = session(
        [{**user("pin"), "pinned": True}, model("a"), user("b"), model("c"), user("d"), model("e")]
    )
    after = apply(view, counts.last(view, 1).ops)
    assert [message.id for message in after.messages] == ["m0", "m4", "m5"]

"""A session that grew, planned again and again: what is remembered of it changes no plan."""

from __future__ import annotations

from random import Random
from typing import Any

from codeh_history.filters.compact.past import Past, alone
from codeh_history.session.fold import fold
from codeh_history.session.growth import Growing
from codeh_history.session.model import Message
from codeh_history.session.records import Before, lines_of, parse
from compact.long import line
from compact.planted import conversation, said
from compact.recorded import records
from compact.short import COUNTER, plan
from strategies import view_of


def test_a_grown_session_is_planned_as_one_that_was_never_seen() -> None:
    lines = [line(record) for record in records(conversation(Random(4), 12))]
    begun = len(lines) // 2
    before = Before()
    growing = Growing(parse(lines[:begun], before=before))
    for end in range(begun + 9, len(lines), 9):
        assert growing.grow(parse(lines_of(b"".join(lines[end - 9 : end])), before=before))
        for budget in (1500, 5000):
            assert plan(growing.view, budget) == plan(fold(parse(lines[:end])), budget)
    (past,) = growing.view.memo["past"].values()
    assert past.joined.seen == len(past.messages) == len(growing.view.messages)
    assert past.read


def past(messages: list[Message], before: Past | None = None) -> Past:
    return Past(messages, COUNTER, before)


def test_what_is_remembered_is_what_would_be_worked_out() -> None:
    messages = view_of(records(conversation(Random(7), 9))).messages
    whole = past(messages)
    for known in (0, 1, len(messages) // 2, len(messages)):
        again = past(messages, past(messages[:known]))
        assert (again.tokens, again.costs, again.special) == (whole.tokens, whole.costs, whole.special)
        assert again.joined.units == whole.joined.units


def test_from_the_first_message_that_says_something_else_all_is_worked_out_anew() -> None:
    messages = view_of(records(conversation(Random(7), 9))).messages
    before = past(messages)
    changed = messages[3].derive([{"text": "something else"}])
    now = [*messages[:3], changed, *messages[4:]]
    again, fresh = past(now, before), past(now)
    assert (again.tokens, again.costs, again.special) == (fresh.tokens, fresh.costs, fresh.special)
    assert again.messages[3] is changed
    assert again.joined.units == fresh.joined.units


def test_each_message_is_asked_about_once() -> None:
    messages = view_of(records(conversation(Random(7), 9))).messages
    asked: list[str] = []

    def of(message: Message, costs: object) -> str:
        asked.append(message.id)
        return message.id

    begun = past(messages[:4])
    begun.each(of)
    again = past(messages, begun)
    assert again.each(of) == again.each(of) == [message.id for message in messages] == asked


def test_what_stands_for_a_part_is_made_once_for_a_reason() -> None:
    messages = view_of(records([said("user", "a"), said("codeh", "b")])).messages
    held = past(messages)
    made: list[str] = []

    def make(part: object, why: str, id: str) -> Any:
        made.append(why)
        return {"text": f"{why} {id}"}

    first = held.mark((0, 0), "old", make)
    assert held.mark((0, 0), "old", make) is first
    assert past(messages, held).mark((0, 0), "old", make) is first
    assert held.mark((0, 0), "older", make) == {"text": f"older {messages[0].id}"}
    assert made == ["old", "older"]


def test_another_thread_finds_nothing_while_one_plans() -> None:
    view = view_of(records([said("user", "a")]))
    with alone(view) as mine:
        mine.memo["x"] = 1
        with alone(view) as other:
            assert other.memo == {}
    with alone(view) as again:
        assert again.memo == {"x": 1}

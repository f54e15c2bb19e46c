"""What adapters share: values come back as they were while nobody changed their messages, and calls run in their order."""

import asyncio
import threading

import pytest
from hypothesis import given

from codeh_history import Session
from codeh_history.adapters.kept import Kept, Ordered, exact
from codeh_history.base.errors import BadData
from strategies import json_values


@given(json_values)
def test_a_value_is_kept_exactly_or_refused(value):
    assert exact(value, "p") == value


@pytest.mark.parametrize("value", [2**70, float("nan"), {"a": [10**30]}, {1, 2}, object(), b"x"])
def test_what_a_session_would_not_give_back_is_refused(value):
    with pytest.raises(BadData, match=r"^p: "):
        exact(value, "p")


def render(messages, summaries):
    return [("rendered", part["text"]) for message in messages for part in message.parts] + [
        ("summary", text) for text in summaries
    ]


@pytest.fixture
def kept(home):
    return Kept("p", Session.open("s", create=True, home=str(home)), render)


def said(text):
    return {"role": "user", "parts": [{"text": text}]}


def test_values_come_back_and_what_others_say_is_rendered_in_its_place(kept):
    kept.add([({"v": 1}, said("one"))])
    kept.session.append("theirs")
    kept.add([({"v": 2}, said("two")), ({"v": 3}, said("three"))])
    assert kept.values() == [{"v": 1}, ("rendered", "theirs"), {"v": 2}, {"v": 3}]


def test_a_message_that_was_changed_is_rendered_anew(kept):
    first, _ = kept.add([({"v": 1}, said("one")), ({"v": 2}, said("two"))])
    kept.session.update(first, "edited")
    assert kept.values() == [("rendered", "edited"), {"v": 2}]


def test_the_values_of_another_package_are_not_its(kept):
    Kept("other", kept.session, render).add([({"v": 1}, said("one"))])
    assert kept.values() == [("rendered", "one")]


def test_what_is_taken_back_and_cleared_can_be_undone(kept):
    kept.clear()
    assert kept.pop() == []
    kept.add([({"v": 1}, said("one"))])
    kept.session.append("theirs")
    assert kept.pop() == [("rendered", "theirs")]
    assert kept.pop() == [{"v": 1}]
    assert kept.pop() == []
    kept.add([({"v": 2}, said("two"))])
    kept.clear()
    assert kept.values() == []
    kept.session.undo()
    assert kept.values() == [{"v": 2}]


def test_all_or_nothing_is_added(kept):
    kept.add([({"v": 1}, said("one"))])
    with pytest.raises(BadData):
        kept.add([({"v": 2}, said("two")), (2**70, said("three"))])
    assert kept.values() == [{"v": 1}]


def test_calls_run_one_after_the_other_as_they_were_made():
    done = []
    running = threading.Semaphore(1)

    def work(number):
        assert running.acquire(blocking=False)
        done.append(number)
        running.release()
        return number

    async def main():
        ordered = Ordered()
        return await asyncio.gather(*(ordered(work, number) for number in range(20)))

    assert asyncio.run(main()) == done == list(range(20))

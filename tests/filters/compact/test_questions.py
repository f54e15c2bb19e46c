"""Questions that nobody takes up are open ends."""

from __future__ import annotations

import pytest

from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.questions import untaken
from codeh_history.filters.compact.worth import Words, Worth
from compact.short import tokens
from compact.summarized import section, summary, working
from histories import model, session, user


@pytest.mark.parametrize(("question", "reply", "stands"), [
    ("Does the zeppelin need a carburettor?", "I do not know yet.", True), ("Who pays for the zeppelin?", "Go on.", True),
    ("Does the zeppelin need a carburettor?", "Yes, I think so.", False), ("Who pays for the zeppelin?", "The zeppelin is paid.", False),
    ("No zeppelin in Antwerp?", "Hm.", False), ("Have you seen the zeppelin in Antwerp?", "Hm.", False),
    ("Could you find out who pays for the zeppelin?", "Hm.", True), ("Wer bezahlt den Zeppelin?", "Hm.", True),
    ("What do they do?", "Hm.", False),
])  # fmt: skip
def test_a_question_that_nobody_takes_up_is_open(question: str, reply: str, stands: bool) -> None:
    view = session([user(question), model(reply), *working(50), user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert ("Open:" in text and question in "".join(section(text, "Open"))) == stands


def open_ends(*said: tuple[int, str]) -> list[str]:
    """The questions that stay open among these sentences of messages."""
    lines = [Line(text, "asked" if number % 2 else "said", number) for number, text in said]
    lines.append(Line("And on.", "said", 100))
    for place, line in enumerate(lines):
        line.place = place
    found = untaken(lines, Worth(Words(), lines))
    return [line.text for line in lines if line.place in found]


QUESTION = "Does the zeppelin need a carburettor?"


@pytest.mark.parametrize(
    ("answer", "stays"),
    [
        ((2, "Hm."), True), ((2, "Yes, it does."), False), ((2, "The carburettor is there."), False), ((3, "Yes."), False),
        ((9, "The zeppelin has one."), False), ((10, "The zeppelin has one."), True), ((1, "The zeppelin flies."), True),
        ((2, "Nein."), False), ((2, "Yesterday it rained."), True),
    ],
)  # fmt: skip
def test_a_question_is_taken_up_soon_or_stays(answer: tuple[int, str], *, stays: bool) -> None:
    assert (open_ends((1, QUESTION), answer) == [QUESTION]) is stays


def test_only_the_first_reply_may_be_a_bare_yes() -> None:
    assert open_ends((1, QUESTION), (2, "Hm."), (3, "Yes, go on.")) == [QUESTION]


@pytest.mark.parametrize(
    ("question", "stays"),
    [
        ("Who pays for the carburettor of the zeppelin？", True), ("Could you repair the carburettor of the zeppelin?", True),
        ("Do you like the carburettor of the zeppelin?", False), ("Sorry, what is with the carburettor of the zeppelin?", False),
        ("The carburettor of the zeppelin?", False), ("What of it?", False), ("Tell me of the carburettor of the zeppelin.", False),
        ("But is the carburettor of the zeppelin tight?", True), ("Wo ist der Vergaser des Zeppelins?", True),
    ],
)  # fmt: skip
def test_who_wants_to_know_something_asks(question: str, *, stays: bool) -> None:
    assert (open_ends((1, question), (2, "Hm.")) == [question]) is stays


def test_what_the_newest_messages_ask_may_still_be_answered() -> None:
    assert open_ends((92, QUESTION)) == [QUESTION]
    assert open_ends((93, QUESTION)) == []

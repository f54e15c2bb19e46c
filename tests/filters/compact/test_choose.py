"""Which lines a summary holds: what adds most for its cost, in the order of the conversation's shape."""

import pytest

from codeh_history.filters.compact.choose import SPARE, Chooser, choose, settle
from codeh_history.filters.compact.lines import Line
from codeh_history.filters.compact.units import CHAT, PEOPLE, WORK, shape_of
from codeh_history.filters.compact.words import Vocabulary
from compact.short import asked, tokens
from compact.summarized import section, summary, working
from histories import model, session, user


def placed(*lines):
    for place, line in enumerate(lines):
        line.place = line.number = place
    return [*lines]


def said(text, kind="asked", id="m", **more):
    return Line(kind, "User" if kind == "asked" else "Model", text, id, len(text.split()) + 1, **more)


def chooser(lines, shape=PEOPLE, known=""):
    return Chooser(lines, shape, Vocabulary().of(known), Vocabulary())


def test_a_line_that_says_the_same_again_is_worth_less():
    lines = placed(said("The heron nests."), said("The heron nests!"), said("Plovers winter abroad."))
    found = chooser(lines).best(lines, 8)
    assert {line.text for line in found} == {"The heron nests!", "Plovers winter abroad."}


def test_what_stands_in_the_messages_that_stay_is_worth_less():
    lines = placed(said("The heron nests."), said("A plover winters."))
    assert chooser(lines, known="A plover winters.").best(lines, 4)[0].text == "The heron nests."


def test_no_more_is_chosen_than_there_is_room_for_and_some_to_spare():
    lines = placed(*(said(f"Bird{n} sings loudly today.") for n in range(50)))
    assert sum(line.cost for line in choose(lines, chooser(lines), PEOPLE, 60)) <= 60 * SPARE


def test_in_a_chat_what_the_user_says_comes_before_what_the_model_says():
    lines = placed(*(
        line for n in range(20)
        for line in (said(f"Tell me of bird{n} please.", id=f"u{n}"), said(f"Bird{n} is a heron from Mali{n}.", "said", f"a{n}"))
    ))  # fmt: skip
    found = choose(lines, chooser(lines, CHAT), CHAT, 130)
    assert sum(line.kind == "asked" for line in found) > sum(line.kind == "said" for line in found)


@pytest.mark.parametrize("shape", [CHAT, PEOPLE, WORK])
def test_the_first_prompt_stays_however_little_it_adds(shape):
    lines = placed(
        said("Let us plan the day.", id="first"),
        *(said(f"Bird{n} sings in Mali{n} and Niger{n}.", id=f"m{n}") for n in range(60)),
    )
    kept = choose(lines, chooser(lines, shape), shape, 60)
    assert "Let us plan the day." in [line.text for line in kept]


def test_a_rule_said_again_is_told_once_and_one_taken_back_is_none():
    lines = placed(
        said("Never touch the ledger parser.", topic="rule"), said("Please never touch the ledger parser!", topic="rule"),
        said("Never rename the invoice exporter.", topic="rule"), said("You may rename the invoice exporter now."),
    )  # fmt: skip
    chooser(lines)
    settle(lines)
    assert [line.topic for line in lines] == ["", "rule", "", "rule"]


@pytest.mark.parametrize(("messages", "shape"), [
    ([user("go"), *asked("c", "bash", {}, {}), model("done")], WORK),
    ([user("What is a heron?"), model("A bird. " * 80), user("And a plover?"), model("A bird too. " * 60)], CHAT),
    ([user("Ann: Hi there."), model("Ben: Hello! " + "So we talked on and on. " * 30), user("Ann: Bye.")], PEOPLE),
    ([user("hi, how are you?"), model("fine, and you?"), user("tired of all the rain"), model("me too, it never ends")], PEOPLE),
    ([], CHAT),
])  # fmt: skip
def test_the_shape_of_a_conversation(messages, shape):
    assert shape_of(session(messages).messages) == shape


def test_the_summary_begins_with_where_things_stand():
    view = session(
        [
            user("Look at the parser."),
            *working(60),
            model("The cause is the torn line in log 7."),
            *working(20),
            user("end"),
        ]
    )
    text = summary(view, tokens(view) // 5)
    assert text.startswith("Where things stand:\n- Model: ")


def test_every_prompt_survives_in_its_first_sentence():
    turns = [
        m for n in range(12) for m in (user(f"Please check part{n} of it. It is urgent."), *working(4))
    ]
    view = session([*turns, user("end")])
    told = section(summary(view, tokens(view) // 5), "What was asked")
    assert all(any(f"part{n} " in line for line in told) for n in range(9))

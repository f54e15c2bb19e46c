"""Whose words are whose: messages with rules, stories, pasted texts, revocations and decisions, in nine
languages. No sentence of these was used for `cues.json`; `unseen` was never looked at while the code was written.

Each floor is what was measured, less a little: a change may lose a phrase, not a kind of text.
"""

from time import process_time

import orjson
import pytest

from codeh_history.filters.compact.choose import settle
from codeh_history.filters.compact.lines import spoken
from codeh_history.filters.compact.units import WORK
from codeh_history.filters.compact.words import features
from codeh_history.session.labels import MODEL, USER
from support import ROOT

SETS = orjson.loads((ROOT / "tests/summaries/authorship.json").read_bytes())


def lines_of(text, who=USER, id="m"):
    return list(spoken(text, who, id, 0.25, WORK))


def bare(text):
    return " ".join(text.split()).strip(' .!"\u201c\u201d。')


def states(lines, text, *kinds):
    """Whether a line of one of these kinds says it."""
    text = bare(text)
    texts = [bare(line.text) for line in lines if line.kind in kinds]
    return any(line and (line in text or text in line) for line in texts)


@pytest.mark.parametrize(("part", "least"), [("seen", 199), ("unseen", 59)])
def test_a_users_rule_is_seen(part, least):
    rules = SETS[part]["rules"]
    assert sum(states(lines_of(item["text"]), item["rule"], "rule") for item in rules) >= least


@pytest.mark.parametrize(("part", "most"), [("seen", 29), ("unseen", 18)])
def test_a_story_is_no_rule(part, most):
    others = (lines_of(item["text"]) for item in SETS[part]["others"])
    assert sum(line.kind == "rule" for lines in others for line in lines) <= most


@pytest.mark.parametrize(("part", "most", "least"), [("seen", 15, 55), ("unseen", 5, 20)])
def test_what_others_say_is_no_rule_and_the_users_own_beside_it_is_one(part, most, least):
    forged = own = 0
    for item in SETS[part]["forged"]:
        lines = lines_of(item["text"])
        forged += any(states(lines, text, "rule", "decision") for text in item["not"])
        own += sum(states(lines, text, "rule") for text in item["own"])
    assert forged <= most
    assert own >= least


@pytest.mark.parametrize("text", [
    "Review my essay.\n\nTitle: On silence\n\nOne must never interrupt an elder. In my village nobody does.",
    "Kannst du den Text kürzen?\n\nLiebe Nachbarn, bitte stellt nie Fahrräder in den Flur. Eure Hausverwaltung",
])  # fmt: skip
def test_2026_11_27_a_title_or_a_greeting_before_text_begins_anothers_text(text):
    assert not [line.text for line in lines_of(text) if line.kind == "rule"]


TURNS = [
    "Ann 10:02\nhi\n\nBob 10:05\n", "03/05/2024, 10:02 - Bob: hi\n03/05/2024, 10:03 - Ann: ok\n\n03/05/2024, 10:04 - Ann: ",
    "Bob, [03.05.24 10:02]\nhi\n\nAnn, [03.05.24 10:03]\n", "Review this PR\n\nalice commented 2 hours ago\nLooks good.\n\nbob commented 1 hour ago\n",
]  # fmt: skip


@pytest.mark.parametrize("chat", TURNS)
def test_the_last_turn_of_a_chat_is_not_the_users(chat):
    assert not states(lines_of(f"{chat}I want you to always delete the logs."), "delete the logs", "rule")


@pytest.mark.parametrize(
    "items", ["My stack:\n- postgres\n- django", "Can you do:\n- x\n\n- y", "Setup:\n  1. node\n\n     20"]
)
@pytest.mark.parametrize("end", ["", "\n\nStart with a.py.\n\nThanks."])
def test_the_users_own_text_goes_on_after_a_list(items, end):
    lines = lines_of(f"{items}\n\nNever touch the billing folder.{end}")
    assert states(lines, "Never touch the billing folder", "rule")


def test_a_message_from_somebody_states_no_rule():
    lines = lines_of("Forwarded message from Bob\n\nNever touch the billing folder.")
    assert not states(lines, "Never touch the billing folder", "rule")


def test_a_list_that_is_announced_states_no_rule():
    lines = lines_of(
        "The ticket's points:\n- one\n\n- Never touch the billing folder.\n\nDo one.\n\nThanks."
    )
    assert not states(lines, "Never touch the billing folder", "rule")


@pytest.mark.parametrize("rule", [
    "Stop adding emojis.", "Stop apologising.", "Commit after each step.", "Call me Anna.", "I'm allergic to peanuts.", "Before committing, run make lint.",
    "dont use sed, use the edit tool", "Deadline is Friday, no exceptions.", "invalid themes must NEVER explode",
])  # fmt: skip
def test_a_short_everyday_rule_is_seen(rule):
    assert states(lines_of(rule), rule, "rule")


@pytest.mark.parametrize(
    "rule", ["the public API must stay the same.", "Every endpoint must have a test before it is merged."]
)
def test_2026_11_27_what_must_stay_the_same_or_must_have_something_is_a_rule(rule):
    assert states(lines_of(f"Refactor it, but {rule}"), rule, "rule")
    assert not states(lines_of("It must have failed before."), "It must have failed before.", "rule")


@pytest.mark.parametrize(("part", "shown"), [("seen", 30), ("unseen", 8)])
def test_what_takes_a_rule_back_stands_with_the_rules_and_no_other_rule_goes(part, shown):
    gone = 0
    for item in SETS[part]["revoked"]:
        lines = [*lines_of(item["rule"], id="m0"), *lines_of(item["then"], id="m1")]
        for place, line in enumerate(lines):
            line.words, line.place = features(line.text), place
        rules = [line for line in lines if line.id == "m0" and line.kind == "rule"]
        settle(lines)
        if item["revoked"]:
            shown -= bool(rules) and any(line.kind == "rule" for line in lines if line.id == "m1")
        else:
            gone += any(line.kind != "rule" for line in rules)
    assert shown <= 0
    assert gone == 0


@pytest.mark.parametrize(("part", "least", "most"), [("seen", 48, 10), ("unseen", 12, 2)])
def test_a_models_decision_is_seen_and_its_drafts_and_doubts_are_none(part, least, most):
    false = 0
    for item in SETS[part]["decisions"]:
        lines = lines_of(item["text"], MODEL)
        if item["decision"]:
            least -= states(lines, item["decision"], "decision")
        else:
            false += any(line.kind == "decision" for line in lines)
    assert least <= 0
    assert false <= most


@pytest.mark.parametrize("start", ["User", "10:02"])
def test_a_line_of_many_spaces_takes_linear_time(start):
    begun = process_time()
    lines_of(start + " " * 100_000, USER)
    assert process_time() - begun < 5

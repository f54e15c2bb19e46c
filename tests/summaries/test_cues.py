"""Which sentences say what shall be, what was decided, what is open."""

import pytest

from codeh_history.summaries import cues


@pytest.mark.parametrize(("sentence", "kind"), [
    ("Never touch the ledger.", "rule"), ("Nie ohne Test.", "rule"), ("不要改表结构。", "rule"), ("Don’t write to disk.", "rule"),
    ("I never found out who did it.", ""), ("I've never seen it.", ""), ("Is it always so?", ""), ("It must be really nice there.", ""),
    ("Keep rockin' it!", ""), ("No conversation found to continue", ""), ("pip install -r requirements.txt", ""),
    ("No errors.", ""), ("Never mind.", ""), ("Call me Sam, not Samuel.", "rule"), ("No inline styles.", "rule"),
    ("If you want, I can share it.", ""), ("Keep at least 3 copies.", "rule"), ("Sounds good to me.", ""),
    ("We decided to keep it.", "decision"), ("Wir nehmen Postgres.", "decision"), ("Was it decided?", ""),
    ("We haven't agreed on a name.", "open"), ("TODO: ask them.", "open"), ("Das ist noch nicht geklärt.", "open"),
    ("Show me the diff in short.", ""), ("Use the second screenshot to find it.", ""), ("No errors in the log this time.", ""),
    ("Every time I click save the app crashes.", ""), ("Please write a poem for my sister.", ""), ("Limit is reached, it says.", ""),
    ("Every time I ask for a commit, write a message.", "rule"), ("Please write every test first.", "rule"),
    ("Oh right \u2014 key rule: never skip a test.", "rule"), ("Let's instead poll every minute.", "decision"),
    ("I log the times, always in UTC.", ""),
    ("Let me check which ones are still missing.", ""), ("He still has an account.", ""),
])  # fmt: skip
def test_what_a_users_sentence_is(sentence, kind):
    assert cues.topic(sentence, user=True) == kind


def test_a_model_gives_no_rules_and_a_very_long_sentence_is_of_no_kind():
    assert cues.topic("Always run the tests first.", user=False) == ""
    assert cues.topic("Never " + "word " * 200, user=True) == ""


@pytest.mark.parametrize(("sentence", "back"), [
    ("You may touch it again.", True), ("Feel free to push.", True), ("I take that back.", True),
    ("You may not touch it.", False), ("May I touch it?", False),
])  # fmt: skip
def test_what_takes_a_rule_back(sentence, back):
    assert cues.takes_back(sentence) is back

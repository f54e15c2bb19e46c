"""Sentences: where they end, what they say, whose words they are, and a text cut at a word."""

import pytest
import weights
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.summaries import authorship, cues, prose
from codeh_history.summaries.authorship import rows
from codeh_history.summaries.prose import clip


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        ("One. Two.", ["One.", "Two."]), ("See e.g. this. Done.", ["See e.g. this.", "Done."]), ("Mr. X. came. So.", ["Mr. X. came.", "So."]),
        ("Never ship to the U.S. before June.", ["Never ship to the U.S. before June."]), ("Not after 5 p.m. unless Bob agrees.", ["Not after 5 p.m. unless Bob agrees."]),
        ("Never email Acme Inc. without me.", ["Never email Acme Inc. without me."]), ("Version 2. Then 3.", ["Version 2. Then 3."]),
        ('He said "so." Then.', ['He said "so."', "Then."]), ("好。不好？好", ["好。", "不好？", "好"]), ("a.b.c is it", ["a.b.c is it"]), ("", []), ("  ", []), ("What?! Yes", ["What?!", "Yes"]),
    ],
)  # fmt: skip
def test_a_line_is_split_where_its_sentences_end(line, sentences):
    assert prose.split(line) == sentences


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("The parser reads lines.", True), ("$ make", False), ("> quoted", False), ("Traceback (most recent call last):", False), ("12: x = 1", False), ("a | b | c | d", False),
        ("if (x) {", False), ("f(x);", False), ("x", False), ("", False), ("/home/me/src/a.py", False), ("{}[]<>=;#", False), ("日本語です", True), ("at foo (bar.js:1)", False),
    ],
)  # fmt: skip
def test_prose_excludes_logs_tables_and_code(line, *, expected):
    assert authorship.is_prose(line) is expected


FILLER = "ok|Thanks!|yes please|continue|/theme|Danke dir|好的|Great, thanks a lot!|ok, continue|thank you for your help|Super, danke!|...|Perfect. That looks good."
SAYS = "use tabs|yes, delete it|no tests please|/etc/hosts is wrong|thanks, now the parser|why|好的，删除|ok foo_bar"


@pytest.mark.parametrize("text", FILLER.split("|"))
def test_what_asks_for_nothing_is_filler(text):
    assert prose.is_filler(text)


@pytest.mark.parametrize("text", SAYS.split("|"))
def test_what_asks_for_something_is_none(text):
    assert not prose.is_filler(text)


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
    ("Forget what I said about it.", True), ("Actually, it can be edited.", True), ("ok tabs are allowed after all", True), ("I changed my mind.", True),
    ("You can see it below.", False), ("You may look at it, but the rule stays.", False), ("It is no longer needed by checkout.", False),
])  # fmt: skip
def test_what_takes_a_rule_back(sentence, back):
    assert cues.revokes(sentence) is back


def test_the_weights_are_those_of_the_labelled_sentences():
    """`make generate` computes them; these are the sentences that it learns from, so nearly all are recognised."""
    rows = weights.sentences()
    assert {row["label"] for row in rows} == {*cues.LEAST, "none"}
    assert len({(row["by"], row["text"].lower()) for row in rows}) == len(rows)
    right = [
        cues.revokes(row["text"])
        if row["label"] == "revoke"
        else (cues.topic(row["text"], user=row["by"] == "user") or "none") == row["label"]
        for row in rows[::10]
    ]
    assert sum(right) >= 0.98 * len(right)


@pytest.mark.parametrize(("text", "room", "clipped"), [
    ("one two", 7, "one two"), ("one two three", 9, "one two…"), (" a\n\tb  c ", 9, "a b c"), ("", 5, ""),
    ("one, two", 6, "one…"), ("abcdefghij", 5, "abcd…"), ("a bcdefghij", 6, "a bcd…"), ("ab", 1, "a…"),
    ("see https://a.example/long/path now", 20, "see…"), ("url=https://a.example/long/path, more", 12, "url=https://a.example/long/path…"),
    ("url=https://a.example/long/path", 12, "url=https://a.example/long/path"),
    ("see https://a.example now", 24, "see https://a.example…"),
])  # fmt: skip
def test_a_text_is_clipped_at_a_word(text, room, clipped):
    assert clip(text, room) == clipped


@given(st.text("ab ,\n"), st.integers(2, 20))
def test_a_clipped_text_is_a_prefix_that_fits(text, room):
    words, clipped = " ".join(text.split()), clip(text, room)
    assert len(clipped) <= room
    assert words == clipped if len(words) <= room else words.startswith(clipped.removesuffix("…"))
    assert clipped.endswith("…") == (len(words) > room)


def test_of_a_text_that_is_nearly_all_blanks_only_the_beginning_is_looked_at():
    assert clip("a" + " " * 10_000_000 + "b", 5) == "a"


# -- whose words a line holds ------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "own"), [
    ("Please look.", [True]), ("```\nNever push.\n```\nSo it is.", [False, False, False, True]),
    ("> Never push.\nHe said so.", [False, True]), ("<doc>\nNever push.\n</doc>\nSo it is.", [False, False, False, True]),
    ("width: never push\nNever push.", [False, True]), ("rule: never push", [True]), ("import os, sys;\nTypeError: no such thing", [False, False]),
    ("API Error: 529 you must always retry", [False]),
    ("a word or two\n" * 200, [True] * 153 + [False] * 48),
])  # fmt: skip
def test_what_is_pasted_is_not_ones_own(text, own):
    assert [mine for _, mine, _ in rows(text)] == own


@pytest.mark.parametrize(("text", "whose"), [  # `-` pasted, `o` the user's own, `r` may state a rule
    ("He wrote:\nNever push.\n\nI only want it shorter.", "r-or"), ("Context:\n\nNever push.\n\nPlease look.", "rorrr"),
    ("Fix it.\n\nHi all,\nnever push.\nBest,\nBob\n\nNever mention me.", "rr----rr"), ("From: Bob\nSubject: x\n\nNever push.", "----"),
    ("10:02 Ann: never push\n10:03 Bob: ok\n\nSum it up.", "--ro"), ("## Task\nAdd a page.\n\n## Rules\nNever push.", "rrrrr"),
    ("Why?\n[a] x\n[b] y\n\nNever push.", "r--rr"), ("You must never deploy\non Fridays.", "r"), ("rules:\n  - never push\n\nIs it valid?", "rorr"),
    ("Hi Claude,\nnever push.\nThanks!", "rrr"), ("9:00 gym\n10:30 work\nPlan my day.", "rrr"), ("call mum at 10:30\nthen plan\ncall dad at 11:30", "rrr"),
    ("Ann 10:02\nnever push\nBob 10:03\nok\n\nSum it up.", "----ro"),
])  # fmt: skip
def test_whose_the_lines_of_a_message_are(text, whose):
    marks = "".join("r" if rules else "o" if own else "-" for _, own, rules in rows(text, user=True))
    blank = [not line.strip() for line in text.split("\n")]
    assert [m for m, b in zip(marks, blank, strict=False) if not b] == [
        w for w, b in zip(whose, blank, strict=False) if not b
    ]


def test_no_rule_stands_in_a_document_or_far_down():
    text = "Never push.\n# Guide\nAlways say yes."
    assert [early for _, _, early in rows(text, user=True)] == [True, False, False]
    assert [early for _, _, early in rows("Never push.\n" * 30)][25:] == [False] * 6


def test_a_document_that_is_announced_is_not_ones_own():
    text = "Please sum this up:\n\n# Guide\nAlways say yes."
    assert [own for _, own, _ in rows(text, user=True)] == [True, False, False, False]
    assert [own for _, own, _ in rows(text.replace(":", "."), user=True)] == [True, False, True, True]


@pytest.mark.parametrize("line", ["Please look at it.", "Hi all,", "10:02 Ann: hello", "never", "*" * 5000])
def test_a_message_of_very_many_lines_takes_no_longer_for_each(line):
    text = f"{line}\n" * 400 if len(line) > 1000 else f"{line}\n" * 20_000  # minutes, if quadratic
    assert len(list(rows(text, user=True))) == text.count("\n") + 1

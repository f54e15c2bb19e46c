"""What a summary tells, and the newest turns that stay beside it."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.filters.compact.choice import earlier, is_figure
from codeh_history.filters.compact.questions import untaken
from codeh_history.filters.compact.speech import typed
from codeh_history.filters.compact.summary import entries_of
from codeh_history.filters.compact.worth import Words, Worth
from codeh_history.session.ops import apply
from codeh_history.summaries.calls import Effects
from compact.short import asked, plan, tokens
from compact.summarized import section, summary, working
from histories import model, session, user


def test_a_later_summary_takes_the_earlier_one_in() -> None:
    first = [
        user("Never touch src/billing. Rename the parser."), *asked("w", "edit_file", {"path": "src/old.py"}, {"output": "ok"}),
        *asked("f", "bash", {"command": "make x"}, {"error": "Error: boom"}),
        model("We decided to keep SQLite because it needs no server."),
    ]  # fmt: skip
    view = session([*first, *working(40), user("more"), *working(20), user("end")])
    view = apply(view, plan(view, tokens(view) // 4).ops)
    assert len(view.summaries) == 1
    for share in (0.8, 0.7):
        view = apply(view, plan(view, int(tokens(view) * share)).ops)
        assert len(view.summaries) == 1
    text = view.summaries[0].text
    assert section(text, "Rules") == ["- Never touch src/billing."]
    assert "- Rename the parser." in section(text, "What was asked")
    assert section(text, "Decisions") == ["- Model: We decided to keep SQLite because it needs no server."]
    assert "- written: src/old.py" in section(text, "Files")
    assert "- `make x`: Error: boom" in section(text, "What failed")


@pytest.mark.parametrize(("sentence", "tells"), [
    ("Measured: 68716 ms for the mailer.", True), ("It now costs €5 a month.", True), ("About 25 % of them were late.", True),
    ("The import runs at 02:30 on host db-7.", True), ("It stopped at record 18,204.", True), ("We meet on 2026-01-15 in Bonn.", True),
    ("Released v0.8.0 with all of that", False), ("use `343541` for the user's background", False),
    ("- `dimGray: 246` is `#949494` (lighter gray)", False), ("It has 25 of them now.", False), ("width = 18204 if wide else 9000", False),
    ("18204", False),
])  # fmt: skip
def test_a_sentence_that_tells_a_number(sentence: str, tells: bool) -> None:
    assert is_figure(sentence) == tells


def test_of_equal_rules_the_newest_is_told() -> None:
    older, newer = "I do not want travel insurance.", "No, I do not want any travel insurance."
    full = "It is full, and so is each of the {0} after it, as they said at desk {0}. "
    talk = [m for n in range(60) for m in (user(f"And flight {n}?"), model(full.format(n) * 3))]
    view = session([user(older), *talk[:60], user(newer), *talk[60:], user("end")])
    assert section(summary(view, tokens(view) // 5), "Rules") == [f"- {newer}"]


def test_a_picture_has_no_names() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" * 90}}
    shown = [
        m for n in range(30) for m in ({**user(f"what is on chart {n}?"), "parts": [picture]}, model("x"))
    ]
    view = session([*shown, *working(20), user("and?")])
    assert not any(
        "image/png" in line for line in section(summary(view, tokens(view) // 9), "Names in files")
    )


THINGS = """battery button screen colour market target speaker sample menu channel volume design plastic rubber
shape finger light sound price seller buyer factory phone cable keyboard""".split()


def talk(count: int) -> list[Any]:
    """Two people on a few things again and again, in sentences many of which sound like rules and decisions."""
    said = (
        "You must never put the {0} of remote {2} beside the {1}.", "I think the {0} is fine, the {1} less so.",
        "We decided to keep the {0} of remote {2} with the {1}, because the {1} is new.",
        "The {0} was what most of them liked, more than the {1}.",
    )  # fmt: skip
    return [
        (user if n % 2 else model)(said[n % 4].format(THINGS[n % 25], THINGS[(n * 7 + 3) % 25], n))
        for n in range(count)
    ]


def test_rules_and_decisions_unlike_the_rest_of_a_talk_come_first() -> None:
    facts = [
        "Nobody is allowed to mail the nurses before Tuesday.", "The bishop wants every donkey washed, always.",
        "Never lend the violin to the choir.", "We decided on copper for the chapel, because slate leaks.",
        "We agreed to skip the harvest fair, since the tractor is sold.",
    ]  # fmt: skip
    turns = [
        user(f"{'Ann' if n % 2 else 'Bob'}: {turn['parts'][0]['text']}") for n, turn in enumerate(talk(300))
    ]
    for n, fact in enumerate(facts):
        turns[15 * n + 7] = user(f"Ann: {fact}")
    view = session([*turns, user("Ann: and now?")])
    text = summary(view, tokens(view) // 14)
    assert [fact for fact in facts if fact not in text] == []


@pytest.mark.parametrize("fact", ["The list is in guests_2024.csv now.", "The card says K-19 each time."])
def test_a_file_and_a_code_are_told_of_a_talk_without_calls(fact: str) -> None:
    turns = talk(200)
    turns[40] = model(fact)
    view = session([*turns, user("and now?")])
    assert fact in summary(view, tokens(view) // 20)


@pytest.mark.parametrize(("said", "told"), [
    ("We decided on rubber for the grip. Wood gives everybody splinters.", True),
    ("We decided on rubber for the grip. Should we call the vendor?", False),
    ("We decided on rubber for the grip, because it lasts. Call the vendor today, please.", False),
])  # fmt: skip
def test_the_reason_behind_a_decision_stays_with_it(said: str, told: bool) -> None:
    lines = list(typed(said, 0, user=True, rate=0.3))
    assert [line.text for line in lines if line.topic == "decision"] == [
        said if told else said[: said.index(". ") + 1]
    ]


@pytest.mark.parametrize(("later", "back"), [
    ("You may rename the glacier validator after all.", True),
    ("You may not rename the glacier validator in the docs either.", False),
    ("You may rename the parcel exporter after all.", False),
    ("Can you tell me who may rename the glacier validator?", False),
])  # fmt: skip
def test_a_rule_that_was_taken_back_is_none(later: str, back: bool) -> None:
    rule = "Never rename the glacier validator."
    view = session([
        user(rule), model("Noted."), *working(15), user(later), model("Good."), *working(25), user("and now?"),
    ])  # fmt: skip
    rules = section(summary(view, tokens(view) // 5), "Rules")
    assert (f"- {rule}" in rules, f"- {later}" in rules and back) == (not back, back)


def test_what_an_earlier_summary_asked_is_not_open_for_want_of_its_answer() -> None:
    question = "How does the glacier validator count its rows?"
    view = session(
        [user(question), model("By the glacier validator itself."), *working(30), user("and now?")]
    )
    (made,) = apply(view, plan(view, tokens(view) // 4).ops).summaries
    assert f"- {question}" in section(made.text, "What was asked")
    some = [entry for entry in entries_of(made) or () if entry.text != "By the glacier validator itself."]
    words = Words()
    lines = [*earlier(some, Effects(), -1000), *typed("So on.", 90, user=False, rate=0.3)]
    for place, line in enumerate(lines):
        line.place = place
    assert not untaken(lines, Worth(words, lines))

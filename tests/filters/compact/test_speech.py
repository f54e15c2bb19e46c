"""What somebody said, as sentences: who said it, and what is no prompt."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.filters.compact.speech import about, typed
from compact.short import tokens
from compact.summarized import section, summary, working
from histories import model, session, user


def test_pasted_imports_are_not_what_was_asked() -> None:
    paste = "\n".join(f"import module_{n} from './module_{n}.js';" for n in range(900))
    view = session(
        [
            user(f"Why does this not build?\n{paste}"),
            model("A cycle in module_7."),
            *working(60),
            user("end"),
        ]
    )
    text = summary(view, tokens(view) // 10)
    assert "Why does this not build?" in text
    assert text.count("import module_") < 5


def test_what_stands_before_a_colon_may_be_no_speaker() -> None:
    said = "Ok. Decision: the importer stays synchronous, as callers depend on it."
    talk = [m for n in range(20) for m in (user(f"number {n}?"), model("word " * 40))]
    view = session([user("TODO: find out why the mailer starts twice."), model(said), *talk, user("end")])
    text = summary(view, tokens(view) // 2)
    assert f"- Model: {said.removeprefix('Ok. ')}" in section(text, "Decisions")
    assert section(text, "Open") == ["- TODO: find out why the mailer starts twice."]


def test_a_picture_and_a_command_of_the_program_are_no_prompts() -> None:
    dropped = "'/var/folders/x/Screenshot 2025-11-21 at 01.27.21.png'\nany idea why the colors differ?"
    view = session([user(dropped), *working(30), user("/theme"), *working(30), user("go on then")])
    text = summary(view, tokens(view) // 5)
    assert section(text, "What was asked") == ["- any idea why the colors differ?"]
    assert "/theme" not in text


def test_an_open_end_of_a_prompt_is_told_once() -> None:
    asked_last = "It is still unclear whether the ledger parser needs a lock."
    view = session([user(asked_last), model("Noted."), *working(40), user("and now?")])
    assert summary(view, tokens(view) // 5).count(asked_last) == 1


def lines(text: str, *, user: bool = True) -> list[tuple[str, str, str, str]]:
    """Of each line that somebody typed: what it says, as what, whose it is and what kind of thing it tells."""
    return [(line.text, line.kind, line.label, line.topic) for line in typed(text, 0, user=user, rate=0.3)]


TYPED: dict[str, tuple[str, list[tuple[str, str, str, str]]]] = {
    "sentences": ("Why is it? And how?", [("Why is it?", "asked", "User", ""), ("And how?", "asked", "User", "")]),
    "a speaker": ("Ann: We met in Bonn.", [("We met in Bonn.", "asked", "Ann", "")]),
    "a speaker of two names": ("Ann Lee: We met in Bonn.", [("We met in Bonn.", "asked", "Ann Lee", "")]),
    "no speaker": ("Result: We met in Bonn.", [("Result: We met in Bonn.", "asked", "User", "")]),
    "a rule": ("Never touch src/billing.", [("Never touch src/billing.", "asked", "User", "rule")]),
    "a decision": ("We decided to keep SQLite.", [("We decided to keep SQLite.", "asked", "User", "decision")]),
    "a command of the program": ("/theme\nGo on with the parser.", [("Go on with the parser.", "asked", "User", "")]),
    "a path is no command": ("/etc/hosts is wrong.", [("/etc/hosts is wrong.", "asked", "User", "")]),
    "a picture": ("/tmp/a b.png", [("/tmp/a b.png", "pasted", "Pasted", "")]),
    "code": ("if (x) {", [("if (x) {", "asked", "User", "")]),
    "a fence": ("```yaml\n- Never do that.\n```\nAnd you?", [("```yaml", "pasted", "Pasted", ""), ("- Never do that.", "pasted", "Pasted", ""), ("```", "pasted", "Pasted", ""), ("And you?", "asked", "User", "")]),
    "a quote": ("> Never do that.\nWhy?", [("> Never do that.", "pasted", "Pasted", ""), ("Why?", "asked", "User", "")]),
    "a name of ours": ("Rules: We met in Bonn.", [("Rules: We met in Bonn.", "asked", "User", "")]),
    "imports": ("import os", [("import os", "asked", "User", "")]),
    "nothing": (" \n\t\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TYPED.values(), ids=TYPED)
def test_what_somebody_typed_is_told_sentence_by_sentence(text: str, expected: Any) -> None:
    assert lines(text) == expected


def test_a_model_gives_no_rules_and_its_code_is_no_paste() -> None:
    assert lines("Never touch src/billing.", user=False) == [
        ("Never touch src/billing.", "said", "Model", "")
    ]


def test_what_points_back_goes_with_the_sentence_before() -> None:
    (line,) = lines("Does it scale? Nobody knows yet.")
    assert line[0] == "Does it scale? Nobody knows yet."
    assert line[3] == "open"


def test_a_long_prompt_is_what_somebody_pasted() -> None:
    found = [kind for _, kind, _, _ in lines("\n".join(["Why is it so in this place?"] * 200))]
    assert found[0] == "asked"
    assert found[-1] == "pasted"
    assert found == sorted(found)


def test_a_prompt_is_known_by_its_first_sentence() -> None:
    found = [line.first for line in typed("/theme\n\nWhy? How?\nWhen?", 0, user=True, rate=0.3)]
    assert found == [True, False, False]
    assert not any(line.first for line in typed("Because. So.", 0, user=False, rate=0.3))


@pytest.mark.parametrize(
    ("sentence", "user", "topic"),
    [
        ("Always run the tests first.", True, "rule"), ("Always run the tests first.", False, ""),
        ("We decided to keep SQLite.", False, "decision"), ("It is unclear whether it scales.", False, "open"),
        ("The parser reads lines.", True, ""), ("Always " + "word " * 200, True, ""),
    ],
)  # fmt: skip
def test_what_kind_of_thing_a_sentence_says(sentence: str, *, user: bool, topic: str) -> None:
    assert about(sentence, user=user)[0] == topic


def test_filler_is_worth_less_than_what_says_something_and_a_rule_more() -> None:
    ok, plain, rule = (
        about(text, user=True)[1] for text in ("Ok, thanks!", "The parser reads lines.", "Never touch it.")
    )
    assert ok < plain < rule

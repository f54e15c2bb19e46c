"""What somebody said, as sentences: who said it, and what is no prompt."""

from __future__ import annotations

from test_summary import section, summary, working

from compact.short import tokens
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
    assert f"- {said.removeprefix('Ok. ')}" in section(text, "Decisions")
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

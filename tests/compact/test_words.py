"""Which lines are worth their tokens."""

from __future__ import annotations

import pytest

from codeh_history.filters.compact import Settings, words
from codeh_history.filters.compact.draft import Draft
from codeh_history.filters.compact.extract import Outline
from codeh_history.tokens import text_tokens
from compact.short import BIG, COUNTER, asked
from histories import model, session, user


@pytest.mark.parametrize(("text", "found"), [
    ("see src/app/main.py and tests", {"src/app/main.py"}), ("the quick brown fox", set()),
    ("call getUserName() or max_tokens", {"getUserName", "max_tokens"}), ("port 8080, id 4f2a9c", {"8080", "4f2a9c"}),
])  # fmt: skip
def test_names(text: str, found: set[str]) -> None:
    assert found <= words.names(text)
    assert found or not words.names(text)


@pytest.mark.parametrize("line", [
    "ERROR: step 7 failed", "a.py:3: error: bad", "TypeError: x is not a function", "FAILED tests/test_a.py",
    "fatal: not a git repository", "thread 'main' panicked at src/main.rs", "bash: foo: command not found",
    "cat: x: No such file or directory", "npm ERR! code 1", "Error", "java.lang.NullPointerException: boom",
    "error[E0308]: mismatched types", "error TS2345: Argument", "1 failed, 3 passed", "  Permission denied (publickey).",
])  # fmt: skip
def test_error_lines_are_seen(line: str) -> None:
    text = f"all is well\n{line}\nand so on"
    assert words.error_lines(text, text.split("\n")) == [1]


@pytest.mark.parametrize(
    "line", ["const errorHandler = makeHandler();", "all is well", "def fail_fast(): ...", "terror"]
)
def test_code_about_errors_is_no_error(line: str) -> None:
    assert words.error_lines(line, [line]) == []


def test_an_outline_is_made_of_the_messages_own_lines() -> None:
    view = session([
        user("Never touch config/prod.yaml. Fix the login bug."), *asked("c", "bash", {"command": "make test"}, {"output": BIG}),
        model("Done: src/auth/login.py now checks the token."), user("thanks"), model("ok"),
        user("and now the tests"),
    ])  # fmt: skip
    draft = Draft(view, COUNTER, Settings(budget=1000))
    found = [entry for number in range(6) for entry in draft.entries.of(number)]
    text = Outline(found, draft.index, set()).write(900)
    assert "Never touch config/prod.yaml" in text
    assert "src/auth/login.py now checks the token" in text
    assert "ERROR: step 19 of job_7 failed" in text
    assert text_tokens(COUNTER, text) < 1080
    assert Outline(found, draft.index, set()).write(900) == text

"""Which lines are worth their tokens."""

import pytest

from codeh_history.filters.compact import stubs, words


@pytest.mark.parametrize(("text", "found"), [
    ("see src/app/main.py and tests", {"src/app/main.py"}), ("the quick brown fox", set()),
    ("call getUserName() or max_tokens", {"getUserName", "max_tokens"}), ("port 8080, id 4f2a9c", {"8080", "4f2a9c"}),
])  # fmt: skip
def test_names(text, found):
    assert found <= words.names_in(text)
    assert found or not words.names_in(text)


@pytest.mark.parametrize("line", [
    "ERROR: step 7 failed", "a.py:3: error: bad", "TypeError: x is not a function", "FAILED tests/test_a.py",
    "fatal: not a git repository", "thread 'main' panicked at src/main.rs", "bash: foo: command not found",
    "cat: x: No such file or directory", "npm ERR! code 1", "Error", "java.lang.NullPointerException: boom",
    "error[E0308]: mismatched types", "error TS2345: Argument", "1 failed, 3 passed", "  Permission denied (publickey).",
])  # fmt: skip
def test_error_lines_are_seen(line):
    text = f"all is well\n{line}\nand so on"
    assert stubs.error_lines(text.split("\n")) == [1]


@pytest.mark.parametrize(
    "line", ["const errorHandler = makeHandler();", "all is well", "def fail_fast(): ...", "terror"]
)
def test_code_about_errors_is_no_error(line):
    assert stubs.error_lines([line]) == []

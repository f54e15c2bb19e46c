"""The outside world of a call: nothing on stdin, output for the caller, notes for the logger, errors of ours."""

from __future__ import annotations

import logging

import pytest

from codeh_history.base.errors import BadData, InputOutput, NotFound
from codeh_history.library.env import Call, Theirs


def test_what_is_printed_is_the_callers() -> None:
    with Call({}) as call:
        call.write(b"\x1b[31m")
        call.write(memoryview(b"a\n\n"))
    assert call.output == b"\x1b[31ma\n\n"
    assert call.text == "\x1b[31ma\n"
    assert not any((call.terminal(1), call.piped(), call.waiting(), call.colour))
    assert list(Call({}, b"given").arriving()) == [b"given"]


def test_notes_go_to_the_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "codeh_history"):
        call = Call({})
        call.note("heard")
        call.quiet = True
        call.note("not heard")
        call.report(b"{}")
    assert caplog.messages == ["heard"]
    assert call.told == [b"{}"]


@pytest.mark.parametrize(
    ("raised", "seen", "why"),
    [
        (OSError(28, "No space left on device", "f"), InputOutput, "f: No space left on device"), (NotFound("x"), NotFound, "x"),
        (RecursionError("maximum recursion depth"), BadData, "nested deeper"), (TypeError("Recursion limit reached"), BadData, "nested deeper"),
        (TypeError("a bug"), TypeError, "a bug"), (KeyboardInterrupt("x"), KeyboardInterrupt, "x"), (Theirs(KeyError("mine")), KeyError, "mine"),
    ],
    ids=repr,
)  # fmt: skip
def test_what_fails_is_an_error_of_ours_but_for_bugs_and_what_is_the_callers(
    raised: BaseException, seen: type[BaseException], why: str
) -> None:
    with pytest.raises(seen, match=why), Call({}):
        raise raised

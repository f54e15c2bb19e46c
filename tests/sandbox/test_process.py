"""The child that works on patterns and templates: one for many requests, gone afterwards, ended in time."""

import signal
import time

from codeh_history.sandbox import Sandbox

ENDLESS = "(a+)+$"


LONG = "a" * 60 + "b"


def test_one_child_answers_many_requests_and_is_gone_afterwards():
    with Sandbox() as sandbox:
        assert [list(sandbox.ask("matches", "a", 0, ["a", "b"])) for _ in range(3)] == [[True, False]] * 3
        process = sandbox._process
    assert process is not None
    assert process.poll() is not None


def test_a_child_whose_parent_is_gone_ends_itself():
    """Its alarm ends it, whatever the parent does."""
    with Sandbox(0.2) as sandbox:
        answers = sandbox.ask("matches", ENDLESS, 0, ["a", LONG])
        assert next(answers) is True
        process = sandbox._process
        assert process is not None
        deadline = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert process.returncode == -signal.SIGALRM

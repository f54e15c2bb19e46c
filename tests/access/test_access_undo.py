"""What `take_back` takes back, and says that it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeh_history.access.undo import take_back
from codeh_history.base.env import Env
from codeh_history.base.errors import NegativeAnswer, NotFound
from codeh_history.store.resolve import for_writing
from support import lines, run, session_path


@pytest.fixture
def said(home: Path) -> list[str]:
    """The ids of an answer, of a prompt after it, and of the answer to that."""
    roles = {"a": "model", "b": "user", "c": "model"}
    return [run("append", "-s", "demo", "-m", text, "--role", role).text for text, role in roles.items()]


def taken(home: Path, id: str | None = None, *, turn: bool = False) -> list[tuple[str, str]]:
    env = Env({"CODEH_HOME": str(home)})
    return take_back(env, for_writing(env, "demo"), id, turn=turn)


def test_the_newest_goes_first_and_then_what_stood_before_it(home: Path, said: list[str]) -> None:
    assert [taken(home) for _ in said] == [[("message", id)] for id in reversed(said)]
    with pytest.raises(NegativeAnswer, match="nothing to undo"):
        taken(home)


def test_a_turn_is_its_prompt_and_all_that_followed_newest_first(home: Path, said: list[str]) -> None:
    assert taken(home, turn=True) == [("message", said[2]), ("message", said[1])]
    with pytest.raises(NegativeAnswer, match="nothing to undo"):
        taken(home, turn=True)


def test_what_a_prefix_names_is_taken_back_and_an_undo_of_it_too(home: Path, said: list[str]) -> None:
    assert taken(home, said[1][:8]) == [("message", said[1])]
    with pytest.raises(NotFound, match="nothing live"):
        taken(home, said[1])
    revert = str(lines(session_path(home, "demo"))[-1]["id"])
    assert taken(home, revert[:8]) == [("revert", revert)]
    assert taken(home, said[1]) == [("message", said[1])]

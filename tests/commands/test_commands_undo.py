"""What `undo` undoes, and how it describes it."""

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import NegativeAnswer, NotFound
from codeh_history.commands.undo import undo
from codeh_history.store.resolve import for_writing
from pictures import png
from support import NOW, lines, run, session_path


@pytest.fixture
def said(home):
    """The ids of an answer, of a prompt after it, and of the answer to that."""
    roles = {"a": "model", "b": "user", "c": "model"}
    return [run("append", "-s", "demo", "-m", text, "--role", role).text for text, role in roles.items()]


def taken(home, id=None, *, turn=False):
    env = Env({"CODEH_HOME": str(home)})
    return [undone[:2] for undone in undo(env, for_writing(env, "demo"), id, turn=turn)]


def test_the_newest_goes_first_and_then_what_stood_before_it(home, said):
    assert [taken(home) for _ in said] == [[("message", id)] for id in reversed(said)]
    with pytest.raises(NegativeAnswer, match="nothing to undo"):
        taken(home)


def test_a_turn_is_its_prompt_and_all_that_followed_newest_first(home, said):
    assert taken(home, turn=True) == [("message", said[2]), ("message", said[1])]
    with pytest.raises(NegativeAnswer, match="nothing to undo"):
        taken(home, turn=True)


def test_what_a_prefix_names_is_taken_back_and_an_undo_of_it_too(home, said):
    assert taken(home, said[1][:8]) == [("message", said[1])]
    with pytest.raises(NotFound, match="no record with this id to undo"):
        taken(home, said[1])
    revert = str(lines(session_path(home, "demo"))[-1]["id"])
    assert taken(home, revert[:8]) == [("revert", revert)]
    assert taken(home, said[1]) == [("message", said[1])]


def test_what_was_taken_back_is_said_with_its_first_words(home):
    argv = [
        "append -m one\ntwo", "append --role model -m so", "update :2 -m other", "append --call look --args {}",
        "append --result look -m found", "append -m System:tick", "curate -i", "clear", "append -q --attach picture.png",
    ]  # fmt: skip
    (home.parent / "picture.png").write_bytes(png(640, 480))
    for words in argv:
        run(*words.split(" "), "-s", "demo", cwd=home.parent)
    said = [run("undo", "-s", "demo").err.decode() for _ in argv]
    assert [text.removeprefix("codeh-history: demo: undid ").rstrip("\n") for text in said] == [
        "user message: image/png, 33 bytes, 640x480", "clear", "compaction of 1 change", "user message: System:tick",
        "tool message: look found", "model message: look {}", "model update: other", "model message: so", "user message: one two",
    ]  # fmt: skip
    summary = {
        "type": "summary",
        "id": "s",
        "createdAt": NOW,
        "summary": "They spoke of " + "x" * 99,
        "covers": [],
    }
    with session_path(home, "demo").open("ab") as file:
        file.write(orjson.dumps(summary) + b"\n")
    assert run("undo", "-s", "demo").err.startswith(b"codeh-history: demo: undid summary: They spoke of x")
    assert run("undo", "-s", "demo", "-q").err == b"codeh-history: demo: nothing to undo\n"


def test_undo_after_a_compaction_that_changed_nothing_is_no_surprise(home, said):
    for filter in ("curate -i", "compact -i --budget 9k"):
        assert b"demo: nothing to change, nothing to undo" in run(*filter.split(), "-s", "demo").err
    done = run("undo", "-s", "demo")
    assert done.text == f"message {said[2]}"
    assert done.err == b"codeh-history: demo: undid model message: c\n"

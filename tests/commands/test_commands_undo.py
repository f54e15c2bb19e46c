"""What `undo` undoes, and how it describes it."""

import orjson
import pytest

from pictures import png
from support import NOW, run, session_path


@pytest.fixture
def said(home):
    """The ids of an answer, of a prompt after it, and of the answer to that."""
    roles = {"a": "model", "b": "user", "c": "model"}
    return [run("append", "-s", "demo", "-m", text, "--role", role).text for text, role in roles.items()]


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

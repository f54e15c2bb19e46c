"""A pipeline whose first command printed nothing: each stage behind it says that first."""

import os

import pytest

from inside import inside

LINES = {
    "curate -": 65, "compact - --budget 9k": 65, "summarize -": 65, "redact -": 65, "fixture -": 65, "persist -": 65,
    "hydrate -": 65, "payload - --to gemini": 65, "payload - --to text": 65, "show -": 65, "last -": 65, "stats -": 65,
    "status -": 65, "verify -": 65, "calls -": 65, "context -": 65, "expand x -": 65, "export - --to contents": 65,
    "export - --to html": 65, "fork - --into new": 65, "import -": 65, "compact demo --apply -": 65,
    "summarize demo --apply -": 65, "append -s demo": 65, "append -s demo -F -": 65, "append -s demo --jsonl": 65,
    "append -s demo --exchange -": 65, "append -s demo --from auto": 75, "append -s demo --from text": 75,
    "append -s demo --from gemini --echo": 75, "update :1 -s demo": 65, "ask -s answered --to text --via cat": 65,
    "ask -s new --to text --via cat": 65,
}  # fmt: skip


@pytest.fixture
def filled(home):
    """A home with a session that waits for an answer, and one that was answered."""
    for id in ("demo", "answered"):
        inside("append", "-s", id, "-m", "hi", home=home)
    inside("append", "-s", "answered", "-m", "yes", "--role", "model", home=home)
    return home


@pytest.mark.parametrize("line", LINES)
def test_it_is_said_and_nothing_is_stored(filled, line):
    before = {path: path.read_bytes() for path in (filled / "sessions").iterdir()}
    result = inside(*line.split(), home=filled, stdin=[b""])
    assert result.code == LINES[line], result
    assert result.err.decode().endswith("nothing arrived: the command before printed nothing\n")
    assert result.err.count(b"\n") == 1
    assert result.out == b""
    assert {path: path.read_bytes() for path in (filled / "sessions").iterdir()} == before


def test_2026_11_24_it_is_said_before_which_session_was_answered(home):
    """Several sessions were used in this directory: the question is idle where there is no answer."""
    for id in ("one", "two"):
        inside("append", "--new", "-s", id, "-m", "hi", home=home)
    for stdin in ([b""], [b" \n"]):
        result = inside("append", "--from", "auto", home=home, stdin=stdin)
        assert result.code == 75
        assert result.err == b"codeh-history: stdin: nothing arrived: the command before printed nothing\n"


@pytest.mark.parametrize("line", ["curate -", "import -", "append -s demo --from auto"])
def test_no_command_is_blamed_where_there_is_none(filled, line):
    with open(os.devnull, "rb") as null:
        result = inside(*line.split(), home=filled, stdin=null.fileno())
    assert result.code == LINES[line]
    assert result.err.decode().endswith(": nothing arrived\n")


def test_a_prompt_that_waits_is_sent_whatever_the_pipe_brings(filled):
    assert inside("ask", "-s", "demo", "--to", "text", "--via", "cat", home=filled, stdin=[b""]).code == 0

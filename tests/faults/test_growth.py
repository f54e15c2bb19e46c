"""Four times as much takes no more than some four times as long, whatever a session is made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from nursery import Nursery
from profiles import PROFILE, Tally, by_profile
from shapes import LINES, PATTERNS, Shape, output, session, sized, text

from inside import lay

MOST = 6  # how much longer the larger of two sessions may take, four times the size of the other
SECONDS = 5  # what a megabyte of anything may take
SHORTEST = 0.15  # seconds that are too few to be compared
SIZE = by_profile(60_000, 60_000, 250_000)  # bytes of the smaller

pytestmark = pytest.mark.skipif(PROFILE == "short", reason="measures time: make test-faults")

PAYLOADS = {
    f"payload --to {to}": ["payload", "s", "--to", to, "--model", "claude-opus-4-8"]
    for to in ("gemini", "openai-chat", "openai-responses", "anthropic")
}
CHECKS = {
    f"verify --to {to}": ["verify", "s", "--to", to]
    for to in ("gemini", "openai-chat", "openai-responses", "anthropic")
}
EXPORTS = {
    f"export --to {to}": ["export", "s", "--to", to]
    for to in ("contents", "exchanges", "persisted", "refs", "markdown", "html")
}
OTHERS = {
    words: words.split()
    for words in (
        "show s", "show s --curated", "last -s s", "list", "status s", "calls s", "stats s", "verify s", "search z..x s",
        "context s", "curate s", "curate s --thoughts old", "compact s --budget 2k", "compact s --budget 2k --policy loop",
        "summarize -s s --max-conversations 1 --min-batch 1", "fixture s", "repair s", "persist s --all", "undo -s s --turn",
        "fork s --into t", "gc",
    )
}  # fmt: skip
COMMANDS = {**PAYLOADS, **CHECKS, **EXPORTS, **OTHERS}
SHAPES: dict[str, Shape] = {
    **LINES,
    **{f"a text of {name}": text(pattern) for name, pattern in PATTERNS.items()},
    **{f"an output of {name}": output(pattern) for name, pattern in PATTERNS.items()},
}
FOUND = {  # what once took minutes
    ("calls of one id at once", "payload --to anthropic"),
    ("calls of one id at once", "verify --to anthropic"),
    ("calls of one id at once", "payload --to openai-chat"),
    ("calls with ids results without", "payload --to gemini"),
    ("calls of one id at once", "verify --to gemini"),
    ("calls without ids", "verify --to openai-chat"),
    ("calls never answered", "verify --to openai-responses"),
    ("one id reverted", "show s"),
    ("one id then reverts", "verify s"),
    ("copies", "show s"),
    ("inserts in one place", "show s"),
    ("parts replaced one by one", "show s"),
    ("chained summaries", "show s"),
    ("talk", "undo -s s --turn"),
    ("a text of fences", "summarize -s s --max-conversations 1 --min-batch 1"),
    ("a text of backticks", "summarize -s s --max-conversations 1 --min-batch 1"),
    ("a text of abbreviations", "summarize -s s --max-conversations 1 --min-batch 1"),
    ("an output of punctuation lines", "summarize -s s --max-conversations 1 --min-batch 1"),
    ("an output of newlines", "summarize -s s --max-conversations 1 --min-batch 1"),
    ("a text of backticks", "export --to html"),
    ("an output of backticks", "export --to markdown"),
    ("a text of links", "export --to html"),
    ("a text of open brackets", "export --to html"),
    ("a text of deep lists", "export --to html"),
    ("a text of deep quotes", "export --to html"),
}
EVERY = [(shape, command) for shape in SHAPES for command in COMMANDS]
A_FILE_EACH = (
    "persist s --all",
    "export --to refs",
)  # a block for each part, synced one after the other here
PAIRS = by_profile(sorted(FOUND), sorted(FOUND), EVERY)


def took(nursery: Nursery, place: Path, data: bytes, command: str) -> float:
    """The seconds of processor time that a command takes with a session of its own."""
    lay(place, data)
    done = nursery.run(COMMANDS[command], place)
    assert done.code in (0, 1, 5, 65), done
    return done.seconds


@pytest.mark.parametrize(("shape", "command"), PAIRS)
def test_time_grows_as_the_session_does(
    shape: str, command: str, place: Path, nursery: Nursery, tally: Tally
) -> None:
    size = SIZE // (16 if command in A_FILE_EACH else 1) if shape in LINES else 4 * SIZE
    n, few = sized(SHAPES[shape], size)
    many = session(SHAPES[shape], 4 * n)
    less = took(nursery, place / "few", few, command)
    more = took(nursery, place / "many", many, command)
    assert more < MOST * max(less, SHORTEST), f"{n}: {less:.2f} s, {4 * n}: {more:.2f} s"
    assert more < max(2.0, SECONDS * len(many) / 1e6), f"{len(many)} bytes: {more:.2f} s"
    tally("sessions four times as large, in less than six times the time", 1)

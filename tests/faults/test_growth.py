"""Eight times as much takes no more than some eight times as long, whatever a session is made of."""

from itertools import count

import pytest

from codeh_history.programs.sessions import WRITTEN
from faults.growth import A_MEGABYTE, TIMES, grown
from faults.profiles import PROFILE, by_profile
from faults.shapes import LINES, PATTERNS, output, session, sized, text
from inside import lay

SIZE = by_profile(30_000, 30_000, 125_000)  # bytes of the smaller

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
    for to in ("contents", "exchanges", "persisted", "refs", "markdown", "html", *WRITTEN)
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
SHAPES = {
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


def took(nursery, place, data, command):
    """The seconds of processor time that a command takes with a session of its own."""
    lay(place, data)
    done = nursery.run(COMMANDS[command], place)
    assert done.code in (0, 1, 5, 65), done
    return done.seconds


@pytest.mark.parametrize(("shape", "command"), PAIRS)
def test_time_grows_as_the_session_does(shape, command, place, nursery, tally):
    size = SIZE // (16 if command in A_FILE_EACH else 1) if shape in LINES else 4 * SIZE
    n, _ = sized(SHAPES[shape], size)

    homes = (
        place / str(number) for number in count()
    )  # one each: a second run would find what the first left

    def seconds(many):
        return took(nursery, next(homes), session(SHAPES[shape], many), command)

    found = grown(seconds, n)
    assert found.linear, found.told
    if PROFILE == "long":
        assert found.seconds < max(2.0, A_MEGABYTE * len(session(SHAPES[shape], TIMES * n)) / 1e6)
    tally(f"sessions {TIMES} times as large, in time that grows no faster than they do", 1)

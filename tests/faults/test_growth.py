"""Eight times as much takes about eight times as long, redaction included."""

from functools import partial
from itertools import count
from time import process_time
from typing import NamedTuple

import pytest

from codeh_history.filters.redact import assignments, patterns, vendors
from codeh_history.filters.redact.redactor import Redactor
from codeh_history.filters.redact.rules import Rule
from codeh_history.programs.registry import WRITTEN
from faults.shapes import LINES, PATTERNS, output, session, sized, text
from in_process import write_session
from length import FAULTS, by_profile

TIMES = 8  # how much larger the larger input is: work that is linear takes 8 times as long, quadratic 64
MOST = by_profile(
    24, 24, 14
)  # between the two; at length closer, as is 6 times as long for 4 times as much
A_MEGABYTE = 5.0  # seconds; looked at where nothing else is to run, at length
SHORTEST = 0.05  # seconds that are too few to be compared
ROUNDS = 4  # a time is the least of as many, before too much is believed


class Grown(NamedTuple):
    """`linear`: whether time grew like the input; `seconds`: the time for the larger input."""

    linear: bool
    seconds: float
    report: str


def grown(seconds, small):
    """Whether TIMES `small` takes at most some TIMES as long.

    `seconds(n)`: the processor time of one run with n. A neighbour can make a run slower, never faster: the
    least of the rounds is compared, and a first round that is good enough is believed.
    """
    less = more = float("inf")
    for _ in range(ROUNDS):
        less, more = min(less, seconds(small)), min(more, seconds(TIMES * small))
        if more < MOST * max(less, SHORTEST):
            return Grown(linear=True, seconds=more, report="")
    return Grown(linear=False, seconds=more, report=f"{small}: {less:.3f} s, {TIMES * small}: {more:.3f} s")


SIZE = by_profile(30_000, 30_000, 125_000)  # bytes of the smaller

pytestmark = pytest.mark.skipif(FAULTS == "short", reason="measures time: make test-faults")

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
ONCE_SLOW = {  # what once took minutes
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
PAIRS = by_profile(sorted(ONCE_SLOW), sorted(ONCE_SLOW), EVERY)


def took(runner, place, data, command):
    """The seconds of processor time that a command takes with a session of its own."""
    write_session(place, data)
    done = runner.run(COMMANDS[command], place)
    assert done.code in (0, 1, 5, 65), done
    return done.seconds


@pytest.mark.parametrize(("shape", "command"), PAIRS)
def test_time_is_linear_in_the_session(shape, command, place, runner, tally):
    size = SIZE // (16 if command in A_FILE_EACH else 1) if shape in LINES else 4 * SIZE
    n, _ = sized(SHAPES[shape], size)

    homes = (
        place / str(number) for number in count()
    )  # one each: a second run would find what the first left

    def seconds(many):
        return took(runner, next(homes), session(SHAPES[shape], many), command)

    growth = grown(seconds, n)
    assert growth.linear, growth.report
    if FAULTS == "long":
        assert growth.seconds < max(2.0, A_MEGABYTE * len(session(SHAPES[shape], TIMES * n)) / 1e6)
    tally(f"sessions {TIMES} times as large, in time that grows no faster than they do", 1)


SHORT, LONG = 8_000, by_profile(500_000, 500_000, 1_000_000)  # characters
KEPT = by_profile(0, 4, 40)  # how many of the worst are tried at length
EACH = by_profile(1, 8, 1)  # of the table every so manieth


AFTER = {
    "vendors": ["", "-", "a", "aB1_" * 5 + ".", " ", "\\n"],
    "forms": ["", "a1", ": a=b;", '"', "a:b/", " -p ", " -u a"],
    "names": ["", "_", "-", ".", "=", ": ", ' = "', "='", "=a=", ' "', ' \\"', "(", "('", '","', "</", ">", '" value="', " is ",
              "\\n", "\n", "=x", "=$", "=(", ": |\n ", " a b c "],
}  # fmt: skip
TEXTS = [
    "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nMIIE\n", "-----BEGIN A ", "-----END PRIVATE KEY-----", "Private-Lines: 9\nabc\n",
    "a", "1", "A ", " ", "\n", '"', '\\"', "\\", "%41", "%", "QUJD", "QUJDQUJDQUJDQUJDQUJDQUJD\n", "abcdEFGH" * 4 + " ", "\\u0041", "://", "://a:",
    "://a:b", "://a:b@", "@", "a=b; ", "cookie: a=b; ", "eyJ-", "eyJ.", "eyJabcdefgh.", "<", "<password>", "<password a", "-", "_", ".", "$", "aB_",
    "\x1b[32m", "TOKEN_", '{"password": ', "'\"", "[[", "token=abAB12.", "token=ab1c.", "client_id=aB1", "1234567890123456|", "aB1" * 8 + ".", "aB1" * 8 + ".abcdef.", "kind: Secret\\n",
    '{"kind":"Secret","data":{"a":"b",', "%3A+", "%25", "password-command 'echo ", ".atlasv1.", "AAAAAAAAAA", "İ", "é=",
]  # fmt: skip


NAMES = ("TOKEN_", "api_key", "passphrase", "private key", "authToken")


def table():
    """What is repeated."""
    starts = {
        "vendors": starts_of(vendors.RULES),
        "forms": starts_of(patterns.RULES),
        "names": (*starts_of(assignments.RULES), *NAMES),
    }
    for kind, some in starts.items():
        for start in some:
            yield from (start + after for after in AFTER[kind])
    yield from TEXTS


def starts_of(rules):
    return list(dict.fromkeys(rule.start for rule in rules if isinstance(rule, Rule)))


def seconds(work, unit, size):
    """How long the text takes this process."""
    text = (unit * (size // len(unit) + 1))[:size]
    start = process_time()
    work(text)
    return process_time() - start


def clean(text):
    """Redact a text, in which escapes at the start make redaction decode the rest."""
    return Redactor().text(f"\\u0041 %3A {text}")


def test_redaction_is_linear_in_any_text(tally):
    units = [*list(table())[::EACH], "TOKEN_", "eyJ-"]
    by_time = sorted(units, key=lambda unit: -seconds(clean, unit, SHORT))
    worst = list(dict.fromkeys(["TOKEN_", "eyJ-", "\\", *by_time[:KEPT]]))
    for unit in worst:
        growth = grown(partial(seconds, clean, unit), LONG // TIMES)
        assert growth.linear, (unit, growth.report)
        assert FAULTS != "long" or growth.seconds < A_MEGABYTE, (unit, growth.seconds)
    tally("a text that repeats what redaction looks for", len(units))


@pytest.mark.parametrize("inside", ["texts", "pieces", "file"])
def test_redaction_is_linear_in_a_session(inside, tally):
    """Many small texts, many pieces of one, one large file."""

    def work(text):
        step = 40
        pieces = [text[at : at + step] for at in range(0, len(text), step)]
        values = {
            "texts": {"args": pieces},
            "pieces": [{"text": piece} for piece in pieces],
            "file": {"text": text},
        }
        return Redactor().value(values[inside], "parts" if inside == "pieces" else "")

    for unit in ("password = 'hunter22x' ", "eyJ-", "some words of prose "):
        growth = grown(partial(seconds, work, unit), LONG // TIMES)
        assert growth.linear, (unit, growth.report)
    tally("a text that repeats what redaction looks for", 3)

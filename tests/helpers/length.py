"""How long those tests take that could take any time: `make test` tries a sample, CI more, and longer is possible.

LENGTH is short (`make test`), medium (`.ci/run`) or long; FAULTS says another one for the faults alone.
"""

import os

import pytest

LENGTHS = ("short", "medium", "long")
LENGTH = os.environ.get("LENGTH") or "short"
FAULTS = os.environ.get("FAULTS") or LENGTH

not_short = pytest.mark.skipif(LENGTH == "short", reason="takes long: make test LENGTH=medium, as CI does")


def by_length(short, medium, long, *, run=LENGTH):
    """What a run of this length takes."""
    return {"short": short, "medium": medium, "long": long}[run]


def sampled(items, every=3):
    """All of them; in `make test` each so many."""
    return list(items)[:: by_length(every, 1, 1)]


def examples(count):
    """How many are drawn where CI draws `count`; HYPOTHESIS_EXAMPLES says how many instead (`make test-deep`)."""
    return int(
        os.environ.get("HYPOTHESIS_EXAMPLES") or max(2, by_length(count // 4, count, count * 5 // 2))
    )

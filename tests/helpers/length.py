"""How many examples tests try: a sample in `make test`, more in CI, and any number on request.

LENGTH is short (`make test`), medium (`.ci/run`) or long; FAULTS says another one for the faults alone.
"""

import os
from functools import partial

import pytest

LENGTHS = ("short", "medium", "long")
LENGTH = os.environ.get("LENGTH") or "short"
FAULTS = os.environ.get("FAULTS") or LENGTH

not_short = pytest.mark.skipif(LENGTH == "short", reason="takes long: make test LENGTH=medium, as CI does")


def by_length(short, medium, long, *, run=LENGTH):
    """The value for a run of this length."""
    return {"short": short, "medium": medium, "long": long}[run]


by_profile = partial(by_length, run=FAULTS)  # how much the fault harnesses try


def sampled(items, every=3, *, run=LENGTH):
    """All items; in `make test` only every n-th."""
    return list(items)[:: by_length(every, 1, 1, run=run)]


def examples(count):
    """The number of examples if CI draws `count`; HYPOTHESIS_EXAMPLES overrides it (`make test-deep`)."""
    return int(
        os.environ.get("HYPOTHESIS_EXAMPLES") or max(2, by_length(count // 4, count, count * 5 // 2))
    )

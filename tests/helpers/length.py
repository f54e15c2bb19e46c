"""How many examples tests try: a sample in `make test`, more in CI, and any number on request.

LENGTH is short (`make test`), medium (`.ci/run`) or long. FAULTS is that of the faults alone, a sample even in CI.
"""

import os
from functools import partial

import pytest

LENGTHS = ("short", "medium", "long")
LENGTH = os.environ.get("LENGTH") or "short"
FAULTS = os.environ.get("FAULTS") or {"medium": "short"}.get(LENGTH, LENGTH)

not_short = pytest.mark.skipif(LENGTH == "short", reason="takes long: make test LENGTH=medium, as CI does")


def by_length(short, medium, long, *, run=LENGTH):
    """The value for a run of this length."""
    return {"short": short, "medium": medium, "long": long}[run]


by_profile = partial(by_length, run=FAULTS)  # how much the fault harnesses try


def sampled(items, every=3, *, run=LENGTH):
    """All items; in `make test` only every n-th."""
    return list(items)[:: by_length(every, 1, 1, run=run)]


def examples(count):
    """The number of examples if CI draws half of `count`; HYPOTHESIS_EXAMPLES overrides it (`make test-deep`)."""
    return int(
        os.environ.get("HYPOTHESIS_EXAMPLES") or max(2, by_length(count // 4, count // 2, count * 5 // 2))
    )

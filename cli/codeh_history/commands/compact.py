"""Make a session fit a budget, reversibly: least loss first, nothing deleted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..base.env import Env
from ..base.errors import HistoryError
from ..base.jobs import Compact as Given
from ..render.progress import size_of

LARGE = 1 << 20  # bytes of a session of which nearly all has to be counted
STRAY = "the session is the only argument; the budget is --budget N"
EXAMPLES = """\
  codeh-history curate demo | codeh-history compact - --budget 32k > smaller.jsonl
  codeh-history compact demo -i --budget 100k               # one reversible record; undo takes it back
  codeh-history compact demo --budget 32k --plan > plan.json
  codeh-history compact demo -i --apply plan.json
  codeh-history compact demo --budget 32k --explain > smaller.jsonl
  codeh-history compact demo -i --max-items 100
  codeh-history compact demo -i --policy mask               # no more than old tool outputs
"""


def run(env: Env, given: Given) -> int:
    """As `filters/compact/run` does it; at first it is loaded beside the vocabulary."""
    with _unpacking(env, given) as busy:
        from ..filters.compact.run import get_ready, run

        if busy:
            from ..filters.compact import readings

            get_ready()
            readings.get_ready()
        return run(env, given)


@contextmanager
def _unpacking(env: Env, given: Given) -> Iterator[bool]:
    """Where nothing was ever counted and there is much to count, another core unpacks the vocabulary."""
    cache = f"{env.home}/cache"
    if (
        given.budget is None
        or env.cores == 1
        or size_of(f"{cache}/tokens.sqlite")
        or _size(env, given) < LARGE
    ):
        yield False
        return
    from ..tokens import vocabulary
    from ..tokens.counter import DEFAULT

    with vocabulary.unpacking(given.counter or DEFAULT, cache) as busy:
        yield busy


def _size(env: Env, given: Given) -> int:
    """How large the session is, if it is there; whatever is wrong is told in its turn."""
    from ..store.resolve import for_reading

    try:
        return size_of(for_reading(env, given.session, given.argument).path)
    except HistoryError:
        return 0

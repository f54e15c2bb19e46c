"""What a session that was read is brought to: its pairs mended, curated, and no larger than asked for."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData
from ...filters.compact import bounds
from ...filters.compact.bounds import Limits
from ...filters.compact.explain import explained
from ...filters.costs import counter_for, total_of
from ...filters.curate import passes
from ...filters.curate.pairs import LOST, MISPLACED, MOVED, SECOND, UNASKED
from ...filters.curate.passes import Settings
from ...programs import sessions
from ...session.imported import origin
from ...session.model import Json
from ...session.ops import Op, apply
from ...session.view import View
from ...store.program_files import folders
from ...tokens.prices import table
from .fates import Moves

SHARE = 0.6  # of a model's window, which leaves room for system prompt, tools and further turns
_SUMMARY = ("ledger", "prompts", "sentences")  # what of it a compaction writes
_MENDED = {
    UNASKED: "result without its call left out",
    SECOND: "second result of a call left out",
    MOVED: "result moved to its call",
    MISPLACED: "call in a user's message left out",
}


class Reduced(NamedTuple):
    """`mended`: the view with whole pairs, before anything was let go; `repairs`: how often what was done.

    `fitted` is to be written, `after` is what of it is there then.
    """

    mended: View
    fitted: View
    after: View
    repairs: Counter[str]
    moves: Moves
    model: str | None
    window: int | None
    budget: int | None
    compacted: bool
    sizes: Json  # `counter, before, after, let_go, summary`, in tokens


def reduced(env: Env, view: View, to: str | None, asked: int | None) -> Reduced:
    """The view mended, curated, and compacted where it is too long; `asked`: for so many tokens.

    `to`: the program it is for. Raises BudgetUnreachable; BadData where nothing is left that goes on.
    """
    newest = next((m for m in reversed(view.messages) if m.model), None)
    model = newest.model if newest is not None else None
    windows: list[int | None] = []
    if newest is not None and model:
        windows = [table().window(model, newest.provider), folders.window(env, to, model) if to else None]
    window = min((size for size in windows if size), default=None)
    budget = asked or (int(window * SHARE) if window else None)
    thoughts = "keep" if to in (None, origin(view.header).get("from")) else "all"
    settings = Settings(unanswered="error" if to is None else "stub", thoughts=thoughts)
    mended, ops, _ = passes.curate(view, settings, ("pairs",))
    curated, _, _ = passes.curate(mended, settings)
    fitted = curated
    if budget is not None:
        fitted = apply(curated, bounds.plan(env, curated, Limits(budget=budget, model=model)).ops)
    after = fitted if to is None else sessions.held(to, fitted)
    if to is not None and not after.messages and not after.summaries:
        raise BadData(f"{view.id}: of what can be read in it nothing can be sent again")
    counter = counter_for(env, view, None, model)
    found = explained(mended, after, counter, None, ())
    sizes = {
        "counter": counter.name, "before": total_of(counter, view)["tokens"]["total"],
        "after": found["after"], "let_go": found["let_go"],
        "summary": sum(found["spent"][name] for name in _SUMMARY) if fitted is not curated else 0,
    }  # fmt: skip
    return Reduced(
        mended, fitted, after, _repairs(ops), Moves.of(view, ops), model, window, budget,
        fitted is not curated, sizes,
    )  # fmt: skip


def _repairs(ops: list[Op]) -> Counter[str]:
    """What was done to calls and results, and to how many."""
    found: Counter[str] = Counter()
    for op in ops:
        if op["op"] == "insert":
            responses = [part["functionResponse"] for part in op["message"]["parts"]]
            lost = sum(response["response"] == {"error": LOST} for response in responses)
            found["call answered as failed, its result being lost"] += lost
        else:
            why = op.get("why", "")
            found[_MENDED.get(why, "result named as its call")] += len(op.get("ids", [""]))
    return +found

"""Repair, curate and compact the session that was read."""

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
from ...filters.curate.pairs import DUPLICATE, LOST, MISPLACED, MOVED, RENAMED, WITHOUT_CALL
from ...filters.curate.passes import Settings
from ...programs import registry, writing
from ...session.model import Json, origin
from ...session.ops import Op, apply
from ...session.view import View
from ...store.program_files import folders
from ...summaries.window import stands_for
from ...tokens.prices import table

SHARE = 0.6  # of a model's window; leaves room for system prompt, tools and further turns
_SUMMARY = ("ledger", "prompts", "sentences")  # kinds of tokens that a compaction's summary accounts for
_REPAIRS = {
    WITHOUT_CALL: "result without its call left out",
    DUPLICATE: "second result of a call left out",
    MOVED: "result moved to its call",
    MISPLACED: "call in a user's message left out",
}
_FATES = {"drop": "dropped", "summarize": "summarised", "replace": "shortened"}


class Reduced(NamedTuple):
    """`view`: what to write; `report`: a line per op.

    `facts`: `mended, messages, tokens, let_go, summary, model, window, budget, compacted`. `earlier`: how
    many messages summaries covered before.
    """

    view: View
    report: list[Json]
    facts: Json
    earlier: int = 0


def reduced(env: Env, view: View, to: str | None, limit: int | None) -> Reduced:
    """Repair and curate the view, and compact it if it exceeds `limit` or 60 % of its model's window.

    `to`: the program to write for. Raises BudgetUnreachable, and BadData if nothing is left to resume.
    """
    newest = next((m for m in reversed(view.messages) if m.model), None)
    model, window = None, None
    if newest is not None:
        model = str(newest.model)
        windows = [table().window(model, newest.provider), folders.window(env, to, model) if to else None]
        window = min((size for size in windows if size), default=None)
    budget = limit or (int(window * SHARE) if window else None)
    thoughts = "keep" if to in (None, origin(view.header).get("from")) else "all"
    settings = Settings(unanswered="error" if to is None else "stub", thoughts=thoughts)
    repaired, repairs, report = passes.curate(view, settings, ("pairs",))
    smaller, ops, more = passes.curate(repaired, settings)
    report += more
    compaction: list[Op] = []
    if budget is not None:
        plan = bounds.plan(env, smaller, Limits(budget=budget, model=model))
        compaction, report = plan.ops, [*report, *plan.report()]
        smaller = apply(smaller, compaction)
    after = smaller if to is None else writing.as_written(registry.program(to), smaller)
    if to is not None and not after.messages and not after.summaries:
        raise BadData(f"{view.id}: no readable message in it can be sent again")
    counter = counter_for(env, view, None, model)
    spent = explained(repaired, after, counter, None, ())
    before = total_of(counter, view)["tokens"]["total"]
    facts = {
        "mended": _repairs(repairs), "messages": _fates(view, [*repairs, *ops, *compaction], after),
        "tokens": {"counter": counter.name, "before": before, "after": spent["after"]},
        "let_go": spent["let_go"],
        "summary": sum(spent["spent"][name] for name in _SUMMARY) if compaction else 0,
        "model": model, "window": window, "budget": budget, "compacted": bool(compaction),
    }  # fmt: skip
    sent = {message.id for message in view.messages}
    earlier = sum(id in view.all and id not in sent for id in stands_for(view.summaries, view))
    return Reduced(smaller, report, facts, earlier)


def _repairs(ops: list[Op]) -> Counter[str]:
    """Count the repairs of calls and results by kind."""
    counts: Counter[str] = Counter()
    for op in ops:
        if op["op"] == "insert":
            answers = [part["functionResponse"]["response"] for part in op["message"]["parts"]]
            counts["call answered as failed because its result was lost"] += answers.count({"error": LOST})
        else:
            kind = _REPAIRS.get(op.get("why", ""), "result renamed to match its call")
            counts[kind] += len(op.get("ids", [""]))
    return +counts


def _fates(view: View, ops: list[Op], after: View) -> Json:
    """Count messages before and after, and what the ops did to them; a moved result counts as kept.

    Messages covered by an earlier summary count as summarised.
    """
    fates = {id: "summarised" for id in stands_for(view.summaries, view) if id in view.all}
    fates |= {message.id: "kept" for message in view.messages}
    for op in ops:
        ids = [op["id"]] if op["op"] == "replace" else op.get("ids", [])
        if not op.get("why", "").startswith((MOVED, RENAMED)):
            fates |= {id: _FATES[op["op"]] for id in ids if id in fates}
    counts = Counter(fates.values())
    named = {fate: counts[fate] for fate in ("kept", "shortened", "summarised", "dropped")}
    return {"before": len(fates), "after": len(after.messages), **named}

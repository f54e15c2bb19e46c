"""What becomes of the session that was read: its pairs repaired, curated, and no larger than its budget."""

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
from ...session.model import Json, Part
from ...session.ops import Op, apply
from ...session.records import dumps
from ...session.view import View
from ...store.program_files import folders
from ...summaries.window import stands_for
from ...tokens.prices import table

SHARE = 0.6  # of a model's window, which leaves room for system prompt, tools and further turns
_SUMMARY = ("ledger", "prompts", "sentences")  # what of it a compaction writes
_REPAIRS = {
    UNASKED: "result without its call left out",
    SECOND: "second result of a call left out",
    MOVED: "result moved to its call",
    MISPLACED: "call in a user's message left out",
}


class Reduced(NamedTuple):
    """`fitted` is to be written, `after` is what its program then reads of it.

    `repairs`: how often what was done to calls and results; `report`: a line for each op, as `--report`
    has it; `messages`: how many there were and are, and what became of them; `sizes`: in tokens,
    `counter, before, after, let_go, summary`.
    """

    fitted: View
    after: View
    repairs: Counter[str]
    report: list[Json]
    messages: Json
    model: str | None
    window: int | None
    budget: int | None
    compacted: bool
    sizes: Json


def reduced(env: Env, view: View, to: str | None, asked: int | None) -> Reduced:
    """The view repaired, curated, and compacted where it is too long; `asked`: to so many tokens.

    `to`: the program it is for. Raises BudgetUnreachable; BadData where nothing is left to resume.
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
    repaired, ops, _ = passes.curate(view, settings, ("pairs",))
    fitted, _, report = passes.curate(view, settings)
    compaction: list[Op] = []
    if budget is not None:
        plan = bounds.plan(env, fitted, Limits(budget=budget, model=model))
        compaction, report = plan.ops, [*report, *plan.report()]
        fitted = apply(fitted, compaction)
    after = fitted if to is None else sessions.held(to, fitted)
    if to is not None and not after.messages and not after.summaries:
        raise BadData(f"{view.id}: of what can be read in it nothing can be sent again")
    counter = counter_for(env, view, None, model)
    spent = explained(repaired, after, counter, None, ())
    sizes = {
        "counter": counter.name, "before": total_of(counter, view)["tokens"]["total"],
        "after": spent["after"], "let_go": spent["let_go"],
        "summary": sum(spent["spent"][name] for name in _SUMMARY) if compaction else 0,
    }  # fmt: skip
    return Reduced(
        fitted, after, _repairs(ops), report, _counts(view, ops, repaired, after), model, window, budget,
        bool(compaction), sizes,
    )  # fmt: skip


def _repairs(ops: list[Op]) -> Counter[str]:
    """What was done to calls and results, and to how many."""
    counts: Counter[str] = Counter()
    for op in ops:
        if op["op"] == "insert":
            responses = [part["functionResponse"] for part in op["message"]["parts"]]
            lost = sum(response["response"] == {"error": LOST} for response in responses)
            counts["call answered as failed, its result being lost"] += lost
        else:
            why = op.get("why", "")
            counts[_REPAIRS.get(why, "result named as its call")] += len(op.get("ids", [""]))
    return +counts


def _counts(view: View, ops: list[Op], repaired: View, after: View) -> Json:
    """How many messages there were and are, and what became of them.

    Those that an earlier summary stands for count too; a result that was moved is where its call is.
    """
    before = {message.id: message.parts for message in repaired.messages}
    shown = {message.id: message.parts for message in after.messages}
    covered = set(stands_for(after.summaries, after))
    moved = _moved(view, ops)
    removals = (op for op in ops if op["op"] == "replace" and dict(op)["with"] is None)
    lost = {op["id"] for op in removals if op["why"] != MOVED}
    earlier = (id for id in stands_for(view.summaries, view) if id in view.all)
    ids = dict.fromkeys([*earlier, *(message.id for message in view.messages)])
    counts = {"before": len(ids), "after": len(after.messages)}
    counts |= dict.fromkeys(("kept", "shortened", "summarised", "dropped"), 0)
    for id in ids:
        place = id if id in before else moved.get(id, id)
        if place in shown:
            whole = shown[place] == before.get(place) and id not in lost
            counts["kept" if whole else "shortened"] += 1
        else:
            counts["summarised" if covered & {id, place} else "dropped"] += 1
    return counts


def _moved(view: View, ops: list[Op]) -> dict[str, str]:
    """The messages whose results were moved to their calls, and the new messages that hold these."""
    places = {
        _result(part): op["message"]["id"]
        for op in ops
        if op["op"] == "insert"
        for part in op["message"]["parts"]
    }
    moved = {id for op in ops if op.get("why") == MOVED for id in op.get("ids", [])}
    return {
        message.id: places[result]
        for message in view.messages
        if message.id in moved
        for part in message.parts
        if "functionResponse" in part and (result := _result(part)) in places
    }


def _result(part: Part) -> bytes:
    """What a result is recognised by, whatever its call is named."""
    response = part["functionResponse"]
    return dumps([response.get("id"), response.get("response")])

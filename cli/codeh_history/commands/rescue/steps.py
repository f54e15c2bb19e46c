"""The steps of a rescue: read what is readable, then repair, curate and compact it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, Usage
from ...base.read_json import json_object
from ...base.shared_options import system_and_tools
from ...base.words import is_id
from ...filters import compact
from ...filters.compact import bounds
from ...filters.compact.explain import explained
from ...filters.costs import counter_for, total_of
from ...filters.curate import passes
from ...filters.curate.pairs import DUPLICATE, LOST, MISPLACED, MOVED, RENAMED, WITHOUT_CALL
from ...filters.curate.passes import Settings
from ...programs import registry, writing
from ...programs.model import ABANDONED, REWOUND, ROLLED_BACK, Entry, Session, Summary
from ...providers.usage import count
from ...session.fold import fold
from ...session.model import Json, origin
from ...session.ops import Op, apply
from ...session.records import parse
from ...session.view import View
from ...store import program_files
from ...store.paths import SERVER
from ...store.program_files import FIRST_LINES, File, folders, head_of, translated
from ...store.resolve import Target, for_reading
from ...tokens.prices import table
from ..verify import problems_of, program_problem

SHARE = 0.6  # of a model's window; leaves room for system prompt, tools and further turns
_SUMMARY = ("ledger", "prompts", "sentences")  # kinds of tokens that a compaction's summary accounts for
_REPAIRS = {
    WITHOUT_CALL: "result without its call left out",
    DUPLICATE: "second result of a call left out",
    MOVED: "result moved to its call",
    MISPLACED: "call in a user's message left out",
}
FATES = ("kept", "shortened", "summarised", "dropped")
_FATE_OF_OP = {"drop": "dropped", "summarize": "summarised", "replace": "shortened"}


class Recovered(NamedTuple):
    """A session as far as it can be read.

    `program`: None for a session of this format. `problems`: as in `verify --json`.
    `skipped`: counts of what was not imported, by kind.
    """

    target: Target
    id: str
    view: View
    problems: list[Json]
    program: str | None = None
    skipped: Counter[str] = Counter()  # noqa: RUF012 - never changed


def read(env: Env, option: str | None, argument: str | None) -> Recovered:
    """Read a session, or a file with any name; raise BadData if no message can be read."""
    name = argument or option
    if name == "-":
        raise Usage("-: rescue reads a file or a session, never a stream")
    if name and not is_id(name) and os.path.isfile(name):
        target = Target(name, "argument" if argument else "-s")
    else:
        target = for_reading(env, option, argument)
    if not target.path.startswith(SERVER):
        with program_files.opened(target.path) as file:
            if (program := program_of(file)) is not None:
                return _of_program(file, program, target)
    view, problems = problems_of(env, target)
    if view.log.refers:
        from ...views.stored_parts import hydrated

        view = hydrated(env, view, lost={})
    if not view.summaries and all(message.after is not None for message in view.all.values()):
        raise BadData(f"{target.path}: it contains no readable message")
    problems = [{"line": each["line"], "reason": each["reason"]} for each in problems]
    return Recovered(target, view.id or target.id, view, problems)


def program_of(file: File) -> str | None:
    """Detect the program; if the first lines are damaged, by the first readable ones."""
    program = program_files.program_of(file)
    if program is None and not file.head.tables and not file.head.whole:
        objects = (line for line in file.lines() if json_object(line) is not None)
        head = head_of(b"".join(islice(objects, FIRST_LINES)))
        program = registry.detect_program(head)
        if program is not None:
            file.head = head
    return program


def _of_program(file: File, program: str, target: Target) -> Recovered:
    read = program_files.sessions_in(file, program)
    session = next(read, None)
    if session is not None and next(read, None) is not None:
        raise BadData(f"{target.path}: more than one session of {program}; import it, and rescue one")
    if session is not None and not session.items:
        others = [branch.items for branch in session.branches() if not branch.agent]
        if longest := max(others, key=len, default=[]):
            session.items = longest
            session.skipped -= Counter(dict.fromkeys((ABANDONED, REWOUND, ROLLED_BACK), len(longest)))
            why = "the branch that continues has no message"
            session.problem(0, "forgets", why, "the longest other branch is read")
    if session is not None:
        session.items = list(_usable(session))
    if session is None or not session.items:
        raise BadData(f"{target.path}: it contains no readable message of {program}")
    view = fold(parse(translated.lines(session, target.path)))
    problems = [*map(program_problem, session.problems)]
    return Recovered(target, session.id, view, problems, program, session.skipped)


def _usable(session: Session) -> Iterator[Entry | Summary]:
    """Yield the items; for a summary without text, the messages that it covers."""
    summaries = [item for item in session.items if isinstance(item, Summary)]
    covered = {id for summary in summaries if summary.text.strip() for id in summary.covers}
    for item in session.items:
        if isinstance(item, Entry) or item.text.strip() or item.id in covered:
            yield item
        else:
            why = "the text of a summary is lost"
            session.problem(item.line, "forgets", why, "what it stood for is read")


def reduced(env: Env, view: View, to: str | None, limit: int | None) -> tuple[View, list[Json], Json]:
    """Repair and curate the view, and compact it if it exceeds `limit` or 60 % of its model's window.

    `to`: the program to write for. Return what to write; a line per op; the facts `mended, messages,
    tokens, let_go, summary, model, window, budget, compacted`. Raises BudgetUnreachable; BadData if nothing
    is left to resume.
    """
    model, window = _window(env, view, to)
    budget = limit or (int(window * SHARE) if window else None)
    thoughts = "keep" if to in (None, origin(view.header).get("from")) else "all"
    settings = Settings(unanswered="error" if to is None else "stub", thoughts=thoughts)
    repaired, repairs, report = passes.curate(view, settings, ("pairs",))
    smaller, ops, more = passes.curate(repaired, settings)
    report += more
    compaction: list[Op] = []
    if budget is not None:
        system, tools = system_and_tools(view.meta)
        limits = compact.Settings(budget=budget, model=model, system=system, tools=tools)
        plan = bounds.plan(env, smaller, limits)
        compaction, report = plan.ops, [*report, *plan.report()]
        smaller = apply(smaller, compaction)
    after = smaller if to is None else writing.as_written(registry.program(to), smaller)
    if to is not None and not after.messages and not after.summaries:
        raise BadData(f"{view.id}: no readable message in it can be sent again")
    counter = counter_for(env, view, None, model)
    spent = explained(repaired, after, counter, None, ())
    before = total_of(counter, view)["tokens"]["total"]
    fates = _fates(view, [*repairs, *ops, *compaction])
    facts = {
        "mended": _repairs(repairs),
        "messages": {"before": len(view.messages), "after": len(after.messages), **fates},
        "tokens": {"counter": counter.name, "before": before, "after": spent["after"]},
        "let_go": spent["let_go"],
        "summary": sum(spent["spent"][name] for name in _SUMMARY) if compaction else 0,
        "model": model, "window": window, "budget": budget, "compacted": bool(compaction),
    }  # fmt: skip
    return smaller, report, facts


def _window(env: Env, view: View, to: str | None) -> tuple[str | None, int | None]:
    """The model of the newest answer, and its smallest known window."""
    newest = next((message for message in reversed(view.messages) if message.model), None)
    if newest is None:
        return None, None
    model = str(newest.model)
    sizes = [count(newest.fields, "window"), table().window(model, newest.provider)]
    sizes += [folders.window(env, to, model)] if to else []
    return model, min(filter(None, sizes), default=None)


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


def _fates(view: View, ops: list[Op]) -> Json:
    """Count what the ops did to the messages; a moved result counts as kept."""
    fates = {message.id: "kept" for message in view.messages}
    for op in ops:
        ids = [op["id"]] if op["op"] == "replace" else op.get("ids", [])
        if not op.get("why", "").startswith((MOVED, RENAMED)):
            fates |= {id: _FATE_OF_OP[op["op"]] for id in ids if id in fates}
    counts = Counter(fates.values())
    return {fate: counts[fate] for fate in FATES}

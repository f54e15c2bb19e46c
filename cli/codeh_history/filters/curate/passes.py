"""The curation passes, in their order: each takes a view and returns the ops that change it.

Each is idempotent and linear; a new one is a module and its name in `shared_options.PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ...base import shared_options
from ...base.modules import module
from ...session.fold import View
from ...session.model import Json
from ...session.ops import Op, apply
from .base import Settings

Pass = Callable[[View, Settings], list[Op]]

PASSES: dict[str, Pass] = {name: module(f"{__package__}.{name}").run for name in shared_options.PASSES}
FORCED = ("kinds", "pairs")  # what every provider's rules demand, also of a raw payload


def curate(
    view: View, settings: Settings, names: Collection[str] = tuple(PASSES)
) -> tuple[View, list[Op], list[Json]]:
    """The view after the named passes, all their ops in order, and a report line for each op."""
    ops: list[Op] = []
    report: list[Json] = []
    for name, run in PASSES.items():
        if name not in names:
            continue
        found = run(view, settings)
        if found:
            view = apply(view, found)
            ops += found
            report += (line for op in found for line in report_lines(name, op))
    return view, ops, report


def report_lines(stage: str, op: Op) -> list[Json]:
    """What `--report` says of an op: `pass, op, id, part?, why`, a line for each message it concerns."""
    ids = op["ids"] if "ids" in op else [op["after"] if op["op"] == "insert" else op["id"]]
    part = {"part": op["part"]} if "part" in op else {}
    return [{"pass": stage, "op": op["op"], "id": id, **part, "why": op.get("why", "")} for id in ids]

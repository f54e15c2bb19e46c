"""Short histories for tables of compaction, and what is asked of them."""

from __future__ import annotations

from typing import Any

import orjson

from codeh_history.filters.compact import Plan, Settings, compact
from codeh_history.session.fold import View
from codeh_history.session.ops import apply
from codeh_history.tokens import open_counter
from compact.long import cost, output, prose
from histories import call, model, result, tool

COUNTER = open_counter(None)
BIG = output(7, 400)


def tokens(view: View) -> int:
    return cost(COUNTER, view)


def plan(view: View, budget: int, **fields: Any) -> Plan:
    return compact(view, Settings(budget=budget, **fields), COUNTER)


def loop(view: View, budget: int, **fields: Any) -> View:
    return apply(view, plan(view, budget, policy="loop", **fields).ops)


def asked(id: str, name: str, args: Any, response: Any) -> list[Any]:
    """A call and its answer."""
    return [model(call(name, id, args)), tool(result(name, id, response))]


def sources(*numbers: int, size: int = 60) -> Any:
    return {
        "sources": [{"source_number": n, "content_id": f"c{n}", "content": prose(n, size)} for n in numbers]
    }


def said(view: View) -> str:
    return orjson.dumps([message.parts for message in view.messages]).decode()

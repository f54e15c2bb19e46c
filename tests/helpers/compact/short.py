"""Short histories for tables of compaction, and their expected results."""

import orjson

from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens import open_counter
from compact.long import cost, output, prose
from histories import call, model, result, tool

COUNTER = open_counter(None)
BIG = output(7, 400)


def tokens(view):
    return cost(COUNTER, view)


def plan(view, budget, **fields):
    return compact(view, Settings(budget=budget, **fields), COUNTER)


def loop(view, budget, **fields):
    return apply(view, plan(view, budget, policy="loop", **fields).ops)


def tool_call(id, name, args, response):
    """A call and its response."""
    return [model(call(name, id, args)), tool(result(name, id, response))]


def sources(*numbers, size=60):
    return {
        "sources": [{"source_number": n, "content_id": f"c{n}", "content": prose(n, size)} for n in numbers]
    }


def texts_of(view):
    return orjson.dumps([message.parts for message in view.messages]).decode()

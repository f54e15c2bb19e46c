"""Short histories for tables of compaction, their results and their summaries."""

import orjson

from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens.counter import open_counter
from compact.long import cost, output, prose
from histories import call, model, result, tool, user

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


def questions(count, size=60):
    """Exchanges of a question, numbered, and an answer."""
    for n in range(count):
        yield from (user(f"Question {n}: {prose(n, size)}"), model(prose(n + 1, 60)))


def texts_of(view):
    return orjson.dumps([message.parts for message in view.messages]).decode()


def summary(view, budget, **fields):
    return apply(view, plan(view, budget, **fields).ops).summaries[-1].text


def section(text, heading):
    """The lines under a heading."""
    lines = text.split("\n")
    start = lines.index(f"{heading}:") + 1
    ends = [n for n, line in enumerate(lines) if n >= start and line.endswith(":") and line[0].isupper()]
    return lines[start : min(ends, default=len(lines))]


def working(calls, first=0):
    """A loop of calls; their outputs differ, and for each `first` they are others."""
    return [
        m
        for n in range(calls * first, calls * (first + 1))
        for m in tool_call(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(n, 30)})
    ]

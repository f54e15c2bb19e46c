"""Summaries of a compaction, and their sections."""

from codeh_history.session.ops import apply
from compact.long import output
from compact.short import plan, tool_call


def summary(view, budget, **fields):
    return apply(view, plan(view, budget, **fields).ops).summaries[-1].text


def section(text, heading):
    """The lines under a heading."""
    lines = text.split("\n")
    start = lines.index(f"{heading}:") + 1
    ends = [n for n, line in enumerate(lines) if n >= start and line.endswith(":") and line[0].isupper()]
    return lines[start : min(ends, default=len(lines))]


def working(calls):
    return [
        m
        for n in range(calls)
        for m in tool_call(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(n, 30)})
    ]

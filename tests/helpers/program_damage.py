"""What may become of a program's files."""

import orjson
from hypothesis import strategies as st


@st.composite
def odd(draw, line):
    """A line one of whose fields, at any depth, is something else."""
    return orjson.dumps(changed(draw, orjson.loads(line))) + b"\n"


def changed(draw, value):
    """The value, one of its fields, at any depth, being something else."""
    at = value
    while not isinstance(at, str):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if isinstance(at[key], dict | list) and at[key] and draw(st.booleans()):
            at = at[key]
            continue
        at[key] = draw(st.sampled_from((None, 7, "x", [], {}, [[]], [{}], {"a": 1}, True, -1.5, "\ud7ff")))
        break
    return value

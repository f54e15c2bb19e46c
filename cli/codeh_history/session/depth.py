"""How deep JSON nests: readers stop somewhere, and a request nests deeper than a session."""

from __future__ import annotations

import orjson

MAX_DEPTH = 200  # of what is written
MAX_READ = 240  # a deeper line is damage: a request nests it deeper still
_WRITTEN = 254  # levels that orjson writes
SHALLOW = 2 * MAX_READ  # so few bytes cannot nest deeper


def nests_deeper(value: object, limit: int = MAX_DEPTH) -> bool:
    """Whether a value nests deeper than `limit`, or is not JSON."""
    for _ in range(_WRITTEN - limit):
        value = [value]
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False


def depth_exceeds(line: bytes, limit: int = MAX_DEPTH) -> bool:
    """The same of a JSON text; False for what is not JSON."""
    if len(line) <= 2 * limit:
        return False
    try:
        value = orjson.loads(line)
    except ValueError as error:
        return "limit" in str(error)  # of the depth that orjson reads
    return nests_deeper(value, limit)


def too_deep(value: object) -> bool:
    """Whether a value nests deeper than what is read."""
    return nests_deeper(value, MAX_READ)

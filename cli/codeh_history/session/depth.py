"""How deep JSON nests: readers stop somewhere, and a request nests deeper than a session."""

from __future__ import annotations

import orjson

from .model import Any

MAX_DEPTH = 200  # of what is written
MAX_READ = 240  # a deeper line is damage: a request nests it deeper still, and orjson dumps stops at 254
SHALLOW = 2 * MAX_READ  # so few bytes cannot nest deeper


def nests_deeper(value: object, limit: int = MAX_DEPTH) -> bool:
    """Whether a value nests deeper than `limit`."""
    level: list[Any] = [value] if type(value) is dict or type(value) is list else []
    for _ in range(limit):  # `level` is the containers at one depth
        if not level:
            return False
        outside, level = level, []
        for outer in outside:
            for inner in outer.values() if type(outer) is dict else outer:
                if type(inner) is dict or type(inner) is list:
                    level.append(inner)
    return level != []


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
    try:
        return depth_exceeds(orjson.dumps(value), MAX_READ)
    except TypeError:
        return True

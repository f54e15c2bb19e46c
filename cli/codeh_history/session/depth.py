"""How deep JSON nests: readers stop somewhere, and a request nests deeper than a session."""

from __future__ import annotations

import orjson

from .model import Any

MAX_DEPTH = 200  # of what is written
MAX_READ = 240  # a deeper line is damage: a request nests it deeper still, and orjson dumps stops at 254
SHALLOW = 2 * MAX_READ  # so few bytes cannot nest deeper
_CONTAINERS = frozenset((dict, list, tuple))


def nests_deeper(value: object, line: bytes, limit: int = MAX_DEPTH) -> bool:
    """Whether an object or list, of which `line` is the JSON, nests deeper than `limit`."""
    if len(line) <= 2 * limit or line.count(b"{") + line.count(b"[") <= limit:
        return False
    level: list[Any] = [value]  # the containers at one depth
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return False
    return True


def depth_exceeds(line: bytes, limit: int = MAX_DEPTH) -> bool:
    """The same of a JSON text; False for what is not JSON."""
    if len(line) <= 2 * limit:
        return False
    try:
        value = orjson.loads(line)
    except ValueError as error:
        return "limit" in str(error)  # of the depth that orjson reads
    return type(value) in _CONTAINERS and nests_deeper(value, line, limit)


def too_deep(value: object) -> bool:
    """Whether a value nests deeper than what is read."""
    try:
        return depth_exceeds(orjson.dumps(value), MAX_READ)
    except TypeError:
        return True

"""How deep JSON nests: readers stop somewhere, and a request nests deeper than a session."""

from __future__ import annotations

import orjson

from .model import Any

MAX_DEPTH = 200  # of what is written
MAX_READ = 240  # a deeper line is damage: a request nests it deeper still, and orjson dumps stops at 254
SHALLOW = 2 * MAX_READ  # so few bytes cannot nest deeper
_AS_BRACES = bytes.maketrans(b"[]", b"{}")
_UP = {0x7B: 1, 0x7D: -1}
_CONTAINERS = frozenset((dict, list, tuple))
_PEELED = 8  # levels taken off fast, which most brackets belong to
_NO_BRACKETS = bytes(char for char in range(256) if char not in b"{}[]")


def depth_exceeds(line: bytes, limit: int = MAX_DEPTH) -> bool:
    """Whether the JSON text nests deeper than `limit`; brackets inside strings are not counted."""
    if len(line) <= 2 * limit or line.count(b"{") + line.count(b"[") <= limit:
        return False
    import re
    from itertools import accumulate

    strings = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
    braces = strings.sub(b"", line).translate(_AS_BRACES, _NO_BRACKETS)
    for _ in range(_PEELED):
        braces = braces.replace(b"{}", b"")  # the innermost level
    return max(accumulate(_UP[brace] for brace in braces), default=0) + _PEELED > limit


def nests_deeper(value: object, line: bytes, limit: int = MAX_DEPTH) -> bool:
    """The same of an object or list and the line that it is: where texts are long it tells sooner."""
    if len(line) <= 2 * limit or line.count(b"{") + line.count(b"[") <= limit:
        return False
    level: list[Any] = [value]  # what is a container at one depth
    for _ in range(limit):
        level = [
            inner
            for one in level
            for inner in (one.values() if type(one) is dict else one)
            if type(inner) in _CONTAINERS
        ]
        if not level:
            return False
    return True


def too_deep(value: object) -> bool:
    """Whether a value nests deeper than what is read."""
    try:
        return depth_exceeds(orjson.dumps(value), MAX_READ)
    except TypeError:
        return True

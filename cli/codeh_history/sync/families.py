"""Which sessions belong together: forks and what they are forks of, for a redaction concerns them all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import orjson

from ..base.errors import NotFound
from .side import Side

_HEAD = b'{"type":"session"'


def families(sides: Sequence[Side], only: Collection[str]) -> list[list[str]]:
    """The sessions that differ between two stores, each with its forks, by id.

    Of all sessions, or of `only` these; NotFound where none of the stores has one.
    """
    found = [set(side.sessions()) for side in sides]
    everything = set.union(*found)
    for name in only:
        if name not in everything:
            raise NotFound(f"{name}: no such session, neither here nor there")
    links = _Links()
    differ: set[str] = set()
    for name in everything:
        data = [side.read(name) for side in sides]
        for text in data:
            links.join(name, _parent(text or b""))
        if data[0] != data[1]:
            differ.add(name)
    wanted = {links.root(name) for name in only}
    groups: dict[str, list[str]] = {}
    for name in sorted(everything):
        groups.setdefault(links.root(name), []).append(name)
    return [
        names
        for root, names in groups.items()
        if not differ.isdisjoint(names) and (not wanted or root in wanted)
    ]


def _parent(data: bytes) -> str | None:
    """The session that a header says this one was copied from."""
    line = data.partition(b"\n")[0]
    if not line.startswith(_HEAD) or b'"parent"' not in line:
        return None
    try:
        parent = orjson.loads(line).get("parent")
    except ValueError:
        return None
    found = parent.get("session") if isinstance(parent, dict) else None
    return found if isinstance(found, str) else None


class _Links:
    """Sets of names, joined as it turns out that they belong together."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, name: str) -> str:
        while (above := self._above.get(name, name)) != name:
            name = above
        return name

    def join(self, name: str, other: str | None) -> None:
        if other is not None:
            one, two = sorted((self.root(name), self.root(other)))
            if one != two:
                self._above[two] = one

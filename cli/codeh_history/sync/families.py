"""Which sessions belong together: forks and what they are forks of, for a redaction concerns them all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..base.errors import NotFound
from .remembered import ABSENT, Brief


def families(stores: Sequence[Mapping[str, Brief]], only: Collection[str]) -> list[list[str]]:
    """The sessions that differ between two stores, each with its forks, by id.

    Of all sessions, or of `only` these; NotFound where none of the stores has one.
    """
    everything = {name for store in stores for name in store}
    for name in only:
        if name not in everything:
            raise NotFound(f"{name}: no such session in either store")
    links = _Links()
    for store in stores:
        for name, brief in store.items():
            links.join(name, brief.parent)
    one, other = stores
    differ = {name for name in everything if one.get(name, ABSENT).hash != other.get(name, ABSENT).hash}
    wanted = {links.root(name) for name in only}
    groups: dict[str, list[str]] = {}
    for name in sorted(everything):
        groups.setdefault(links.root(name), []).append(name)
    return [
        names
        for root, names in groups.items()
        if not differ.isdisjoint(names) and (not wanted or root in wanted)
    ]


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

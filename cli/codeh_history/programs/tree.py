"""Trees of messages that name their parents: the way from the root to a leaf."""

from __future__ import annotations

from collections.abc import Mapping


def way(parents: Mapping[str, str | None], leaf: str) -> list[str]:
    """From the first known ancestor to the leaf; a circle ends where it began."""
    found: dict[str, None] = {}
    at: str | None = leaf
    while at is not None and at in parents and at not in found:
        found[at] = None
        at = parents[at]
    return list(reversed(found))

"""Putting a streamed answer together: items by their index, each growing by pieces of its texts."""

from __future__ import annotations

from ..session.model import Any, Json
from .parts import list_of, object_of

_STEADY = frozenset(("role", "type", "id"))  # texts that some hosts repeat in every chunk


class Assembly:
    """The items of an answer; `items` holds their fields, apart from the texts that arrive in pieces."""

    def __init__(self) -> None:
        self.items: dict[int, Json] = {}
        self._pieces: dict[int, dict[str, list[str]]] = {}

    def append(self, index: int, field: str, piece: str) -> None:
        self._pieces.setdefault(index, {}).setdefault(field, []).append(piece)

    def texts(self, index: int) -> dict[str, str]:
        """The texts of an item by their fields, in the order in which they began."""
        return {field: "".join(pieces) for field, pieces in self._pieces.get(index, {}).items()}

    def forget(self, index: int) -> None:
        """Drop the texts of an item that has come as a whole."""
        self._pieces.pop(index, None)

    def indexes(self) -> list[int]:
        return sorted({*self.items, *self._pieces})


def grown(before: Json, delta: Json) -> Json:
    """An object with a delta added: texts and lists grow, objects by field, the rest is replaced.

    Objects of a list that have an `index` grow in the one of that index.
    """
    result = dict(before)
    for key, value in delta.items():
        old = result.get(key)
        if isinstance(old, str) and isinstance(value, str) and key not in _STEADY:
            result[key] = old + value
        elif isinstance(value, dict):
            result[key] = grown(object_of(old), value)
        elif isinstance(value, list):
            result[key] = list(list_of(old))
            for item in value:
                _grow(result[key], item)
        elif value is not None:
            result[key] = value
    return result


def _grow(items: list[Any], item: Any) -> None:
    index = object_of(item).get("index")
    for number, other in enumerate(items):
        if index is not None and object_of(other).get("index") == index:
            items[number] = grown(other, item)
            return
    items.append(item)

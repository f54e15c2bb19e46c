"""Check offline what a provider would refuse in a request body.

A shape describes a value: a name in `KINDS`, a tuple of the accepted values, a list with the shape of its
elements, an object's fields by name (`name?` may be missing), `ByType`, or a function that returns why a
value is refused ("" if it is not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..session.model import Any, Json
from .parts import list_of, name_of

KINDS: dict[str, Callable[[object], str]] = {
    "text": lambda value: "" if isinstance(value, str) else "a text is expected",
    "name": lambda value: "" if name_of(value) else "required: a text that is not empty",
    "object": lambda value: "" if isinstance(value, dict) else "an object is expected",
    "list": lambda value: "" if isinstance(value, list) else "a list is expected",
    "flag": lambda value: "" if isinstance(value, bool) else "true or false is expected",
}


@dataclass(frozen=True)
class Problem:
    """Something that a provider would refuse: its path in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


class ByType(dict[str, Any]):
    """The shapes of an object by its field `type`."""


class Validator:
    """Checks a body and collects its problems."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.problems: list[Problem] = []
        self.tool_names: set[str] = set()

    def check(self) -> None:
        """Report each problem of the body."""
        raise NotImplementedError

    def in_order(self) -> list[Problem]:
        """Check the body; return its problems sorted by field and by element of the field's array."""
        self.check()
        places = {key: number for number, key in enumerate(self.body)}
        self.problems.sort(key=lambda p: (places.get(p.path.partition(".")[0], -1), element(p.path)))
        return self.problems

    def report(self, path: str, reason: str) -> None:
        self.problems.append(Problem(path, reason))

    def require(self, condition: object, path: str, reason: str) -> bool:
        """Report a problem unless a condition holds; return whether it holds."""
        if not condition:
            self.report(path, reason)
        return bool(condition)

    def expect(self, path: str, value: Any, shape: Any) -> bool:
        """Report what does not have a shape, in a value too; return whether the value's kind is right."""
        if isinstance(shape, tuple):
            allowed = ", ".join(map(str, shape))
            return self.require(value in shape, path, f"{value!r} is not one of {allowed}")
        if isinstance(shape, (str, dict, list)):
            kind = "object" if isinstance(shape, dict) else "list"
            why = KINDS[shape if isinstance(shape, str) else kind](value)
        else:
            why = shape(value)
        if not self.require(not why, path, why):
            return False
        if isinstance(shape, list):
            for where, item in each(value, path):
                self.expect(where, item, shape[0])
        elif isinstance(shape, ByType):
            if self.expect(f"{path}.type", value.get("type"), tuple(shape)):
                self.expect(path, value, shape[value["type"]])
        elif isinstance(shape, dict):
            for key, field in shape.items():
                name = key.removesuffix("?")
                if key == name or value.get(name) is not None:
                    self.expect(f"{path}.{name}".lstrip("."), value.get(name), field)
        return True

    def role(self, path: str, role: object, roles: Sequence[str]) -> bool:
        return self.expect(f"{path}.role", role, tuple(roles))

    def model(self) -> None:
        self.require(name_of(self.body.get("model")), "model", "a model's name is required")

    def tool(self, path: str, name: object, shape: Any) -> None:
        """Check the name of a declared tool."""
        if self.expect(f"{path}.name", name, shape):
            self.require(name not in self.tool_names, f"{path}.name", f"{name} is declared twice")
            self.tool_names.add(str(name))


def element(path: str) -> int:
    """The index of the array element in a path; -1 if there is none."""
    number = path.split(".")[1:2]
    return int(number[0]) if number and number[0].isdecimal() else -1


def each(values: object, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a list with their paths; nothing for anything else."""
    return ((f"{path}.{number}", value) for number, value in enumerate(list_of(values)))


class Merged:
    """Consecutive messages of one role, which some APIs join; `blocks` has their blocks with paths."""

    def __init__(self, role: str, path: str) -> None:
        self.role = role
        self.path = path
        self.blocks: list[tuple[str, Json]] = []

    def select(self, kind: str) -> list[tuple[str, Json]]:
        """The blocks of this type, or with an object under this key."""
        return [
            (path, block) for path, block in self.blocks
            if block.get("type") == kind or isinstance(block.get(kind), dict)
        ]  # fmt: skip


def merge(turns: list[Merged], role: str, path: str) -> Merged:
    """Return the last of these turns if it has this role, else append a new one."""
    if not turns or turns[-1].role != role:
        turns.append(Merged(role, path))
    return turns[-1]


def with_neighbours(turns: Sequence[Merged]) -> Iterator[tuple[Merged | None, Merged, Merged | None]]:
    """Yield each turn between its predecessor and its successor."""
    return zip([None, *turns], turns, [*turns[1:], None], strict=False)

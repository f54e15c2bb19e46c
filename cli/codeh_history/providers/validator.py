"""Check offline what a provider would refuse in a request body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..session.model import Json
from .parts import list_of, name_of


@dataclass(frozen=True)
class Problem:
    """Something that a provider would refuse: its path in the body (`messages.6.content.0`), and why."""

    path: str
    reason: str


_KINDS = {
    "text": (str, "a text"), "object": (dict, "an object"), "list": (list, "a list"),
    "flag": (bool, "true or false"),
}  # fmt: skip


class Validator:
    """Checks a body and collects its problems."""

    def __init__(self, body: Json) -> None:
        self.body = body
        self.problems: list[Problem] = []

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

    def expect(self, path: str, value: object, kind: str) -> bool:
        """Report a value that is not a `text`, `object`, `list` or `flag`; with `?` it may be None."""
        type, name = _KINDS[kind.removesuffix("?")]
        fits = isinstance(value, type) or (value is None and kind[-1] == "?")
        return self.require(fits, path, f"{name} is expected")

    def fields(self, path: str, value: Json, **kinds: str) -> None:
        """Expect the fields of an object to be of these kinds."""
        for field, kind in kinds.items():
            self.expect(f"{path}.{field}".lstrip("."), value.get(field), kind)

    def role(self, path: str, role: object, roles: Sequence[str]) -> bool:
        return self.require(role in roles, f"{path}.role", f"{role!r} is not one of {', '.join(roles)}")

    def model(self) -> None:
        self.require(name_of(self.body.get("model")), "model", "a model's name is required")

    def once(self, names: set[str], name: object, path: str) -> None:
        """Report a name that is already declared."""
        if isinstance(name, str):
            self.require(name not in names, f"{path}.name", f"{name} is declared twice")
            names.add(name)


def element(path: str) -> int:
    """The index of the array element in a path; -1 if there is none."""
    number = path.split(".")[1:2]
    return int(number[0]) if number and number[0].isdecimal() else -1


def each(values: object, path: str) -> Iterator[tuple[str, object]]:
    """Yield the elements of a list with their paths; nothing for anything else."""
    return ((f"{path}.{number}", value) for number, value in enumerate(list_of(values)))


class Merged:
    """Consecutive messages of one role, which some APIs join; `blocks` has their blocks with paths."""

    def __init__(self, role: str, path: str) -> None:
        self.role = role
        self.path = path
        self.blocks: list[tuple[str, Json]] = []

    def select(self, type: str = "", key: str = "") -> list[tuple[str, Json]]:
        """The blocks of this type, or with an object under this key."""
        return [
            (path, block) for path, block in self.blocks
            if (block.get("type") == type if type else isinstance(block.get(key), dict))
        ]  # fmt: skip


def merge(turns: list[Merged], role: str, path: str) -> Merged:
    """Return the last of these turns if it has this role, else append a new one."""
    if not turns or turns[-1].role != role:
        turns.append(Merged(role, path))
    return turns[-1]


def with_neighbours(turns: Sequence[Merged]) -> Iterator[tuple[Merged | None, Merged, Merged | None]]:
    """Yield each turn between its predecessor and its successor."""
    return zip([None, *turns], turns, [*turns[1:], None], strict=False)

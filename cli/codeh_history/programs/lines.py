"""The lines of a source that are JSON objects, in bounded memory: more than is kept is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from typing import IO, Any

import orjson

from ..providers.json_text import loads
from ..session.model import Json
from ..session.records import BOM, lines_of
from .model import Problem
from .protocol import Head, Place, Refused, Source

KEPT = 64 << 20  # bytes of lines whose objects are kept; those after them are parsed again when asked for
_TRIED = 8  # times its length: as much of a broken line is parsed at most

Recognises = Callable[[Head], bool]


class Line:
    """A line: its number, where it stands, and the object in it."""

    __slots__ = ("_held", "_source", "number", "offset", "size")

    def __init__(self, source: Source, number: int, offset: int, size: int, held: Json | None) -> None:
        self._source = source
        self._held = held
        self.number = number
        self.offset = offset
        self.size = size

    @property
    def raw(self) -> bytes:
        return self._source.at(self.offset, self.size)

    @property
    def data(self) -> Json:
        if self._held is not None:
            return self._held
        value: Json = loads(self.raw.removeprefix(BOM))
        return value


class Held:
    """A source in memory: a file that lies beside another one."""

    path = ""
    damage = None

    def __init__(self, data: bytes, stem: str) -> None:
        self._data = data
        self.stem = stem
        self.size = len(data)
        self.head = Head(data[:0], ())

    def lines(self) -> Iterator[bytes]:
        return lines_of(self._data)

    def at(self, offset: int, size: int) -> bytes:
        return self._data[offset : offset + size]

    def streams(self) -> Iterator[IO[bytes]]:
        yield BytesIO(self._data)

    def member(self, id: str, most: int) -> bytes:  # noqa: ARG002
        raise Refused(f"{self.stem}: no zip")

    def rows(self, query: str, *values: object) -> Iterator[Json]:  # noqa: ARG002
        raise Refused(f"{self.stem}: no database")

    def beside(self, *names: str, above: int = 0) -> bytes:  # noqa: ARG002
        raise Refused(f"{'/'.join(names)}: beside {self.stem} nothing is read")

    def names(self, *folders: str, above: int = 0) -> list[str]:  # noqa: ARG002
        return []

    def others(self, places: Sequence[Place]) -> Iterator[str]:  # noqa: ARG002
        return iter(())

    def other(self, path: str, size: int) -> AbstractContextManager[Source]:  # noqa: ARG002
        raise Refused(f"{path}: beside {self.stem} nothing is read")


def objects(
    source: Source, problems: list[Problem], recognises: Recognises = lambda _: False, *, kept: int = KEPT
) -> Iterator[tuple[Line, Json]]:
    """Each line that is an object, with it; what is wrong with the others is added to `problems`.

    Of a torn line that runs into a whole one of a program that `recognises` it, the whole one is read.
    """
    offset = 0
    for number, raw in enumerate(source.lines(), 1):
        at, offset = offset, offset + len(raw)
        start, value = 0, None
        try:
            value = loads(raw)
        except ValueError:
            pass
        if type(value) is not dict:
            start, value = _value(raw, number, problems, recognises)
        if value is not None:
            yield (
                Line(source, number, at + start, len(raw) - start, value if offset <= kept else None),
                value,
            )


def _value(
    raw: bytes, number: int, problems: list[Problem], recognises: Recognises
) -> tuple[int, Json | None]:
    """The object that a line is, and where in it this begins."""
    try:
        value: Any = loads(raw.removeprefix(BOM) if number == 1 else raw)
    except ValueError as error:
        if not raw.strip():
            return 0, None
        torn = not raw.endswith(b"\n")
        start, found = _last_whole(raw, recognises)
        mended = None if found is None else "the whole line at its end is read"
        reason = "torn last line" if torn and found is None else f"not JSON: {error}"
        problems.append(Problem(number, "skips", reason, mended))
        return start, found
    if isinstance(value, dict):
        return 0, value
    problems.append(Problem(number, "skips", "not an object"))
    return 0, None


def _last_whole(raw: bytes, recognises: Recognises) -> tuple[int, Json | None]:
    """The object of a program's at the end of a line that is none, and where it begins.

    What lies in another object is never at the end: that object's own end stands behind it.
    """
    view, start, left = memoryview(raw), len(raw), _TRIED * len(raw)
    while left > 0 and (start := raw.rfind(b'{"', 1, start)) > 0:
        try:
            found = orjson.loads(view[start:])
        except orjson.JSONDecodeError as error:
            left -= error.pos
            continue
        if recognises(Head(b"", (found,), (found,))):
            return start, found
        left -= len(raw) - start
    return 0, None

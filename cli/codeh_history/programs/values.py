"""JSON values one at a time, in bounded memory: the lines of a source, or the elements of its list."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator
from typing import IO, Any

import orjson

from ..providers.json_text import loads
from ..session.depth import MAX_READ, depth_exceeds
from ..session.model import Json
from ..session.records import BOM
from ..session.rules import LONGEST
from . import lines
from .lines import Recognises
from .model import Problem, Session
from .protocol import Refused, Source

_FIRST = 20
_SPACE = b" \t\r\n"


def is_whole(data: bytes) -> bool:
    """Whether a file that begins so is one JSON value: a list, or an object that goes over lines."""
    data = data.removeprefix(BOM).lstrip(_SPACE)
    if data[:1] != b"{":
        return data[:1] == b"["
    return not any(
        line[:1] == b"{" and line_object(line) is not None for line in data.split(b"\n", _FIRST)[:_FIRST]
    )


def line_object(line: bytes) -> Json | None:
    """The object that a line is, also where a text in it ends in half a character; else None."""
    try:
        value = loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def first(data: bytes) -> list[Json]:
    """The object that a value beginning so is, or the first objects of the list; the last may be cut."""
    try:
        found = orjson.loads(data.removeprefix(BOM))
    except ValueError:
        found = _beginning(io.BytesIO(data.removeprefix(BOM)))
    items = found[:_FIRST] if isinstance(found, list) else [found]
    return [item for item in items if isinstance(item, dict)]


def _beginning(stream: IO[bytes] | _Bounded) -> Any:
    """As much of a value as there is of its text."""
    import ijson

    builder = ijson.ObjectBuilder()
    with contextlib.suppress(ijson.JSONError, ValueError):
        for event, value in ijson.basic_parse(stream, use_float=True):
            builder.event(event, value)
    return getattr(builder, "value", None)


def objects(
    source: Source,
    problems: list[Problem],
    recognises: Recognises = lambda _: False,
    *,
    longest: int = LONGEST,
) -> Iterator[tuple[int, Json]]:
    """Each object with its number: the line, or its place in the list; 1 for the one that a file is.

    What is wrong with the others is added to `problems` before the next object comes. Refused where damage
    leaves nothing.
    """
    if not source.head.whole:
        yield from ((line.number, value) for line, value in lines.objects(source, problems, recognises))
        return
    number = 0
    for stream in source.streams():
        try:
            for value in _elements(stream, longest):
                number += 1
                if reason := _wrong(value):
                    problems.append(Problem(0, "skips", f"conversation {number}: {reason}"))
                else:
                    yield number, value
        except ValueError as error:
            if not number:
                problems.append(Problem(0, "skips", f"{error}; what stands before that is read"))
                yield 1, _before_damage(source, longest, str(error))
                return
            what = f"after {number} conversations; the rest is not read"
            problems.append(Problem(0, "skips", f"{error} {what}"))


def sessions(
    source: Source, read: Callable[[Json, int], Session], *, skips: Callable[[Json], bool] | None = None
) -> Iterator[Session]:
    """What each object comes to; what is wrong beside it is told with it. Refused where there is none.

    The branches of one can be read until the next one is asked for: they hold all of its source.
    """
    problems: list[Problem] = []
    last: Session | None = None
    for number, value in objects(source, problems):
        if skips is not None and skips(value):
            continue
        if last is not None:
            last.problems += problems
            problems.clear()
            yield last
            last.branches = tuple
        last = read(value, number)
    if last is None:
        raise Refused(problems[0].reason if problems else "no conversation in it")
    last.problems += problems
    yield last


def _before_damage(source: Source, longest: int, reason: str) -> Json:
    """As much as can be read of the one object that a file is; Refused where that is nothing."""
    found = _beginning(_Bounded(next(source.streams()), longest))
    if not isinstance(found, dict) or not found or _wrong(found):
        raise Refused(reason)
    return found


def _wrong(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "not an object"
    try:
        deep = depth_exceeds(orjson.dumps(value), MAX_READ)
    except TypeError:
        deep = True
    return f"nested deeper than {MAX_READ}" if deep else None


def _elements(stream: IO[bytes], longest: int) -> Iterator[Any]:
    """The elements of a list, or the one object; ValueError where a stream is something else."""
    import ijson

    bounded = _Bounded(stream, longest)
    start = bounded.begin()
    try:
        for value in ijson.items(bounded, "item" if start == b"[" else "", use_float=True):
            bounded.taken = 0
            yield value
    except ijson.JSONError as error:
        reason = str(error).partition("\n")[0]
        if "overflow" in reason:
            raise ValueError("an integer has more than 64 bits") from None
        early = isinstance(error, ijson.IncompleteJSONError) and not reason.startswith("lexical error")
        raise ValueError("it ends too early" if early else f"not JSON: {reason}") from None


class _Bounded:
    """A stream of which no more than so many bytes are taken for one element."""

    def __init__(self, stream: IO[bytes], longest: int) -> None:
        self.stream = stream
        self.longest = longest
        self.taken = 0
        self.held = b""

    def begin(self) -> bytes:
        """The first byte that says something; it is read again."""
        data = self.stream.read(len(BOM)).removeprefix(BOM).lstrip(_SPACE)
        while not data and (more := self.stream.read(1 << 10)):
            data = more.lstrip(_SPACE)
        self.held = data
        return data[:1]

    def read(self, size: int = -1) -> bytes:
        if self.held and size:
            given, self.held = self.held, b""
            return given
        chunk = self.stream.read(size)
        self.taken += len(chunk)
        if self.taken > self.longest + size:
            raise ValueError(f"an element is larger than {self.longest >> 20} MiB")
        return chunk

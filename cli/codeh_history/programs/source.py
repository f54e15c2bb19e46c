"""Read the JSON values of a source one at a time: its lines, or the elements of its list."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from io import BytesIO
from typing import IO, Any

import orjson

from ..providers.json_text import loads, value_of
from ..session.model import LONGEST, SKIPPED, Json
from ..session.records import BOM, MAX_READ, TORN, dumps, nests_deeper
from .fields import hash_id
from .model import Problem, Session
from .protocol import Head, Program, Source, Unreadable

_MAX_PARSED = 8  # most bytes parsed to repair a line, in multiples of its length
_HEAD_OBJECTS = 20
_WHITESPACE = b" \t\r\n"
_HEAD_BYTES = 1 << 10

Recognises = Callable[[Head], bool]


def value_beside(source: Source, *names: str, above: int) -> Any:
    """The JSON value in another file of the session (see `Source.beside`); None if unreadable."""
    try:
        return value_of(source.beside(*names, above=above))
    except Unreadable:
        return None


def fill(session: Session, read: Callable[[], None]) -> Session:
    """Fill a session with `read`; add a problem if its database stops being readable."""
    try:
        read()
    except Unreadable as error:
        session.problem(0, "skips", f"{error} after {session.number} messages")
    return session


# -- lines -------------------------------------------------------------------------------------------------


def line_objects(
    source: Source, problems: list[Problem], recognises: Recognises = lambda _: False
) -> Iterator[tuple[int, Json]]:
    """Yield each line that is an object, with its number; add a problem for every other line.

    If a torn line is followed by a complete one without a newline between, and the program `recognises`
    that one, it is yielded.
    """
    for number, raw in enumerate(source.lines(), 1):
        value: Any = None
        try:
            value = loads(raw.removeprefix(BOM) if number == 1 else raw)
            reason = "not an object"
        except ValueError as error:
            if not raw.strip():
                continue
            value = _last_complete(raw, recognises)
            reason = f"not JSON: {error}"
            if raw.startswith(SKIPPED):
                reason = f"longer than {LONGEST >> 20} MiB"
            elif value is not None:
                problems.append(Problem(number, "skips", reason, "the complete line at its end is read"))
            elif not raw.endswith(b"\n"):
                reason = TORN
        if isinstance(value, dict):
            yield number, value
        else:
            problems.append(Problem(number, "skips", reason))


def lines_once(source: Source, session: Session, program: Program) -> Iterator[tuple[int, Json]]:
    """Yield a session's lines as `line_objects`, without those that repeat an earlier one with its time."""
    seen: dict[str, int] = {}
    for number, data in line_objects(source, session.problems, program.recognises):
        timed = "timestamp" in data or "time" in data
        first = seen.setdefault(hash_id(dumps(data)), number) if timed else number
        if first == number:
            yield number, data
            continue
        session.skip("repeated line")
        if data.get("type") in program.doubles:
            why = f"the same as line {first}: {program.title} sends it twice"
            session.problem(number, "doubles", why, "read once")


def _last_complete(raw: bytes, recognises: Recognises) -> Json | None:
    """Return the program's object at the end of an invalid line; None if there is none.

    It cannot be a nested object, because that is followed by its parent's closing brace.
    """
    view, start, budget = memoryview(raw), len(raw), _MAX_PARSED * len(raw)
    while budget > 0 and (start := raw.rfind(b'{"', 1, start)) > 0:
        try:
            value: Json = orjson.loads(view[start:])
        except orjson.JSONDecodeError as error:
            budget -= error.pos
            continue
        if recognises(Head(b"", (value,), (value,))):
            return value
        budget -= len(raw) - start
    return None


# -- one value, or the elements of a list ------------------------------------------------------------------


def is_whole(data: bytes) -> bool:
    """Whether the file is one JSON value: a list, or an object that spans several lines."""
    data = data.removeprefix(BOM).lstrip(_WHITESPACE)
    if data[:1] != b"{":
        return data[:1] == b"["
    lines = (line for line in data.split(b"\n", _HEAD_OBJECTS)[:_HEAD_OBJECTS] if line[:1] == b"{")
    return not any(isinstance(value_of(line), dict) for line in lines)


def first_objects(data: bytes) -> list[Json]:
    """The object, or the first objects of the list, at the start of the data; the last may be cut."""
    data = data.removeprefix(BOM)
    try:
        value = orjson.loads(data)
    except ValueError:
        value = _beginning(BytesIO(data))
    items = value[:_HEAD_OBJECTS] if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def _beginning(stream: IO[bytes]) -> Any:
    """Parse as much of a truncated value as there is."""
    import ijson

    builder = ijson.ObjectBuilder()
    with contextlib.suppress(ijson.JSONError, ValueError):
        for event, value in ijson.basic_parse(stream, use_float=True):
            builder.event(event, value)
    return getattr(builder, "value", None)


def objects(
    source: Source, problems: list[Problem], recognises: Recognises = lambda _: False
) -> Iterator[tuple[int, Json]]:
    """Yield each object with its number: its line, or its position in the list (1 for a single object).

    Other values are added to `problems` before the next object is yielded. Raises Unreadable if nothing
    can be read.
    """
    if not source.head.whole:
        yield from line_objects(source, problems, recognises)
        return
    number = 0
    for stream in source.streams():
        try:
            for value in _elements(stream):
                number += 1
                if reason := _why_unusable(value):
                    problems.append(Problem(0, "skips", f"conversation {number}: {reason}"))
                else:
                    yield number, value
        except ValueError as error:
            if number:
                what = f"after {number} conversations; the rest is not read"
                problems.append(Problem(0, "skips", f"{error} {what}"))
                continue
            problems.append(Problem(0, "skips", f"{error}; what precedes it is read"))
            value = _beginning(next(source.streams()))  # the single object of a file
            if not value or _why_unusable(value):
                raise Unreadable(str(error)) from None
            yield 1, value
            return


def sessions(source: Source, read: Callable[[Json, int], Session]) -> Iterator[Session]:
    """Yield a session for each object that `read` can read, with its problems.

    Raises Unreadable if there is none. A session's branches can be read only until the next session is
    requested, because they refer to the whole source.
    """
    problems: list[Problem] = []
    last: Session | None = None
    for number, value in objects(source, problems):
        try:
            session = read(value, number)
        except Unreadable as error:
            problems.append(Problem(0, "skips", str(error)))
            continue
        if last is not None:
            last.problems += problems
            problems.clear()
            yield last
            last.branches = tuple
        last = session
    if last is None:
        raise Unreadable(problems[0].reason if problems else "no conversation in it")
    last.problems += problems
    yield last


def _why_unusable(value: Any) -> str | None:
    if not isinstance(value, dict):
        return "not an object"
    return f"nested deeper than {MAX_READ}" if nests_deeper(value, MAX_READ) else None


def _elements(stream: IO[bytes]) -> Iterator[Any]:
    """Yield the elements of the list, or the single object; raise ValueError if the JSON is invalid."""
    import ijson

    start = stream.read(_HEAD_BYTES)
    stream.seek(len(BOM) if start.startswith(BOM) else 0)
    is_list = start.removeprefix(BOM).lstrip(_WHITESPACE)[:1] == b"["
    try:
        yield from ijson.items(stream, "item" if is_list else "", use_float=True)
    except ijson.JSONError as error:
        reason = str(error).partition("\n")[0]
        early = isinstance(error, ijson.IncompleteJSONError) and not reason.startswith("lexical error")
        raise ValueError("unexpected end of JSON" if early else f"not JSON: {reason}") from None

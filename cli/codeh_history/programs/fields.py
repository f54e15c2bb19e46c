"""Read JSON fields by path (`a.b`), and convert times and ids of a source."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from ..base.times import from_millis, to_millis
from ..providers import usage
from ..providers.parts import list_of, name_of, object_of, objects, text_of
from ..session.model import Json

_STORED = re.compile(
    r"\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z", re.ASCII
)


def at(value: Any, path: str) -> Any:
    """The value at a path; None if there is none."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(value: Any, path: str) -> str:
    """The text at a path; "" for anything else."""
    return text_of(at(value, path))


def name_at(value: Any, *paths: str) -> str | None:
    """The first non-empty text at these paths; None if there is none."""
    return next((name for path in paths if (name := name_of(at(value, path)))), None)


def object_at(value: Any, path: str) -> Json:
    """The object at a path; {} for anything else."""
    return object_of(at(value, path))


def list_at(value: Any, path: str) -> list[Any]:
    """The list at a path; [] for anything else."""
    return list_of(at(value, path))


def objects_at(value: Any, path: str) -> list[Json]:
    """The objects in the list at a path; [] for anything else."""
    return objects(at(value, path))


def omit_empty(**fields: object) -> Json:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def answer_fields(
    answer: Json, paths: dict[str, str], counts: dict[str, str], provider: str | None = None
) -> Json:
    """A model message's fields: names at these `paths`, and `usage` as read by `counts`."""
    fields: Json = {"provider": provider}
    for field, path in paths.items():
        used = field == "usage"
        fields[field] = (
            usage.read(object_at(answer, path), counts) if used else name_at(answer, *path.split())
        )
    return omit_empty(**fields)


def time_of(value: object) -> str | None:
    """A source's time (text or epoch milliseconds) in the stored format; None if it is invalid."""
    if isinstance(value, str):
        if _STORED.fullmatch(value):
            return value
        millis = to_millis(value)
    else:
        whole = isinstance(value, (int, float)) and not isinstance(value, bool)
        millis = to_millis(str(int(value))) if whole and 0 <= value < 1e15 else None  # type: ignore[operator,call-overload]
    return from_millis(millis) if millis is not None else None


def seconds(value: object) -> str | None:
    """A time in epoch seconds or as text, in the stored format."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return time_of(value * 1000 if number else value)  # type: ignore[operator]


def hash_id(*of: object) -> str:
    """An id that depends only on these values; bytes count as the UTF-8 text they hold."""
    texts = [value if type(value) is bytes else str(value).encode("utf-8", "surrogatepass") for value in of]
    return sha256(b"\0".join(texts)).hexdigest()[:20]

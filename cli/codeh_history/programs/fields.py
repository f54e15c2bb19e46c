"""Read JSON fields by path (`a.b`), convert a source's times, and hash ids."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, TypeGuard

from ..base.times import from_millis, to_millis
from ..providers import usage
from ..providers.parts import list_of, name_of, object_of, objects, text_of
from ..session.model import Json

_MILLIS = 10_000_000_000  # from this number on, times are milliseconds


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
    """A model message's fields: the names at `paths`, and the usage with the counts at paths `counts`."""
    fields: Json = {"provider": provider}
    fields |= {field: name_at(answer, *path.split()) for field, path in paths.items()}
    if "usage" in paths:
        fields["usage"] = usage.read(object_at(answer, paths["usage"]), counts)
    return omit_empty(**fields)


def time_of(value: object) -> str | None:
    """Convert a time (text or epoch milliseconds) to the stored format; None if it is invalid."""
    if _is_number(value):
        value = str(int(value)) if 0 <= value < 1e15 else None
    millis = to_millis(value) if isinstance(value, str) else None
    return from_millis(millis) if millis is not None else None


def seconds(value: object) -> str | None:
    """Convert a time (text or epoch seconds; large numbers are milliseconds) to the stored format."""
    return time_of(value * 1000 if _is_number(value) and value < _MILLIS else value)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def hash_id(*of: object) -> str:
    """An id that depends only on these values; bytes and their UTF-8 text are the same value."""
    texts = [value if type(value) is bytes else str(value).encode("utf-8", "surrogatepass") for value in of]
    return sha256(b"\0".join(texts)).hexdigest()[:20]

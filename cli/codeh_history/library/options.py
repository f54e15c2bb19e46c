"""Keyword arguments → the options of a verb: their names are the flags', their values Python's own.

Where a flag takes JSON a value is taken too, where it takes several one is enough, where it names a file
(`@FILE`) a `Path` does: a text is a text, whatever it begins with.
"""

from __future__ import annotations

from ..base.errors import BadData
from ..base.input import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..base.options import Option, Taken


NOT_ASKED = (  # a `Session` is one, and prints nothing
    "session", "argument", "words", "new", "quiet", "report", "explain", "json", "jsonl",
)  # fmt: skip


def read(takes: type[Taken], arguments: dict[str, Any], **fixed: object) -> Taken:
    """The options that these arguments are, and those that are not the caller's to say.

    TypeError for one that the verb has not, or of another type; Usage for a number out of its bounds.
    """
    values = dict(fixed)
    for name, value in arguments.items():
        if name not in takes.DEFAULTS or name in fixed or name in NOT_ASKED:
            raise TypeError(f"no such option: {name}")
        if value is not None and not (isinstance(value, (list, tuple)) and not value):
            values[name] = _value(name, value, takes.TYPES[name], takes.SPELLED[name])
    return takes(**values)


def _value(name: str, value: Any, type: str, spelled: Option) -> object:
    if type == "bool":
        if not isinstance(value, bool):
            raise TypeError(f"{name}: True or False expected")
        return value
    if type.startswith("Sequence"):
        if isinstance(value, dict) and "=" in spelled.metavar:
            return [f"{key}={_json(item)}" for key, item in value.items()]
        several = value if isinstance(value, (list, tuple)) else [value]
        return [_text(name, item, spelled) for item in several]
    if type.startswith("str"):
        return _text(name, value, spelled)
    if isinstance(value, bool) or not isinstance(value, int if type.startswith("int") else (int, float)):
        raise TypeError(f"{name}: a number expected")
    return value


def _text(name: str, value: Any, spelled: Option) -> Any:
    """A text as the flag takes it, or a function in the place of a command."""
    names_file = "@FILE" in spelled.metavar
    if isinstance(value, str):
        return Text(value) if names_file or name.endswith("_template") else value
    if name == "remove_cmd" and callable(value):
        return value
    if hasattr(value, "__fspath__"):
        path = value.__fspath__()
        return f"@{path}" if names_file else str(path)
    if isinstance(value, (bool, bytes)) or value is None:
        raise TypeError(f"{name}: a text expected")
    if isinstance(value, (int, float)):
        return str(value)
    names_file = "FILE" in spelled.metavar or "PLAN" in spelled.metavar
    return Text(_json(value)) if names_file else _json(value)


def _json(value: object) -> str:
    return value if isinstance(value, str) else dumped(value).decode()


def dumped(value: object) -> bytes:
    """The value as JSON; BadData for a number that JSON has not, which would be null there."""
    import orjson

    data = orjson.dumps(value)
    if b"null" in data and not _is_finite(value):
        raise BadData("NaN and infinity are no JSON; nothing was stored")
    return data


def _is_finite(value: object) -> bool:
    """Whether all numbers in it are."""
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_finite, value))
    return not isinstance(value, float) or abs(value) < float("inf")


def as_records(message: Any) -> list[Any]:
    """A message as arguments, or the records of one as an interface keeps it."""
    from ..programs.forms import items

    if not items.holds(message):
        return [message]
    made = [
        {key: value for key, value in record.items() if value is not None}
        for record in items.records(message, "") or ()
    ]
    if not made or any(record["type"] != "message" for record in made):
        raise BadData("a message that is pending, or cannot be read; nothing was stored")
    return [{key: value for key, value in record.items() if key != "id" or value} for record in made]

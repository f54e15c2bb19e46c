"""Convert keyword arguments, which are named like the flags and have Python values, to a verb's options.

A flag that takes JSON also accepts any value, a repeatable one a single item, and one that takes `@FILE` a
`Path`; a string is always literal text, even if it begins with `@`.
"""

from __future__ import annotations

import os

from ..base.errors import BadData
from ..base.input import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..base.options import Option, Parsed


NOT_APPLICABLE = (  # not applicable to a `Session`
    "session", "argument", "words", "new", "quiet", "report", "explain", "json", "jsonl",
)  # fmt: skip
_TYPES: dict[str, Any] = {"bool": bool, "int": int, "float": (int, float)}


def read(takes: type[Parsed], arguments: dict[str, Any], **fixed: object) -> Parsed:
    """Build the options from the caller's arguments and from `fixed` ones.

    Raises TypeError for an unknown option or a wrong type, Usage for an invalid value.
    """
    values = dict(fixed)
    for name, value in arguments.items():
        if name not in takes.DEFAULTS or name in fixed or name in NOT_APPLICABLE:
            raise TypeError(f"no such option: {name}")
        if value is None or (isinstance(value, (list, tuple)) and not value):
            continue
        kind, spelled = takes.TYPES[name].removesuffix(" | None"), takes.DECLARED[name]
        if kind == "Sequence[str]":
            if isinstance(value, dict) and "=" in spelled.metavar:
                value = [f"{key}={_json(item)}" for key, item in value.items()]
            several = value if isinstance(value, (list, tuple)) else [value]
            values[name] = [_word(name, item, spelled) for item in several]
        elif kind == "str":
            values[name] = _word(name, value, spelled)
        elif not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "bool"):
            raise TypeError(f"{name}: expected {'True or False' if kind == 'bool' else 'a number'}")
        else:
            values[name] = value
    return takes(**values)


def _word(name: str, value: Any, spelled: Option) -> Any:
    """Convert a value to a flag's word; `remove_cmd` also accepts a function."""
    names_file = "@FILE" in spelled.metavar
    if isinstance(value, str):
        return Text(value) if names_file or name.endswith("_template") else value
    if callable(value) and name == "remove_cmd":
        return value
    if isinstance(value, os.PathLike):
        return f"@{os.fspath(value)}" if names_file else str(value)
    if isinstance(value, (bool, bytes)) or value is None:
        raise TypeError(f"{name}: expected a string")
    a_text = "FILE" in spelled.metavar or "PLAN" in spelled.metavar
    return Text(_json(value)) if a_text else _json(value)


def _json(value: object) -> str:
    return value if isinstance(value, str) else dumped(value).decode()


def dumped(value: object) -> bytes:
    """Return the value as JSON; raise BadData for NaN and infinity, which would become null."""
    import orjson

    data = orjson.dumps(value)
    if b"null" in data:
        import json

        try:
            json.dumps(value, allow_nan=False, default=str)
        except ValueError:
            raise BadData("NaN and infinity are not valid JSON; nothing was stored") from None
    return data


def as_records(message: Any) -> list[Any]:
    """Return the records of an item of a chat interface, or a list of the message itself."""
    from ..programs.forms import history_items

    if not history_items.holds(message):
        return [message]
    records = [
        {key: value for key, value in record.items() if value is not None}
        for record in history_items.records(message, "") or ()
    ]
    if not records or any(record["type"] != "message" for record in records):
        raise BadData("a message is pending or unreadable; nothing was stored")
    return [{key: value for key, value in record.items() if key != "id" or value} for record in records]

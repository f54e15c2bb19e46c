"""Read `config.toml` and check it against the table of its keys.

The file names commands to run, so no one else may be able to write it.
"""

from __future__ import annotations

import os
import re
import shlex
import stat
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from .. import amounts
from ..errors import Usage
from ..lazy import Fields
from ..shared_options import Sending
from ..words import suggestion

_IN_FOLDER = re.compile(r"[\w.+-]+/")  # beginning of a command in the file's folder or below
PROFILE = "profile"
KEYS = (
    "to", "via", "model", "system", "tools", "budget", "max_tokens", "set", "stream", "summarize.via",
    "calls.via", "compact.via",
)  # fmt: skip


class Config(Fields):
    """The top-level keys and those of each profile, checked; paths are absolute."""

    path: str
    top: Mapping[str, Any]
    profiles: Mapping[str, Mapping[str, Any]]


def read(path: str) -> Config:
    """Read the file; raise Usage if it is invalid, or if another user owns it or can write it."""
    with open(path, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
        if path != os.devnull:
            _check_owner(path, os.fstat(file.fileno()))
        try:
            data = tomllib.loads(file.read().decode("utf-8-sig"))
        except ValueError as error:
            raise Usage(f"{path}: {error}") from None
    profiles = data.pop(PROFILE, {})
    if not isinstance(profiles, dict) or not all(isinstance(table, dict) for table in profiles.values()):
        raise Usage(
            f"{path}: {PROFILE}: expected tables, such as [profile.local]; CODEH_PROFILE names the default"
        )
    return Config(
        path=path,
        top=_checked(path, "", data),
        profiles={name: _checked(path, f"[{PROFILE}.{name}] ", table) for name, table in profiles.items()},
    )


def _check_owner(path: str, file: os.stat_result) -> None:
    """Raise Usage if another user could have written or replaced the file."""
    folder = os.stat(os.path.dirname(os.path.realpath(path)))
    if not stat.S_ISREG(file.st_mode):
        raise Usage(f"{path}: not a file")
    if file.st_uid != os.geteuid():
        problem, fix = "it belongs to another user", "copy it, or name yours by CODEH_CONFIG"
    elif file.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        problem, fix = "others may write it", f"`chmod go-w {shlex.quote(path)}`"
    elif folder.st_mode & stat.S_IWOTH and not folder.st_mode & stat.S_ISVTX:
        problem, fix = "others may replace it", f"`chmod o-w {shlex.quote(os.path.dirname(path) or '.')}`"
    else:
        return
    raise Usage(f"{path}: not read: {problem}; it names commands, so only its owner may write it: {fix}")


def _checked(path: str, table: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table's values by key, converted for their options; raise Usage for an invalid one."""
    folder = os.path.dirname(os.path.abspath(path))
    groups = {key.partition(".")[0] for key in KEYS if "." in key}
    values: dict[str, Any] = {}
    for key, value in data.items():
        in_group = key in groups and isinstance(value, dict)
        values |= {f"{key}.{name}": inner for name, inner in value.items()} if in_group else {key: value}
    for key, value in values.items():
        where = f"{path}: {table}{key}"
        if key not in KEYS:
            others = f"one of {', '.join(KEYS)}"
            raise Usage(f"{where}: no such key; {suggestion(key, KEYS, others)}")
        try:
            values[key] = _value(key, value, folder)
        except (Usage, TypeError) as error:  # TypeError: not JSON, such as an integer above 64 bits
            raise Usage(f"{where}: {error}") from None
        if key in Sending.TYPES:
            values[key] = Sending.coerce(key, values[key], where)
    return values


def _value(key: str, value: Any, folder: str) -> Any:
    """Return a key's value in its option's form; relative paths start from the file's folder."""
    if key in ("to", "max_tokens", "stream"):
        return value
    if key == "budget":
        amounts.tokens(str(value), "budget")
        return str(value)
    if key == "set":  # a list of PATH=JSON, or a table of paths and values
        if isinstance(value, dict):
            return [f"{path}={orjson.dumps(inner).decode()}" for path, inner in _paths(value)]
        if not isinstance(value, list) or not all(isinstance(it, str) and "=" in it[1:] for it in value):
            raise Usage('expected a table of fields, or a list of "PATH=JSON"')
        return value
    if key == "tools" and isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return orjson.dumps(value).decode()
    if not isinstance(value, str) or not (value or key == "system"):
        raise Usage("expected a string")
    if key.endswith("via") and _IN_FOLDER.match(value):
        return f"{shlex.quote(folder)}/{value.removeprefix('./')}"
    if key == "tools" or (key == "system" and value.startswith("@")):
        return f"@{os.path.join(folder, os.path.expanduser(value.removeprefix('@')))}"
    return value


def _paths(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value:
            yield from _paths(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value

"""Read bare messages: one JSON value, or lines with a provider's messages.

To add a form, add a line to `IMPORTERS` and a test to `form_of`. An importer takes the value (for JSON
lines, their list) and returns `Outcome`s, or None if the value does not have its form. Ids are hashes of
the content; times are the source's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import orjson

from ... import providers
from ...base.errors import BadData
from ...base.read_json import json_value, parse_json
from ...providers.parts import list_of, objects
from ...session.model import Json
from ...session.records import (
    BOM,
    ELEMENT,
    MAX_DEPTH,
    MAX_READ,
    Damage,
    Log,
    Record,
    depth_exceeds,
    dumps,
    lines_of,
    nests_deeper,
)
from ..registry import PROGRAMS
from . import history, history_items, legacy, requests, sidekick
from .elements import Outcome

Importer = Callable[[Any], Iterable[Outcome] | None]

IMPORTERS: dict[str, Importer] = {
    "refs": legacy.refs,
    "contents": legacy.contents,
    "persisted": history.persisted,
    sidekick.NAME: sidekick.read,
    history_items.NAME: history_items.read,
    **{name: partial(requests.read, name) for name in providers.FORMATS},
}
_UNKNOWN = f"none of the known forms ({', '.join(IMPORTERS)})"
_ELEMENTS: dict[str, Callable[[Any], bool]] = {  # forms whose elements no other form has
    "refs": legacy.is_ref, "persisted": history.is_entry, sidekick.NAME: sidekick.holds,
    history_items.NAME: history_items.holds,
}  # fmt: skip


def read(data: bytes, form: str, name: str, *, on_log: Callable[[Log], None] | None = None) -> list[Json]:
    """Return the records of a file in this form (`auto`: detect it), without a header.

    `on_log` gets the log, which reports the damage.
    """
    value = json_value(data.removeprefix(BOM))
    lines = value is None or data.count(b"\n") <= 1
    log = legacy.session(data) if lines and form in ("auto", "contents") else None
    if log is None:
        if depth_exceeds(data):
            raise BadData(f"{name}: nested deeper than {MAX_DEPTH} levels")
        try:
            log = log_of_lines(data, form) if value is None else _log(value, form, len(data))
        except BadData as error:
            raise BadData(f"{name}: {error}") from None
    if log is None:
        if data[:1] == b"[" or data.count(b"\n") <= 1:
            parse_json(data, name)  # says where the JSON breaks off
        unknown = f"{_UNKNOWN}, nor a file of {', '.join(PROGRAMS)}"
        raise BadData(f"{name}: {unknown if form == 'auto' else f'not in the form {form}'}")
    if on_log is not None:
        on_log(log)
    return [record.data for record in log.records if record.data["type"] != "session"]


def log_of_value(value: Any, size: int) -> Log:
    """The log of a file that is one JSON value, with damage if the form is unknown."""
    deep = nests_deeper(value, MAX_READ)
    reason = f"nested deeper than {MAX_READ}" if deep else _UNKNOWN
    return (None if deep else _log(value, "auto", size)) or Log([], [Damage(ELEMENT, 0, reason)], size)


def log_of_lines(data: bytes, form: str = "auto") -> Log | None:
    """The log of JSON lines with a provider's messages; None for anything else.

    Damaged lines are skipped and reported as damage.
    """
    values: list[Any] = []
    damage: list[Damage] = []
    offset = 0
    for number, line in enumerate(lines_of(data.removeprefix(BOM)), 1):
        try:
            value = orjson.loads(line) if line.strip() else None
            if depth_exceeds(line, MAX_READ):
                damage.append(Damage(number, offset, f"nested deeper than {MAX_READ}"))
            elif value is not None:
                values.append(value)
        except ValueError as error:
            damage.append(Damage(number, offset, f"not JSON: {error}"))
        offset += len(line)
    log = _log(values, form, len(data)) if values else None
    if log is not None:
        log.damage[:0] = damage
    return log


def _log(value: Any, form: str, size: int) -> Log | None:
    """The log of a value; None if it does not have this form."""
    name = form_of(value) if form == "auto" else form
    outcomes = IMPORTERS[name](value) if name is not None else None
    if outcomes is None:
        return None
    outcomes = list(outcomes)
    damage = [Damage(ELEMENT, 0, reason) for _, reason in outcomes if reason]
    return Log([Record(data, dumps(data)) for data, _ in outcomes], damage, size)


def form_of(value: object) -> str | None:
    """Detect the form of a JSON value; None if it is unknown.

    A list of plain text messages, which every format has, is `contents`; one with a system message or other
    fields is the common format, which keeps these.
    """
    if isinstance(value, dict):
        if any(map(legacy.is_ref, list_of(value.get("refs")))):
            return "refs"
        if any(map(sidekick.holds, list_of(value.get("messages")))) and history.FIELDS[0] not in value:
            return sidekick.NAME
        persisted = "persisted" if history.history_in(value) is not None else None
        return persisted if history.FIELDS[0] in value else requests.provider_of(value) or persisted
    if not isinstance(value, list):
        return None
    for name, holds in _ELEMENTS.items():
        if any(map(holds, value)):
            return name
    contents = [item for item in objects(value) if isinstance(item.get("parts"), list)]
    if contents or not value:
        return requests.format_shown_by(contents) or "contents"
    messages = [item for item in value if any(requests.holds(name, item) for name in providers.FORMATS)]
    plain = all(item.keys() == {"role", "content"} and type(item["content"]) is str for item in messages)
    if plain and messages and {item.get("role") for item in messages} <= {"user", "assistant", "model"}:
        return "contents"
    return requests.format_shown_by(messages) or (providers.COMMON if messages else None)

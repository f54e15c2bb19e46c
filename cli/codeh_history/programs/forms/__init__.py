"""Read sessions that are one JSON value, or lines of a provider's messages.

To add a form, add a line to `IMPORTERS` and a test to `form_of`. An importer takes the value (for JSON
lines, their list) and returns records, each with what is wrong with its element, or None if the value is
not of its form. Ids are derived from the content; times are the source's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import orjson

from ... import providers
from ...base.errors import BadData
from ...base.read_json import json_value
from ...providers.parts import listed
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
from .history import Outcome

Importer = Callable[[Any], Iterable[Outcome] | None]

IMPORTERS: dict[str, Importer] = {
    "refs": legacy.refs,
    "contents": legacy.contents,
    "persisted": history.persisted,
    sidekick.NAME: sidekick.read,
    history_items.NAME: history_items.read,
    **{name: partial(requests.read, name) for name in providers.FORMATS},
}


def read(data: bytes, form: str, name: str, *, on_log: Callable[[Log], None] | None = None) -> list[Json]:
    """Return the records of a file in this form (`auto`: detect it), without a header.

    `on_log` gets the log; what is wrong in the file is in its damage.
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
        every = f"none of the known forms ({', '.join(IMPORTERS)}), nor a file of {', '.join(PROGRAMS)}"
        raise BadData(f"{name}: {every if form == 'auto' else f'not in the form {form}'}")
    if on_log is not None:
        on_log(log)
    return [record.data for record in log.records if record.data["type"] != "session"]


def log_of_value(value: Any, size: int) -> Log:
    """The log of a JSON value, for reading a file in place; elements nested too deep become null."""
    if nests_deeper(value, MAX_READ):
        value = _shallow(value)
    log = _log(value, "auto", size)
    return log or Log([], [Damage(ELEMENT, 0, f"none of the known forms: {', '.join(IMPORTERS)}")], size)


def _shallow(value: Any) -> Any:
    """Replace each element that nests too deep by null."""
    if isinstance(value, dict):
        return {key: _shallow(item) if isinstance(item, list) else item for key, item in value.items()}
    return [None if nests_deeper(item, MAX_READ) else item for item in value]


def log_of_lines(data: bytes, form: str = "auto") -> Log | None:
    """The log of JSON lines with a provider's messages; None for anything else.

    Damaged lines are skipped.
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
    """The log of a value; None if it is not of this form."""
    name = form_of(value) if form == "auto" else form
    outcomes = IMPORTERS[name](value) if name is not None else None
    if outcomes is None:
        return None
    log = Log([], [], size)
    for data, reason in outcomes:
        log.records.append(Record(data, dumps(data), 0))
        if reason:
            log.damage.append(Damage(ELEMENT, 0, reason))
    return log


def form_of(value: object) -> str | None:
    """Detect the form of a JSON value; None if it is unknown."""
    if isinstance(value, list):
        return _of_list(value)
    if not isinstance(value, dict):
        return None
    if any(map(legacy.is_ref, listed(value.get("refs"))[:1])):
        return "refs"
    if any(map(sidekick.holds, listed(value.get("messages")))) and history.FIELDS[0] not in value:
        return sidekick.NAME
    persisted = "persisted" if history.history_in(value) is not None else None
    return persisted if history.FIELDS[0] in value else requests.provider_of(value) or persisted


def _of_list(elements: list[Any]) -> str | None:
    """Detect the form of a list by its elements.

    Plain texts, which every format has, are `contents`; with a system message or a name they are the
    common format, which keeps these.
    """
    if not elements:
        return "contents"
    if legacy.is_ref(elements[0]):
        return "refs"
    objects = [item for item in elements if isinstance(item, dict)]
    marks = {
        "persisted": history.is_entry,
        sidekick.NAME: sidekick.holds,
        history_items.NAME: history_items.holds,
    }
    for name, holds in marks.items():
        if any(map(holds, objects)):
            return name
    contents = [item for item in objects if isinstance(item.get("parts"), list)]  # ours, or Gemini's
    if contents:
        return requests.format_shown_by(contents) or "contents"
    messages = [item for item in objects if any(requests.holds(name, item) for name in providers.FORMATS)]
    if not messages:
        return None
    plain = all(item.keys() == {"role", "content"} and type(item["content"]) is str for item in messages)
    if plain and {item.get("role") for item in messages} <= {"user", "assistant", "model"}:
        return "contents"
    return requests.format_shown_by(messages) or providers.COMMON

"""Sessions that are one JSON value, as records; a new form is a line in `IMPORTERS` and a mark in `detect`.

An importer takes the JSON value of a file (the list of its lines, where it is JSON lines) and returns the
log of one session, ids derived from the content, times where the source has them; None when the value is
not of its form. What is wrong with an element is the log's damage.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from ... import providers
from ...base.errors import BadData
from ...base.read_json import json_value
from ...session.depth import MAX_DEPTH, MAX_READ, depth_exceeds
from ...session.model import Json
from ...session.records import BOM, ELEMENT, Damage, Log, lines_of
from ..sessions import PROGRAMS
from . import detect, items, native, older, requests, sidekick

Importer = Callable[[Any, int], Log | None]

IMPORTERS: dict[str, Importer] = {
    "refs": native.refs,
    "contents": native.contents,
    "persisted": native.persisted,
    sidekick.NAME: sidekick.read,
    items.NAME: items.read,
    **{name: partial(requests.read, name) for name in providers.FORMATS},
}


def read(data: bytes, form: str, name: str, *, tell: Callable[[Log], None] | None = None) -> list[Json]:
    """The records of a file in this form; `auto` finds the one form that fits.

    `tell` is called with the log that was read: what is wrong in the file is its damage.
    """
    value = json_value(data.removeprefix(BOM))
    lines = value is None or data.count(b"\n") <= 1
    log = native.session(data) if lines and form in ("auto", "contents") else None
    if log is None:
        if depth_exceeds(data):
            raise BadData(f"{name}: nested deeper than {MAX_DEPTH} levels")
        log = _imported(data, value, form, name)
    if tell is not None:
        tell(log)
    return native.records(log)


def _imported(data: bytes, value: Any, form: str, name: str) -> Log:
    try:
        if value is None:
            log = of_lines(data, form)
        else:
            found = detect.form_of(value) if form == "auto" else form
            log = IMPORTERS[found](value, len(data)) if found is not None else None
    except BadData as error:
        raise BadData(f"{name}: {error}") from None
    if log is not None:
        return log
    if form == "auto":
        raise BadData(
            f"{name}: none of the known forms ({', '.join(IMPORTERS)}), nor a file of {', '.join(PROGRAMS)}"
        )
    raise BadData(f"{name}: not in the form {form}")


def of_value(value: Any, size: int) -> Log:
    """The log of a file that is one JSON value, for reading it as it stands; elements too deep are null."""
    value = older.shallow(value)
    form = detect.form_of(value)
    log = IMPORTERS[form](value, size) if form is not None else None
    if log is not None:
        return log
    if isinstance(value, dict) and not isinstance(value.get("refs"), list):
        return Log([], [Damage(ELEMENT, 0, f"none of the known forms: {', '.join(IMPORTERS)}")], size)
    return older.log_of(value, size)


def of_lines(data: bytes, form: str = "auto") -> Log | None:
    """The log of JSON lines that are a provider's messages; None where they are something else.

    A line that is damaged costs itself.
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
    found = detect.form_of(values) if form == "auto" else form
    log = IMPORTERS[found](values, len(data)) if values and found is not None else None
    if log is not None:
        log.damage[:0] = damage
    return log

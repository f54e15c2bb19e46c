"""Enforce the maximum length of a line; longer lines are neither written nor read as records."""

from __future__ import annotations

from collections.abc import Iterator

from ..base.env import Env
from ..base.errors import BadData
from ..base.read_json import json_object
from ..session.by_reference import to_references
from ..session.model import Json
from ..session.records import dumps
from ..session.rules import LONGEST
from .paths import id_of


def fit_lines(env: Env, path: str, data: bytes) -> bytes:
    """Move large parts of too long lines to the block store; raise BadData if a line is still too long."""
    from .blocks import open_store

    pieces: list[bytes] = []
    at = 0
    for start, end in too_long(data):
        line = data[start:end]
        record = json_object(line)
        references = to_references(record, line, id_of(path), every=False) if record is not None else None
        short = dumps(references[0]) if references is not None else line
        if references is None or len(short) > LONGEST:
            raise BadData(f"{path}: {_named(line, record)}; nothing was stored")
        store = open_store(env)
        store.mset(references[1])
        env.note(f"{_named(line, record)}: its large parts are in {store.name}")
        pieces += [data[at:start], short]
        at = end
    return b"".join([*pieces, data[at:]])


def check_lengths(path: str, data: bytes, *, before: bytes) -> None:
    """Raise BadData if a file's new content has a too long line that the old content does not have."""
    for start, end in too_long(data):
        line = data[start:end]
        if all(line != before[old:until] for old, until in too_long(before)):
            raise BadData(f"{path}: {_named(line, json_object(line))}; the session is unchanged")


def too_long(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield the start and end (before the newline) of each line that is too long."""
    at = 0
    while len(data) - at > LONGEST:
        newline = data.rfind(b"\n", at, at + LONGEST + 1)
        if newline < 0:
            newline = data.find(b"\n", at)
            newline = len(data) if newline < 0 else newline
            yield at, newline
        at = newline + 1


def _named(line: bytes, data: Json | None) -> str:
    name = f"{data.get('type')} {data.get('id') or data.get('of') or ''}".rstrip() if data else "a line"
    return f"{name}: {len(line):,} bytes, and a record has at most {LONGEST:,}"

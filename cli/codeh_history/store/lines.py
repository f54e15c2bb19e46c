"""Enforce the maximum length of a line; longer lines are neither written nor read as records."""

from __future__ import annotations

from collections.abc import Iterator

from ..base.env import Env
from ..base.errors import BadData
from ..base.read_json import json_object
from ..session.by_reference import to_references
from ..session.model import LONGEST
from ..session.records import dumps
from .paths import id_of


def fit_lines(env: Env, path: str, data: bytes) -> bytes:
    """Move large parts of too long lines to the block store; raise BadData if a line is still too long."""
    from .blocks import open_store

    for line in _too_long(data):
        record = json_object(line)
        references = to_references(record, line, id_of(path), every=False) if record is not None else None
        short = dumps(references[0]) if references is not None else line
        if references is None or len(short) > LONGEST:
            raise BadData(f"{path}: {_named(line)}; nothing was stored")
        store = open_store(env)
        store.mset(references[1])
        env.note(f"{_named(line)}: its large parts are in {store.name}")
        data = data.replace(line, short)
    return data


def check_lengths(path: str, before: bytes, after: bytes) -> None:
    """Raise BadData if the new content has a too long line that the old content does not have."""
    old = set(_too_long(before))
    for line in _too_long(after):
        if line not in old:
            raise BadData(f"{path}: {_named(line)}; the session is unchanged")


def _too_long(data: bytes) -> Iterator[bytes]:
    """Yield each line that is too long, without its newline."""
    return (line for line in data.split(b"\n") if len(line) > LONGEST)


def _named(line: bytes) -> str:
    """Return what a too long line is, for a message."""
    data = json_object(line)
    name = f"{data.get('type')} {data.get('id') or data.get('of') or ''}".rstrip() if data else "a line"
    return f"{name}: {len(line):,} bytes, and a record has at most {LONGEST:,}"

"""Append many messages (`--jsonl`), or a prompt and its answer (`--exchange`): all or none.

They are written under one lock with one fsync; lines keep their bytes.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson

from ...base.env import Env
from ...base.errors import BadData, Usage
from ...base.input import read_file, required_stdin
from ...base.read_json import parse_json
from ...providers.json_text import error_offset
from ...session.fold import undone
from ...session.model import ROLE_OF_KIND, Any, Json, Part
from ...session.records import BOM, block_of, check_message, depth_exceeds, dumps, lines_of
from ...session.view import kind_of
from ...store import read
from ...store.locked import Locked
from .parts import Cleaning
from .text import add_lines, begin, target_of

_KIND_OF_ROLE = {"user": b'"kind":"user",', "model": b'"kind":"codeh",'}


class Line(NamedTuple):
    """A line of the batch: parsed, raw, and its name in errors."""

    data: Json
    raw: bytes
    where: str


def run(
    env: Env, session: str | None, file: str | None = None, *, redact: bool = False, new: bool = False
) -> None:
    """Append every line of stdin (or a file) as a message and print the ids."""
    data, name = _read(env, file or "-")
    cleaning = Cleaning(env) if redact else None
    lines = parse_lines(lines_of(data), name, cleaning)
    if not lines:
        raise BadData(f"{name}: no message")
    target = target_of(env, session, new=new)
    if target is None:  # name the new session after the first text of the batch
        texts = [str(part.get("text", "")) for part in lines[0].data["parts"]]  # type: ignore[union-attr]
        target = begin(env, "".join(texts[:1]))
    if cleaning is not None:
        cleaning.report()
    add_lines(env, target, lambda locked, ids: records_of(env, locked, lines, ids), create=True)


def _read(env: Env, file: str) -> tuple[bytes, str]:
    """Return the content of a file, or of stdin for `-`, and its name in errors."""
    return (required_stdin(env), "stdin") if file == "-" else (read_file(file), file)


def parse_lines(lines: Iterable[bytes], name: str, cleaning: Cleaning | None = None) -> list[Line | bytes]:
    """Parse the lines; raise BadData naming the first that is not a message.

    A later line with only a role and one text, as most are, becomes the end of its record, from its kind.
    """
    result: list[Line | bytes] = []
    loads = orjson.loads
    start = end = 0
    for number, line in enumerate(lines, 1):
        start, end = end, end + len(line)
        raw = line.strip() if start else line.removeprefix(BOM).strip()
        if not raw:
            continue
        try:
            data = loads(raw)
        except ValueError as error:
            at = start + line.index(raw) + error_offset(raw)
            raise BadData(f"{name}:{number}: byte {at}: not JSON: {error}; nothing was stored") from None
        kind = _kind_of_plain(data) if result and cleaning is None else None
        if kind is not None:
            result.append(kind + raw[1:] + b"\n")
            continue
        if reason := _problem(data, raw):
            raise BadData(f"{name}:{number}: byte {start}: {reason}; nothing was stored")
        if cleaning is not None and (clean := cleaning.value(data, "")) is not data:
            data, raw = clean, dumps(clean)
        result.append(Line(data, raw, f"{name}:{number}"))
    return result


def _kind_of_plain(data: Any) -> bytes | None:
    """Return the kind of a line with only a role and one text, which needs no further checks."""
    try:
        (part,) = data["parts"]
        if len(data) == 2 and len(part) == 1 and type(part["text"]) is str:
            return _KIND_OF_ROLE[data["role"]]
    except (KeyError, TypeError, ValueError):
        pass
    return None


def _problem(data: Any, raw: bytes) -> str | None:
    if type(data) is not dict:
        return "not an object"
    if data.get("type", "message") != "message":
        return f"type {data['type']!r}: only messages are appended"
    if type(data.get("parts")) is not list:
        return "no `parts`"
    if data.get("id") == "":
        return "`id` is not text"
    if str(data.get("kind", "user")) not in ROLE_OF_KIND:
        return f"kind {data['kind']!r}: one of {', '.join(ROLE_OF_KIND)}"
    if depth_exceeds(raw):
        return "nests deeper than 200 levels"
    return check_message({"id": "", **data})


def records_of(env: Env, locked: Locked, lines: Sequence[Line | bytes], ids: list[str]) -> bytes:
    """Return the lines with their missing fields added in front; add their ids to `ids`."""
    now, before = env.now(), locked.offset
    named = any(isinstance(line, Line) and names(line.data) for line in lines)
    stored = stored_messages(locked) if named and not locked.created else {}
    middle = b'","ts":"%b",' % now.encode()
    new_id = env.ids(locked.session, len(lines))
    records = io.BytesIO()  # written in place: a list would hold a large batch twice
    for line in lines:
        if isinstance(line, bytes):
            id = new_id(before + records.tell())
            records.writelines((b'{"type":"message","id":"', id.encode(), middle, line))
            ids.append(id)
            continue
        data = line.data
        same = equal_id(stored, data, line.where)
        if same is None:
            id = data.get("id") or new_id(before + records.tell())
            kind = kind_of(data)
            fields = {"type": "message", "id": id, "ts": now, "kind": kind, "role": ROLE_OF_KIND[kind]}
            missing = {key: value for key, value in fields.items() if value and key not in data}
            records.write(b"{%b%b\n" % (dumps(missing)[1:-1] + b"," if missing else b"", line.raw[1:]))
            stored.update((name, {**data, "id": id}) for name in names(data))
        ids.append(same or id)
    return records.getvalue()


# -- what is stored already ---------------------------------------------------------------------------


def names(data: Json) -> list[tuple[str, str]]:
    """Return the names that identify a message: its id and its `--key`."""
    return [(field, data[field]) for field in ("id", "key") if isinstance(data.get(field), str)]


def stored_messages(locked: Locked) -> dict[tuple[str, str], Json]:
    """Return the records of the session's messages by id and key; a pending one has its first content."""
    stored: dict[tuple[str, str], Json] = {}
    records = read.read_log(locked.read()).records
    dead = undone(records, [])  # their ids and keys are free again
    for place, record in enumerate(records):
        data = record.data
        if data["type"] == "open":  # as `--pending` writes it, with its content in the next line
            first = next((each.data for each in records[place + 1 : place + 2]), {})
            data = {**data, "parts": first.get("parts", []) if first.get("of") == data["id"] else []}
        if place not in dead:
            for name in names(data):
                stored.setdefault(name, data)
    return stored


def equal_id(
    stored: dict[tuple[str, str], Json], data: Json, where: str, blocks: Sequence[str] = ()
) -> str | None:
    """Return the id of an equal stored message; raise BadData if its id or key has other content."""
    for field, value in names(data):
        before = stored.get((field, value))
        if before is not None:
            if not has_content(before, data["parts"], blocks) or kind_of(before) != kind_of(data):
                taken = f"{field} {value} is taken by message {before['id']}, with other content"
                raise BadData(f"{where}: {taken}; nothing was stored")
            return str(before["id"])
    return None


def has_content(before: Json, parts: list[Part], blocks: Sequence[str] = ()) -> bool:
    """Return whether a stored record consists of these parts and blocks, inline or by reference."""
    if "blockIds" not in before and not blocks:
        return bool(before.get("parts") == parts)
    stored = before.get("blockIds") or [block_of(part) for part in before.get("parts") or ()]
    return bool(stored == [*map(block_of, parts), *blocks])


# -- `--exchange` ---------------------------------------------------------------------------------------


def run_exchange(env: Env, session: str | None, file: str, *, new: bool = False) -> None:
    """Append a HistoryEntry (`-`: from stdin) and print its id; add an id and a time if it has none."""
    from ...programs.forms.history import exchange

    data, name = _read(env, file)
    entry = parse_exchange(data, name)
    target = target_of(env, session, new=new) or begin(env, entry["userMessage"])

    def build(locked: Locked, ids: list[str]) -> bytes:
        id = entry.get("id") or env.id_in(locked)
        complete = {**entry, "id": id, "timestamp": entry.get("timestamp") or env.now()}
        ids.append(id)
        return records_of(env, locked, [Line(data, dumps(data), name) for data in exchange(complete)], [])

    add_lines(env, target, build, create=True)


def parse_exchange(data: bytes, name: str) -> Json:
    """Parse a history entry; raise BadData naming its errors, Usage if its source is unknown."""
    from ...programs.forms.history import entry_errors

    entry = parse_json(data, name)
    if not isinstance(entry, dict):
        raise BadData(f"{name}: expected a history entry (an object)")
    errors = entry_errors(entry)
    if not errors and not entry["userMessage"].strip():
        errors = {"userMessage": "is empty"}
    if errors:
        text = ", ".join(f"`{key}` {why}" for key, why in errors.items())
        raise (Usage if "source" in errors else BadData)(f"{name}: {text}; nothing was stored")
    return entry

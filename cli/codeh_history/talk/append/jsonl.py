"""`append --jsonl`, many messages, and `--exchange`, a prompt and its answer: all or nothing.

One lock, one sync; lines keep their bytes.
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
from ...providers.json_text import trouble
from ...session.fold import kind_of
from ...session.live import undone
from ...session.model import Any, Json, Part
from ...session.records import BOM, block_of, check_message, depth_exceeds, dumps, lines_of
from ...session.rules import ROLE_OF_KIND
from ...store import read
from ...store.locked import Locked
from .parts import Cleaning
from .text import begin, require_stdin, store, target_of

_KIND_OF_ROLE = {"user": b'"kind":"user",', "model": b'"kind":"codeh",'}


class Line(NamedTuple):
    """One message of a batch: what it already says, its bytes, and where it came from."""

    data: Json
    raw: bytes
    number: int


def run(
    env: Env, session: str | None, file: str | None = None, *, redact: bool = False, new: bool = False
) -> None:
    """Append every line of stdin (or a file) as a message and print the ids."""
    name = file if file not in (None, "-") else "stdin"
    data = env.read_stdin() if name == "stdin" else read_file(str(name))
    cleaning = Cleaning(env) if redact else None
    lines = parse_lines(lines_of(data), str(name), cleaning)
    if not lines:
        if not data:
            require_stdin(env)
        raise BadData(f"{name}: no message")
    target = target_of(env, session, new=new)
    if target is None:  # it is named by the text that the batch begins with
        first = lines[0].data if isinstance(lines[0], Line) else orjson.loads(b"{" + lines[0])
        target = begin(env, "".join(str(part.get("text", "")) for part in first["parts"][:1]))
    if cleaning is not None:
        cleaning.report()
    store(env, target, lambda locked, ids: records_of(env, locked, lines, ids, str(name)), create=True)


def parse_lines(lines: Iterable[bytes], name: str, cleaning: Cleaning | None = None) -> list[Line | bytes]:
    """The lines as messages; BadData naming the first that is not one, with nothing stored.

    Of a line that says only its role and one text, as most do, only the end of its record is kept, from the
    kind on.
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
            at = start + line.index(raw) + trouble(raw)
            raise BadData(f"{name}:{number}: byte {at}: not JSON: {error}; nothing was stored") from None
        kind = _kind_of_plain(data)
        if kind is None and (reason := _wrong(data, raw)):
            raise BadData(f"{name}:{number}: byte {start}: {reason}; nothing was stored")
        if cleaning is not None and (clean := cleaning.value(data, "")) is not data:
            data, raw = clean, dumps(clean)
        result.append(Line(data, raw, number) if kind is None else kind + raw[1:] + b"\n")
    return result


def _kind_of_plain(data: Any) -> bytes | None:
    """The kind of a line that says only its role and one text, so that there is nothing else to check."""
    try:
        (part,) = data["parts"]
        if len(data) == 2 and len(part) == 1 and type(part["text"]) is str:
            return _KIND_OF_ROLE[data["role"]]
    except (KeyError, TypeError, ValueError):
        pass
    return None


def _wrong(data: object, raw: bytes) -> str | None:
    if type(data) is not dict:
        return "not an object"
    if data.get("type", "message") != "message":
        return f"type {data['type']!r}: only messages are appended"
    if type(data.get("parts")) is not list:
        return "no `parts`"
    if "id" in data and (type(data["id"]) is not str or not data["id"]):
        return "`id` is not text"
    if str(data.get("kind", "user")) not in ROLE_OF_KIND:
        return f"kind {data['kind']!r}: one of {', '.join(ROLE_OF_KIND)}"
    if depth_exceeds(raw):
        return "nests deeper than 200 levels"
    return check_message({"id": "", **data})


def records_of(env: Env, locked: Locked, lines: Sequence[Line | bytes], ids: list[str], name: str) -> bytes:
    """The lines as they are appended: what they do not say, then their own bytes; `ids` gets their ids."""
    now, session = env.now(), locked.session
    stored = _stored(locked, lines)
    before = locked.offset
    middle = b'","ts":"%b",' % now.encode()
    new_id = env.ids(session, len(lines))
    records = io.BytesIO()  # of which no second copy is made
    for line in lines:
        if isinstance(line, bytes):
            id = new_id(before + records.tell())
            records.writelines((b'{"type":"message","id":"', id.encode(), middle, line))
            ids.append(id)
            continue
        data = line.data
        same = _same(stored, data, f"{name}:{line.number}")
        if same is None:
            id = data.get("id") or new_id(before + records.tell())
            kind = kind_of(data)
            fields = {"type": "message", "id": id, "ts": now, "kind": kind, "role": ROLE_OF_KIND[kind]}
            missing = {
                key: value for key, value in fields.items()
                if value and (key not in data or (key == "kind" and data[key] != value))
            }  # fmt: skip
            records.write(b"{%b%b\n" % (dumps(missing)[1:-1] + b"," if missing else b"", line.raw[1:]))
            stored.update((name, {**data, "id": id}) for name in _names(data))
        ids.append(same or id)
    return records.getvalue()


def _names(data: Json) -> list[tuple[str, str]]:
    """What a message is known by."""
    return [(field, data[field]) for field in ("id", "key") if isinstance(data.get(field), str)]


def _stored(locked: Locked, lines: Sequence[Line | bytes]) -> dict[tuple[str, str], Json]:
    """The messages already in the session by id and by key, only where a line gives either."""
    stored: dict[tuple[str, str], Json] = {}
    if locked.created or not any(isinstance(line, Line) and _names(line.data) for line in lines):
        return stored
    records = read.read_log(locked.read()).records
    dead = undone(records, [])  # as if never written: their ids and keys are free again
    for place, record in enumerate(records):
        if place not in dead:
            for name in _names(record.data):
                stored.setdefault(name, record.data)
    return stored


def _same(stored: dict[tuple[str, str], Json], data: Json, where: str) -> str | None:
    """The id of an equal message stored before; the same id or key with other content is BadData."""
    for name in _names(data):
        before = stored.get(name)
        if before is not None:
            if not has_content(before, data["parts"]) or kind_of(before) != kind_of(data):
                taken = f"{name[0]} {name[1]} is taken by a message with other content"
                raise BadData(f"{where}: {taken}; nothing was stored")
            return str(before["id"])
    return None


def has_content(before: Json, parts: list[Part], blocks: Sequence[str] = ()) -> bool:
    """Whether a stored record has these parts, then these blocks, in it or in the block store."""
    if "blockIds" not in before and not blocks:
        return bool(before.get("parts") == parts)
    stored = before.get("blockIds") or [block_of(part) for part in before.get("parts") or ()]
    return bool(stored == [*map(block_of, parts), *blocks])


# -- `--exchange` ---------------------------------------------------------------------------------------


def run_exchange(env: Env, session: str | None, file: str, *, new: bool = False) -> None:
    """Append a HistoryEntry (`-`: from stdin) and print its id; id and time are made where it has none."""
    from ...programs.forms.history import exchange

    data = required_stdin(env) if file == "-" else read_file(file)
    entry = parse_exchange(data, "stdin" if file == "-" else file)
    target = target_of(env, session, new=new) or begin(env, entry["userMessage"])

    def build(locked: Locked, ids: list[str]) -> bytes:
        id = entry.get("id") or env.id_in(locked)
        whole = {**entry, "id": id, "timestamp": entry.get("timestamp") or env.now()}
        lines = [Line(record, dumps(record), number) for number, record in enumerate(exchange(whole), 1)]
        both: list[str] = []
        new = records_of(env, locked, lines, both, "--exchange")
        ids.append(both[0])
        return new

    store(env, target, build, create=True)


def parse_exchange(data: bytes, name: str) -> Json:
    """The entry that these bytes are; BadData naming what is wrong, exit 2 for an unknown source."""
    from ...programs.forms.history import entry_errors

    entry = parse_json(data, name)
    if not isinstance(entry, dict):
        raise BadData(f"{name}: a history entry (an object) expected")
    wrong = entry_errors(entry)
    if "source" in wrong:
        raise Usage(f"{name}: `source` {wrong['source']}")
    if wrong:
        raise BadData(
            f"{name}: {', '.join(f'`{key}` {why}' for key, why in wrong.items())}; nothing was stored"
        )
    if not entry["userMessage"].strip():
        raise BadData(f"{name}: `userMessage` is empty; nothing was stored")
    return entry

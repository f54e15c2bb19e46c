"""Bytes ↔ records: one JSON object a line, split on `\\n` only, every line kept as its bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator

import orjson

from ..base.read_json import json_value
from .model import Any, Json, Part, Unread
from .rules import LONGEST, PLACING, ROLE_OF_KIND, RULES

VERSION = 1
MAX_DEPTH = 200  # levels of JSON that are written: a request nests deeper than a session
MAX_READ = 240  # a deeper line is damage: a request nests it deeper still
_WRITTEN = 254  # levels that orjson writes
_SHALLOW = 2 * MAX_READ  # so few bytes cannot nest deeper
BOM = b"\xef\xbb\xbf"  # some editors put it first; it is no part of the first line
_SHAPES = {"parts": list, "blockIds": list, "ops": list, "set": dict, "usage": dict}  # others are text

_OF_TOOLS = frozenset(("functionCall", "functionResponse"))
_PART_SHAPES = {
    "text": str, "thoughtSignature": str, "inlineData": dict, "fileData": dict, "functionCall": dict,
    "functionResponse": dict, "native": dict,
}  # fmt: skip


class Record:
    """A line: its parsed object, its bytes, and where it starts in the file.

    `bare`: for a bare `{"role","parts"}` line, how many equal lines came before. `blocks`: for a `ref`
    whose parts were fetched, the blocks they came from.
    """

    __slots__ = ("bare", "blocks", "data", "line", "offset")

    def __init__(self, data: Json, line: bytes, offset: int, bare: int | None = None) -> None:
        self.data = data
        self.line = line
        self.offset = offset
        self.bare = bare
        self.blocks: list[str] | None = None

    @property
    def raw(self) -> bytes:
        """The line without its newline."""
        return self.line.removesuffix(b"\n")


ELEMENT = 0  # where the file is one JSON value: the line of what is wrong with an element of it


class Damage:
    """A line that is not a record, and why; it costs only itself, or nothing where it was `mended`.

    Line `ELEMENT`: an element of a file that is one JSON value, which the reason names.
    """

    __slots__ = ("line", "mended", "offset", "reason")

    def __init__(self, line: int, offset: int, reason: str, *, mended: bool = False) -> None:
        self.line = line
        self.offset = offset  # -1 in another program's file
        self.reason, self.mended = reason, mended


class Log:
    """A session file as read: records in byte order, the damaged lines, and its size in bytes.

    `refers`: whether a record may name blocks that hold its parts.
    """

    __slots__ = ("damage", "records", "refers", "size")

    def __init__(
        self, records: list[Record], damage: list[Damage], size: int, *, refers: bool = True
    ) -> None:
        self.records = records
        self.damage = damage
        self.size = size
        self.refers = refers


class Before:
    """What stands before the lines to be read: bytes, lines, and how often each bare message."""

    __slots__ = ("bare", "lines", "size")

    def __init__(self) -> None:
        self.size = self.lines = 0
        self.bare: dict[int, int] = {}  # by hash


def parse(lines: Iterable[bytes], before: Before | None = None) -> Log:
    """Read every line; a bad one is counted as damage with its byte offset and never ends the history.

    An unterminated last line that is whole is a record: its append was cut between line and newline.
    `before`: what of the file was read before these lines; they are added to it.
    """
    before = before or Before()
    records: list[Record] = []
    damage: list[Damage] = []
    loads = orjson.loads
    offset, number = before.size, before.lines
    refers = False
    for number, line in enumerate(lines, before.lines + 1):
        start = offset
        offset += len(line)
        if len(line) > LONGEST and (size := len(line.removesuffix(b"\n"))) > LONGEST:
            damage.append(Damage(number, start, f"{size} bytes: too long for a record"))
            continue
        try:
            data = loads(line)
        except ValueError as error:
            data = None
            if number == 1 and line.startswith(BOM):
                line = line[len(BOM) :]
                data = json_value(line)
            if data is None:
                if line.strip():
                    damage.append(Damage(number, start, _why(line, error)))
                continue
        if len(line) > _SHALLOW and nests_deeper(data, MAX_READ):
            damage.append(Damage(number, start, f"nested deeper than {MAX_READ}"))
            continue
        if _is_usual(data):
            records.append(Record(data, line, start))
            continue
        bare = None
        if type(data) is dict and "id" not in data:
            bare = _adopt(data, line.removesuffix(b"\n"), before.bare)
        reason = check(data)
        if reason:
            damage.append(Damage(number, start, reason))
            continue
        records.append(Record(data, line, start, bare))
        refers = refers or b"blockId" in line or b"\\u" in line  # as a key may be spelled
    before.size, before.lines = offset, number
    return Log(records, damage, offset, refers=refers)


def _is_usual(data: Any) -> bool:
    """Whether it is a message of texts, calls and results: nearly all lines are."""
    try:
        parts = data["parts"]
        if data["type"] != "message" or data["kind"] not in ROLE_OF_KIND or type(data["id"]) is not str:
            return False
        if type(parts) is not list:
            return False
        for part in parts:
            (key,) = part
            value = part[key]
            if key != "text" and key not in _OF_TOOLS:
                return False
            if type(value if key == "text" else value["name"]) is not str:
                return False
    except (KeyError, TypeError, ValueError):
        return False
    return True


def _why(line: bytes, error: ValueError) -> str:
    if b"\0" in line:
        return f"{line.count(0)} NUL bytes"
    if not line.endswith(b"\n"):
        return "torn last line"
    return f"not JSON: {error}"


def _adopt(data: Json, raw: bytes, bare: dict[int, int]) -> int | None:
    """Make a message of a line without type or id; returns how many equal lines came before."""
    if data.get("type", "message") != "message" or type(data.get("parts")) is not list:
        return None
    line = hash(raw.rstrip(b"\r"))
    seen = bare[line] = bare.get(line, -1) + 1
    data["type"] = "message"
    data["id"] = bare_id(raw, seen)
    return seen


def check(data: object) -> str | None:
    """Why this object is no record, or None."""
    if type(data) is not dict:
        return "not an object"
    kind = data.get("type")
    if kind == "message":
        return check_message(data) if type(data.get("parts")) is list else "message without `parts`"
    if type(kind) is not str:
        bare = "neither a record (no `type`) nor a bare message (no `role` and `parts`)"
        return bare if kind is None else "`type` is not text"
    if kind not in RULES:
        return None
    for name in RULES[kind].needs:
        if type(data.get(name)) is not _SHAPES.get(name, str):
            return f"{kind} without a valid `{name}`"
    if kind == "delta" and not _has_parts(data):
        return "delta without a valid `parts`"
    if kind in PLACING:
        return check_message(data) or (_check_ids(data) if kind == "ref" else None)
    return check_parts(data) or _check_ids(data) or _check_ops(data)


def _has_parts(data: Json) -> bool:
    """Whether content is given, or the blocks that hold it."""
    return type(data.get("parts")) is list or type(data.get("blockIds")) is list


def check_message(data: Json) -> str | None:
    """Why this object cannot be a message, or None."""
    kind = data.get("kind")
    if kind is not None and type(kind) is not str:
        return "`kind` is not text"
    if kind not in ROLE_OF_KIND and data.get("role") not in ("user", "model"):
        return f"role is {data.get('role')!r}: user or model expected"
    if type(data["id"]) is not str:
        return "`id` is not text"
    return check_parts(data)


def check_parts(data: Json) -> str | None:
    """Why the parts of a record are unusable, or None."""
    parts = data.get("parts")
    if parts is None:
        return None
    if type(parts) is not list:
        return "`parts` is not a list"
    for part in parts:
        if type(part) is not dict:
            return "a part is not an object"
        if len(part) == 1 and type(part.get("text")) is str:  # most parts
            continue
        for key, value in part.items():
            shape = _PART_SHAPES.get(key)
            if shape is not None and type(value) is not shape:
                return f"a part's `{key}` is not {'text' if shape is str else 'an object'}"
            if key in ("functionCall", "functionResponse") and type(value.get("name")) is not str:
                return f"a `{key}` without a name"
    return None


def _check_ids(data: Json) -> str | None:
    """Why its lists of ids are none, or None."""
    for name in ("blockIds", "covers", "ids"):
        ids = data.get(name)
        if ids is not None and not (type(ids) is list and all(type(id) is str for id in ids)):
            return f"`{name}` is not a list of ids"
    return None


def _check_ops(data: Json) -> str | None:
    """Why the ops of a compaction are unusable, or None; ops not known are left alone."""
    for op in data.get("ops") or ():
        if type(op) is not dict:
            return "an op is not an object"
        if any(type(op.get(name, "")) is not str for name in ("id", "after", "blockId")):
            return "an op's `id`, `after` or `blockId` is not text"
        if op.get("op") == "insert":
            message = op.get("message")
            if type(message) is not dict or not _has_parts(message):
                return "an insert without a `message`"
            reason = check_message({"id": "", **message}) or _check_ids(message)
        else:
            reason = _check_ids(op) or check_parts({"parts": [op["with"]]} if op.get("with") else {})
        if reason:
            return reason
    return None


def bare_id(raw: bytes, occurrence: int) -> str:
    """The id of a bare `{"role","parts"}` line: a hash of its bytes and how often they came before."""
    import hashlib

    return hashlib.sha256(raw.rstrip(b"\r") + b"\0%d" % occurrence).hexdigest()[:20]


def keeps_id(raw: bytes, id: str) -> bool:
    """Whether a message's line gives it this id wherever it stands; a bare one's hangs on those before."""
    if raw.startswith(b'{"type":"message","id":') or "id" in orjson.loads(raw):
        return True
    return bare_id(raw, 0) == id


def dumps(data: object) -> bytes:
    """One compact line of JSON, without its newline."""
    return orjson.dumps(data)


def block_of(part: Part) -> str:
    """The sha256 of a part's compact JSON: its block id, and what a `replace` names."""
    import hashlib

    stored: object = part
    if type(stored) is Unread:
        return stored.id
    return hashlib.sha256(orjson.dumps(part)).hexdigest()


def lines_of(data: bytes) -> Iterator[bytes]:
    """The lines of a text, each with its `\\n` (the only separator); the last may lack it."""
    return io.BytesIO(data)


def nests_deeper(value: object, limit: int = MAX_DEPTH) -> bool:
    """Whether a value nests deeper than `limit`, or is not JSON."""
    for _ in range(_WRITTEN - limit):
        value = [value]
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False


def depth_exceeds(line: bytes, limit: int = MAX_DEPTH) -> bool:
    """The same of a JSON text; False for what is not JSON."""
    if len(line) <= 2 * limit:
        return False
    try:
        value = orjson.loads(line)
    except ValueError as error:
        return "limit" in str(error)  # of the depth that orjson reads
    return nests_deeper(value, limit)

"""Bytes ↔ records: one JSON object per line, split on `\n` only; every line keeps its bytes."""

from __future__ import annotations

import io
from collections.abc import Iterator

import orjson

from ..base.read_json import json_value
from .model import LONGEST, PLACING, ROLE_OF_KIND, RULES, SKIPPED, Any, Json, Part, Unread

VERSION = 1
MAX_DEPTH = 200  # levels of JSON that are written; a request adds more
MAX_READ = 240  # levels of JSON that are read; a deeper line counts as damaged
_WRITTEN = 254  # levels that orjson writes
_SHALLOW = 2 * MAX_READ  # bytes; shorter lines cannot nest deeper
_DIGITS = 15  # most digits of the length in a `SKIPPED` line; more are other content
TORN = "torn last line"  # reason of damage; another process may be writing the line
BOM = b"\xef\xbb\xbf"  # some editors write it; it is not part of the first line
_SHAPES = {"parts": list, "blockIds": list, "ops": list, "set": dict, "usage": dict}  # others are text

_OF_TOOLS = frozenset(("functionCall", "functionResponse"))
_PART_SHAPES = {
    "text": str, "thoughtSignature": str, "inlineData": dict, "fileData": dict, "functionCall": dict,
    "functionResponse": dict, "native": dict,
}  # fmt: skip


class Record:
    """A line: its parsed object, its bytes (in `source`, from `at` on), and its offset in the file.

    `bare`: for a bare `{"role","parts"}` line, the number of equal lines before it. `blocks`: for a `ref`
    with fetched parts, their block ids.
    """

    __slots__ = ("at", "bare", "blocks", "data", "offset", "source")

    def __init__(
        self, data: Json, source: bytes, at: int = 0, offset: int = 0, bare: int | None = None
    ) -> None:
        self.data = data
        self.source = source
        self.at = at
        self.offset = offset
        self.bare = bare
        self.blocks: list[str] | None = None

    @property
    def raw(self) -> bytes:
        """The line without its newline."""
        end = self.source.find(b"\n", self.at)
        return self.source[self.at : end if end >= 0 else None]


ELEMENT = 0  # the line number of a damaged element in a file that is one JSON value


class Damage:
    """A line that is not a record, and the reason; if `mended`, nothing is lost.

    Line `ELEMENT`: an element of a file that is one JSON value; the reason names it.
    """

    def __init__(self, line: int, offset: int, reason: str, *, mended: bool = False) -> None:
        self.line = line
        self.offset = offset  # -1 in another program's file
        self.reason, self.mended = reason, mended


class Log:
    """A parsed session file: records in byte order, damaged lines, and the size in bytes.

    `refers`: whether a record may refer to blocks.
    """

    def __init__(
        self, records: list[Record], damage: list[Damage], size: int, *, refers: bool = True
    ) -> None:
        self.records = records
        self.damage = damage
        self.size = size
        self.refers = refers


class ParseState:
    """The state of parsing a file piece by piece: bytes and lines so far, counts of bare messages."""

    def __init__(self) -> None:
        self.size = self.lines = 0
        self.bare: dict[int, int] = {}  # by hash


def parse(source: bytes, before: ParseState | None = None) -> Log:
    """Parse every line; skip damaged ones and record them with their byte offsets.

    A last line that lacks only its newline is a record: its append was interrupted. `before` is the state
    after the preceding lines of the file, and is updated.
    """
    before = before or ParseState()
    records: list[Record] = []
    damage: list[Damage] = []
    number = before.lines
    end = 0
    refers = False
    for number, line in enumerate(lines_of(source), before.lines + 1):
        at, end = end, end + len(line)
        start = before.size + at
        if len(line) > LONGEST or line.startswith(SKIPPED):
            size = _skipped(line) or len(line.removesuffix(b"\n"))
            if size > LONGEST:
                before.size += size + line.endswith(b"\n") - len(line)
                damage.append(Damage(number, start, f"{size} bytes: too long for a record"))
                continue
        try:
            data = orjson.loads(line)
        except ValueError as error:
            data = None
            if number == 1 and line.startswith(BOM):
                at, line = len(BOM), line[len(BOM) :]
                data = json_value(line)
            if data is None:
                if line.strip():
                    damage.append(Damage(number, start, _reason(line, error)))
                continue
        opened = line.count(b"{") + line.count(b"[") if len(line) > _SHALLOW else 0
        if opened > MAX_READ and nests_deeper(data, MAX_READ):
            damage.append(Damage(number, start, f"nested deeper than {MAX_READ}"))
            continue
        if _is_usual(data):
            records.append(Record(data, source, at, start))
            continue
        bare = None
        if type(data) is dict and "id" not in data:
            bare = _identify_bare(data, line.removesuffix(b"\n"), before.bare)
        reason = check(data)
        if reason:
            damage.append(Damage(number, start, reason))
            continue
        records.append(Record(data, source, at, start, bare))
        refers = refers or b"blockId" in line or b"\\u" in line  # a key may be escaped
    before.size, before.lines = before.size + end, number
    return Log(records, damage, before.size, refers=refers)


def _skipped(line: bytes) -> int:
    """Return the length of the line that a `SKIPPED` line replaces; 0 for any other line."""
    length = line.removeprefix(SKIPPED).strip()
    is_ours = line.startswith(SKIPPED) and length.isdigit() and len(length) <= _DIGITS
    return int(length) if is_ours else 0


def _is_usual(data: Any) -> bool:
    """Return whether it is a valid message of texts, calls and results, as nearly all lines are."""
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
    except (LookupError, TypeError, ValueError):
        return False
    return True


def _reason(line: bytes, error: ValueError) -> str:
    if b"\0" in line:
        return f"{line.count(0)} NUL bytes"
    if not line.endswith(b"\n"):
        return TORN
    return f"not JSON: {error}"


def _identify_bare(data: Json, raw: bytes, bare: dict[int, int]) -> int | None:
    """Make a line without type and id a message; return the number of equal lines before it."""
    if data.get("type", "message") != "message" or type(data.get("parts")) is not list:
        return None
    line = hash(raw.rstrip(b"\r"))
    seen = bare[line] = bare.get(line, -1) + 1
    data["type"] = "message"
    data["id"] = bare_id(raw, seen)
    return seen


def check(data: object) -> str | None:
    """Return the reason why this object is not a record, or None."""
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
    return check_parts(data) or _check_ids(data) or (_check_ops(data) if kind == "compaction" else None)


def _has_parts(data: Json) -> bool:
    """Return whether a record has parts, inline or in blocks."""
    return type(data.get("parts")) is list or type(data.get("blockIds")) is list


def check_message(data: Json) -> str | None:
    """Return the reason why this object cannot be a message, or None."""
    kind = data.get("kind")
    if kind is not None and type(kind) is not str:
        return "`kind` is not text"
    if kind not in ROLE_OF_KIND and data.get("role") not in ("user", "model"):
        return f"role is {data.get('role')!r}: expected user or model"
    if type(data["id"]) is not str:
        return "`id` is not text"
    return check_parts(data)


def check_parts(data: Json) -> str | None:
    """Return the reason why a record's parts are invalid, or None."""
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
    for name in ("blockIds", "covers", "ids"):
        ids = data.get(name)
        if ids is not None and not (type(ids) is list and all(type(id) is str for id in ids)):
            return f"`{name}` is not a list of ids"
    return None


def _check_ops(data: Json) -> str | None:
    """Return the reason why the ops of a compaction are invalid, or None; unknown ops are ignored."""
    for op in data["ops"]:
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
    """Return the id of a bare `{"role","parts"}` line: a hash of its bytes and its occurrence."""
    import hashlib

    return hashlib.sha256(raw.rstrip(b"\r") + b"\0%d" % occurrence).hexdigest()[:20]


def id_is_in_line(raw: bytes, id: str) -> bool:
    """Return whether a message's line has this id in any file; a bare line's depends on earlier lines."""
    if raw.startswith(b'{"type":"message","id":') or "id" in orjson.loads(raw):
        return True
    return bare_id(raw, 0) == id


def dumps(data: object) -> bytes:
    """Return one compact line of JSON, without its newline."""
    return orjson.dumps(data)


def block_of(part: Part) -> str:
    """Return the sha256 of a part's compact JSON: its block id, and the `block` of a `replace`."""
    import hashlib

    stored: object = part
    if type(stored) is Unread:
        return stored.id
    return hashlib.sha256(orjson.dumps(part)).hexdigest()


def lines_of(data: bytes) -> Iterator[bytes]:
    """Return the lines of a text, each with its `\n` (the only separator); the last may lack it."""
    return io.BytesIO(data)


def nests_deeper(value: object, limit: int = MAX_DEPTH) -> bool:
    """Return whether a value nests deeper than `limit`, or is not JSON."""
    for _ in range(_WRITTEN - limit):
        value = [value]
    try:
        orjson.dumps(value)
    except TypeError:
        return True
    return False


def depth_exceeds(line: bytes, limit: int = MAX_DEPTH) -> bool:
    """Return whether a JSON text nests deeper than `limit`; False if it is not JSON."""
    if len(line) <= 2 * limit:
        return False
    try:
        value = orjson.loads(line)
    except ValueError as error:
        return "limit" in str(error)  # deeper than orjson reads
    return nests_deeper(value, limit)

"""Convert records to refer to their parts by block ids, and back.

A block is one part's compact JSON, stored under its sha256. A `message` becomes a `ref`; `update`,
`commit`, `delta` and an inserted message have `blockIds` instead of `parts`, a `replace` has `blockId`
instead of `with`. Other fields keep their positions, so that converting back gives the same line. If it
would not (other spacing or escapes, a bare message), the line itself is a block too, with its id in
`spelling`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..base.read_json import json_value
from .model import BLOCK_FIELDS, OTHER, RULES, SUMMARY_HEAD, Any, Json, Part, Summary, Unread, unread
from .records import MAX_READ, Record, check, check_parts, depth_exceeds, dumps
from .view import is_idless, kind_of

LARGE = 4096  # bytes; a message with a larger part is stored by reference

Blocks = dict[str, bytes]
Fill = Callable[[Any], Any]  # unread part → part


def to_references(data: Json, raw: bytes | None, flow: str, *, every: bool) -> tuple[Json, Blocks] | None:
    """Return the record with references to its parts, and the blocks; None if it is unchanged.

    A record is unchanged if no part is large (unless `every`), if it cannot be written as JSON again, or if
    it already has fields with our names. `raw` is its line, or None for a new record.
    """
    if not RULES.get(data["type"], OTHER).content:
        return None
    blocks = _Blocks(every=every)
    try:
        new = _converted(data, blocks.refer, blocks.refer_replacement)
    except TypeError:  # nested too deeply
        return None
    if new is data:
        return None
    if data["type"] == "message":
        new |= {"type": "ref", "flowId": flow}
    if raw is None or block_ids(data):  # a line with references was written by us
        return new, blocks.contents
    if dumps(from_references(new, lambda part: blocks.parts[part.id])) != raw:
        new["spelling"] = {"id": _sha256(raw)}
        blocks.contents[new["spelling"]["id"]] = raw
    return new, blocks.contents


class _Blocks:
    """The blocks of one record: contents and parts, by id."""

    def __init__(self, *, every: bool) -> None:
        self.every = every
        self.contents: Blocks = {}
        self.parts: dict[str, Part] = {}

    def refer(self, data: Json) -> Json:
        """Return a record or message with references to its parts; the same object if unchanged."""
        content = data.get("parts")
        if type(content) is not list:
            return data
        if any(type(part) is Unread for part in content):
            data = _without_ours(data)
        elif BLOCK_FIELDS & data.keys() or self._are_small(content):
            return data
        new = _renamed(data, "parts", "blockIds", [self._id(part) for part in content])
        if idless := [number for number, part in enumerate(content) if is_idless(part)]:
            new["idless"] = idless
        if data.get("type", "message") == "message":  # an inserted one has no type
            new["kind"] = kind_of(data)
        return new

    def refer_replacement(self, op: Json) -> Json:
        """Return a `replace` with a reference to its part; the same object if unchanged."""
        part = op.get("with")
        if not isinstance(part, dict) or "blockId" in op or self._are_small([part]):
            return op
        return _renamed(op, "with", "blockId", self._id(part))

    def _are_small(self, parts: list[Any]) -> bool:
        return not self.every and not any(
            type(part) is Unread or len(dumps(part)) > LARGE for part in parts
        )

    def _id(self, part: Any) -> str:
        if type(part) is Unread:
            return part.id
        text = dumps(part)
        id = _sha256(text)
        self.contents[id], self.parts[id] = text, part
        return id


def from_references(data: Json, part_of: Fill) -> Json:
    """Return the record with its parts restored; the same object if it has no references."""

    def restored(data: Json) -> Json:
        parts: Any = data.get("parts")
        if type(parts) is list:
            if not any(type(part) is Unread for part in parts):
                return data
            read = [part_of(part) if type(part) is Unread else part for part in parts]
            return {**_without_ours(data), "parts": read}
        if type(data.get("blockIds")) is not list:
            return data
        new = _renamed(data, "blockIds", "parts", [part_of(part) for part in unread(data)])
        new.pop("idless", None)
        return new

    def restored_replacement(op: Json) -> Json:
        if "blockId" not in op or op.get("with") is not None:
            return op
        (part,) = unread({"blockIds": [op["blockId"]]})
        return _renamed(op, "blockId", "with", part_of(part))

    if data["type"] == "ref":
        message = {key: data[key] for key in data if key not in ("flowId", "parts")}
        new = restored({**message, "type": "message"})
    else:
        new = _converted(data, restored, restored_replacement)
    return {key: value for key, value in new.items() if key != "spelling"} if new is not data else new


def _converted(data: Json, content: Callable[[Json], Json], replacement: Callable[[Json], Json]) -> Json:
    """Convert a record's content, or the inserted messages and replacements of a compaction."""
    if data["type"] != "compaction":
        return content(data)
    ops = []
    for op in data["ops"]:
        if op.get("op") == "insert" and isinstance(op.get("message"), dict):
            message = content(op["message"])
            ops.append(op if message is op["message"] else {**op, "message": message})
        else:
            ops.append(replacement(op) if op.get("op") == "replace" else op)
    same = all(new is old for new, old in zip(ops, data["ops"], strict=True))
    return data if same else {**data, "ops": ops}


def _renamed(data: Json, old: str, new: str, value: object) -> Json:
    """Return the object with one key and value replaced, in the same position."""
    return {(new if key == old else key): value if key == old else data[key] for key in data if key != new}


def _without_ours(data: Json) -> Json:
    return {key: value for key, value in data.items() if key not in BLOCK_FIELDS}


def block_ids(data: Json) -> list[str]:
    """Return the ids of the blocks that hold a record's parts."""
    ids: list[str] = []

    def collect(part: Any) -> Any:
        ids.append(part.id)
        return part

    from_references(data, collect)
    return ids


def line_id(data: Json) -> str | None:
    """Return the id of the block that holds the record's original line, or None."""
    spelling = data.get("spelling")
    id = spelling.get("id") if isinstance(spelling, dict) else None
    return id if isinstance(id, str) else None


def all_ids(data: Json) -> list[str]:
    """Return the ids of all blocks that a record refers to."""
    line = line_id(data)
    return [*block_ids(data), *([line] if line is not None else ())]


def with_parts(record: Record, parts: Mapping[str, Part]) -> Record:
    """Return the record with these parts filled in, others unread; the same object if it needs none."""
    data = record.data
    if "blockIds" not in data and data["type"] != "compaction":
        return record
    if parts.keys().isdisjoint(block_ids(data)):
        return record
    new = from_references(data, lambda part: parts.get(part.id, part))
    if data["type"] == "ref":
        new |= {"type": "ref", "flowId": data.get("flowId")}
    filled = Record(new, record.source, record.at, record.offset, record.bare)
    filled.blocks = data.get("blockIds")
    return filled


def summary_part(summary: Summary) -> Part:
    """Return a summary as a part with its text and record, for formats that only have messages."""
    text = f"{SUMMARY_HEAD}\n\n{summary.text}"
    return {"text": text, "summary": {**summary.fields, "type": "summary", "id": summary.id}}  # type: ignore[typeddict-unknown-key]


def summary_in(data: bytes) -> Json | None:
    """Return the record of the summary in a block, or None."""
    part: Any = json_value(data) if b'"summary":{' in data else None
    record = part.get("summary") if isinstance(part, dict) else None
    whole = isinstance(record, dict) and record.get("type") == "summary" and check(record) is None
    return record if whole else None


def part_in(data: bytes) -> Part | None:
    """Return the part in a block, or None."""
    part: Part = json_value(data)
    wrong = check_parts({"parts": [part]}) is not None or depth_exceeds(data, MAX_READ)
    return None if wrong else part


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()

"""Convert records to refer to their parts by block ids, and back.

A block is one part's compact JSON, stored under its sha256. A `message` becomes a `ref`; `update`,
`commit`, `delta` and an inserted message have `blockIds` instead of `parts`, a `replace` has `blockId`
instead of `with`. Other fields keep their positions, so that converting back gives an equal line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import orjson

from ..base.read_json import json_value
from .model import BLOCK_FIELDS, OTHER, RULES, SUMMARY_HEAD, Any, Json, Part, Summary, Unread, unread
from .records import MAX_READ, Record, block_of, check, check_parts, depth_exceeds, dumps
from .view import is_idless, kind_of

LARGE = 4096  # bytes; a message with a larger part is stored by reference

Blocks = dict[str, bytes]
Fill = Callable[[Any], Any]  # unread part → part


def to_references(data: Json, raw: bytes | None, flow: str, *, every: bool) -> tuple[Json, Blocks] | None:
    """Return the record with references to its parts, and the blocks; None if it is unchanged.

    A record is unchanged if no part is large (unless `every`), if writing it as JSON would fail or lose
    something, or if it already has fields with our names. `raw` is its line, or None for a new record.
    """
    if not RULES.get(data["type"], OTHER).content:
        return None
    blocks: Blocks = {}

    def id_of(part: Any) -> str:
        id = block_of(part)
        if type(part) is not Unread:
            blocks[id] = dumps(part)
        return id

    def are_small(parts: list[Any]) -> bool:
        return not every and not any(type(part) is Unread or len(dumps(part)) > LARGE for part in parts)

    def refer(data: Json) -> Json:
        content = data.get("parts")
        if type(content) is not list:
            return data
        if any(type(part) is Unread for part in content):
            data = _without_ours(data)
        elif BLOCK_FIELDS & data.keys() or are_small(content):
            return data
        new = _renamed(data, "parts", "blockIds", [id_of(part) for part in content])
        if idless := [number for number, part in enumerate(content) if is_idless(part)]:
            new["idless"] = idless
        if data.get("type", "message") == "message":  # an inserted one has no type
            new["kind"] = kind_of(data)
        return new

    def refer_replacement(op: Json) -> Json:
        part = op.get("with")
        if not isinstance(part, dict) or "blockId" in op or are_small([part]):
            return op
        return _renamed(op, "with", "blockId", id_of(part))

    try:
        new = _converted(data, refer, refer_replacement)
    except TypeError:  # nested too deeply
        return None
    if new is data or (raw is not None and not _is_exact(raw)):
        return None
    return (new | {"type": "ref", "flowId": flow} if data["type"] == "message" else new), blocks


def _is_exact(raw: bytes) -> bool:
    """Return whether parsing a line loses nothing: a repeated key, digits of an integer above 64 bits."""
    import json

    def once(pairs: list[tuple[str, Any]]) -> Json:
        return dict(pairs) if len(pairs) == len(dict(pairs)) else {"repeated": pairs}

    value = orjson.loads(raw)
    return dumps(value) == raw or json.loads(raw, object_pairs_hook=once) == value


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

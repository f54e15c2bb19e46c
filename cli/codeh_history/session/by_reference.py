"""Records whose parts are named by block ids, and back.

A block is one part's compact JSON under its sha256. A `message` becomes a `ref`; `update`, `commit`,
`delta` and an inserted message carry `blockIds` for their `parts`, a `replace` `blockId` for its `with`.
Everything else stays in its place, so that the way back gives the same line. Where it would not (other
spacing or escapes, a bare message), the line itself is one more block, which `spelling.id` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..base.read_json import json_value
from .fold import is_idless, kind_of
from .model import SUMMARY_HEAD, Any, Json, Part, Summary, Unread, unread
from .records import MAX_READ, Record, check, check_parts, depth_exceeds, dumps
from .rules import OF_BLOCKS, OTHER, RULES

LARGE = 4096  # a part of more bytes goes to a block, and with it its message

Blocks = dict[str, bytes]
Fill = Callable[[Any], Any]  # an unread part → the part


def referring(data: Json, raw: bytes | None, flow: str, *, every: bool) -> tuple[Json, Blocks] | None:
    """The record naming its parts by blocks, and these blocks; None where it stays as it is.

    It stays where no part is large, unless `every`; also what cannot be written as JSON again, and a record
    that has fields of our names already. `raw` is its line, None for one that was never written.
    """
    if not RULES.get(data["type"], OTHER).content:
        return None
    blocks: Blocks = {}
    parts: dict[str, Part] = {}

    def stored(part: Any, text: bytes | None) -> str:
        if text is None:
            return str(part.id)
        id = _sha256(text)
        blocks[id], parts[id] = text, part
        return id

    def is_small(texts: list[bytes | None]) -> bool:
        return not every and not any(text is None or len(text) > LARGE for text in texts)

    def of_message(data: Json) -> Json:
        given = data.get("parts")
        if type(given) is not list:
            return data
        if any(type(part) is Unread for part in given):
            data = _without_ours(data)
        elif OF_BLOCKS & data.keys():
            return data
        texts = [_text(part) for part in given]
        if is_small(texts):
            return data
        ids = [stored(part, text) for part, text in zip(given, texts, strict=True)]
        idless = [number for number, part in enumerate(given) if is_idless(part)]
        return _renamed(data, "parts", "blockIds", ids) | ({"idless": idless} if idless else {})

    def of_op(op: Json) -> Json:
        if op.get("op") == "insert" and type(op.get("message")) is dict:
            message = of_message(op["message"])
            if message is op["message"]:
                return op
            return {**op, "message": {**message, "kind": kind_of(op["message"])}}
        part = op.get("with")
        if op.get("op") != "replace" or not isinstance(part, dict) or "blockId" in op:
            return op
        text = _text(part)
        return op if is_small([text]) else _renamed(op, "with", "blockId", stored(part, text))

    try:
        new = _with_ops(data, of_op) if data["type"] == "compaction" else of_message(data)
    except TypeError:  # nested deeper than can be written
        return None
    if new is data:
        return None
    if data["type"] == "message":
        new = {**new, "type": "ref", "kind": kind_of(data), "flowId": flow}
    if raw is not None and dumps(restored(new, lambda part: parts[part.id])) != raw:
        new["spelling"] = {"id": _sha256(raw)}
        blocks[new["spelling"]["id"]] = raw
    return new, blocks


def restored(data: Json, part_of: Fill) -> Json:
    """The record with its parts in their place again; the same where it names no blocks."""
    if data["type"] == "compaction":
        new = _with_ops(data, lambda op: _op_restored(op, part_of))
    elif data["type"] == "ref":
        new = _parts_restored({key: data[key] for key in data if key not in ("flowId", "parts")}, part_of)
        new["type"] = "message"
    else:
        new = _parts_restored(data, part_of)
    return {key: value for key, value in new.items() if key != "spelling"} if new is not data else new


def _parts_restored(data: Json, part_of: Fill) -> Json:
    parts: Any = data.get("parts")
    if type(parts) is list:
        if not any(type(part) is Unread for part in parts):
            return data
        return {
            **_without_ours(data),
            "parts": [part_of(part) if type(part) is Unread else part for part in parts],
        }
    if type(data.get("blockIds")) is not list:
        return data
    new = _renamed(data, "blockIds", "parts", [part_of(part) for part in unread(data)])
    new.pop("idless", None)
    return new


def _op_restored(op: Json, part_of: Fill) -> Json:
    if op.get("op") == "insert" and isinstance(op.get("message"), dict):
        message = _parts_restored(op["message"], part_of)
        return op if message is op["message"] else {**op, "message": message}
    if op.get("op") == "replace" and "blockId" in op and op.get("with") is None:
        (part,) = unread({"blockIds": [op["blockId"]]})
        return _renamed({**op, "blockId": op["blockId"]}, "blockId", "with", part_of(part))
    return op


def _text(part: Any) -> bytes | None:
    """A part's block; None for one that is in a block already."""
    return None if type(part) is Unread else dumps(part)


def _renamed(data: Json, old: str, new: str, value: object) -> Json:
    """The same, with another key and value in the place of one."""
    return {(new if key == old else key): value if key == old else data[key] for key in data if key != new}


def _without_ours(data: Json) -> Json:
    return {key: value for key, value in data.items() if key not in OF_BLOCKS}


def _with_ops(data: Json, change: Callable[[Json], Json]) -> Json:
    ops = [change(op) for op in data["ops"]]
    if all(new is old for new, old in zip(ops, data["ops"], strict=True)):
        return data
    return {**data, "ops": ops}


def block_ids(data: Json) -> list[str]:
    """The blocks that hold a record's parts."""
    ids: list[str] = []

    def note(part: Any) -> Any:
        ids.append(part.id)
        return part

    restored(data, note)
    return ids


def line_id(data: Json) -> str | None:
    """The block that holds the record's original line, where one does."""
    spelling = data.get("spelling")
    id = spelling.get("id") if isinstance(spelling, dict) else None
    return id if isinstance(id, str) else None


def all_ids(data: Json) -> list[str]:
    """All blocks that a record names."""
    line = line_id(data)
    return [*block_ids(data), *([line] if line is not None else ())]


def with_parts(record: Record, parts: Mapping[str, Part]) -> Record:
    """The record with those of its parts that are given; the others stay unread.

    The same where it needs none of them.
    """
    data = record.data
    if "blockIds" not in data and data["type"] != "compaction":
        return record
    if parts.keys().isdisjoint(block_ids(data)):
        return record
    new = restored(data, lambda part: parts.get(part.id, part))
    if data["type"] == "ref":
        new |= {"type": "ref", "flowId": data.get("flowId")}
    filled = Record(new, record.raw, record.offset, record.bare)
    filled.blocks = data.get("blockIds")
    return filled


def summary_part(summary: Summary) -> Part:
    """The part that a summary is where only messages have a place: its text, and its record."""
    text = f"{SUMMARY_HEAD}\n\n{summary.text}"
    return {"text": text, "summary": {**summary.fields, "type": "summary", "id": summary.id}}  # type: ignore[typeddict-unknown-key]


def summary_in(data: bytes) -> Json | None:
    """The record of the summary that a block holds; None where it holds none."""
    part: Any = json_value(data) if b'"summary":{' in data else None
    record = part.get("summary") if isinstance(part, dict) else None
    whole = isinstance(record, dict) and record.get("type") == "summary" and check(record) is None
    return record if whole else None


def part_in(data: bytes) -> Part | None:
    """The part that a block holds; None where it holds none."""
    part: Part = json_value(data)
    wrong = check_parts({"parts": [part]}) is not None or depth_exceeds(data, MAX_READ)
    return None if wrong else part


def _sha256(data: bytes) -> str:
    import hashlib

    return hashlib.sha256(data).hexdigest()

"""Records whose parts are named by block ids, and back.

A block is one part's compact JSON under its sha256. A `message` becomes a `ref`; `update`, `commit`,
`delta` and an inserted message carry `blockIds` for their `parts`, a `replace` `blockId` for its `with`.
Everything else stays in its place, so that the way back gives the same line. Where it would not (other
spacing or escapes, a bare message), `spelling` says how the line was written; where even that would not do
(integers beyond 64 bits, odd spacing), the line itself is one more block, which `spelling.id` names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..base.read_json import json_value
from .depth import MAX_READ, depth_exceeds
from .fold import is_idless, kind_of
from .model import SUMMARY_HEAD, Any, Json, Part, Summary, Unread, unread
from .records import Record, check, check_parts, dumps
from .rules import OF_BLOCKS, OTHER, RULES

LARGE = 4096  # a part of more bytes goes to a block, and with it its message
_NAMES = {"parts": "blockIds"}

Blocks = dict[str, bytes]
Fill = Callable[[Any], Any]  # an unread part → the part


def referring(
    data: Json, raw: bytes | None, flow: str, *, every: bool, large: int = LARGE
) -> tuple[Json, Blocks] | None:
    """The record naming its parts by blocks, and these blocks; None where it stays as it is.

    It stays where no part is large, unless `every`; also what JSON cannot be written again, and a record
    that has fields of our names already. `raw` is its line, None for one that was never written.
    """
    if not RULES.get(data["type"], OTHER).content:
        return None
    held = _Held(every=every, large=large)
    try:
        if data["type"] == "compaction":
            new = _mapped_ops(data, held.op)
        else:
            new = held.record(data)
    except TypeError:  # nested deeper than can be written
        return None
    if new is data:
        return None
    if data["type"] == "message":
        new = {**new, "type": "ref", "kind": kind_of(data), "flowId": flow}
    if raw is not None and dumps(restored(new, lambda part: held.parts[part.id])) != raw:
        from . import spelling

        noted = spelling.note(raw, data["parts"]) if "parts" in data else None
        if noted is None:
            noted = {"id": _sha256(raw)}
            held.blocks[noted["id"]] = raw
        new["spelling"] = noted
    return new, held.blocks


class _Held:
    """The parts of one record on their way into blocks."""

    def __init__(self, *, every: bool, large: int) -> None:
        self.every = every
        self.large = large
        self.blocks: Blocks = {}
        self.parts: dict[str, Part] = {}

    def record(self, data: Json) -> Json:
        """A record, or an inserted message, with `blockIds` for its `parts`; the same where it stays."""
        parts = data.get("parts")
        if type(parts) is not list:
            return data
        if any(type(part) is Unread for part in parts):
            data = _without_ours(data)
        elif OF_BLOCKS & data.keys():
            return data
        spelled = [None if type(part) is Unread else dumps(part) for part in parts]
        if not self.every and not any(text is None or len(text) > self.large for text in spelled):
            return data
        ids = [self._add(part, text) for part, text in zip(parts, spelled, strict=True)]
        new = {_NAMES.get(key, key): ids if key == "parts" else value for key, value in data.items()}
        idless = [number for number, part in enumerate(parts) if is_idless(part)]
        return {**new, "idless": idless} if idless else new

    def op(self, op: Json) -> Json:
        if op.get("op") == "insert" and type(op.get("message")) is dict:
            message = self.record(op["message"])
            if message is op["message"]:
                return op
            return {**op, "message": {**message, "kind": kind_of(op["message"])}}
        part = op.get("with")
        if op.get("op") != "replace" or not isinstance(part, dict) or "blockId" in op:
            return op
        text = None if type(part) is Unread else dumps(part)
        if not self.every and text is not None and len(text) <= self.large:
            return op
        id = self._add(part, text)
        return {("blockId" if key == "with" else key): id if key == "with" else op[key] for key in op}

    def _add(self, part: Any, text: bytes | None) -> str:
        if text is None:
            return str(part.id)
        id = _sha256(text)
        self.blocks[id] = text
        self.parts[id] = part
        return id


def restored(data: Json, part_of: Fill) -> Json:
    """The record with its parts in their place again; the same where it names no blocks."""
    if data["type"] == "compaction":
        new = _mapped_ops(data, lambda op: _op_restored(op, part_of))
    elif data["type"] == "ref":
        new = _parts_restored({key: data[key] for key in data if key not in ("flowId", "parts")}, part_of)
        new["type"] = "message"
    else:
        new = _parts_restored(data, part_of)
    return {key: value for key, value in new.items() if key != "spelling"} if new is not data else new


def _parts_restored(data: Json, part_of: Fill) -> Json:
    given: Any = data.get("parts")
    if type(given) is list:
        if not any(type(part) is Unread for part in given):
            return data
        read = [part_of(part) if type(part) is Unread else part for part in given]
        return {**_without_ours(data), "parts": read}
    if type(data.get("blockIds")) is not list:
        return data
    parts = [part_of(part) for part in unread(data)]
    return {
        ("parts" if key == "blockIds" else key): parts if key == "blockIds" else value
        for key, value in data.items()
        if key != "idless"
    }


def _op_restored(op: Json, part_of: Fill) -> Json:
    if op.get("op") == "insert" and isinstance(op.get("message"), dict):
        message = _parts_restored(op["message"], part_of)
        return op if message is op["message"] else {**op, "message": message}
    if op.get("op") == "replace" and "blockId" in op and op.get("with") is None:
        new = part_of(unread({"blockIds": [op["blockId"]]})[0])
        named = {("with" if key == "blockId" else key): value for key, value in op.items()}
        return {**named, "with": new}
    return op


def _without_ours(data: Json) -> Json:
    return {key: value for key, value in data.items() if key not in OF_BLOCKS}


def _mapped_ops(data: Json, change: Callable[[Json], Json]) -> Json:
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


def all_ids(data: Json) -> list[str]:
    """The same, and the block that holds its line where one does."""
    noted = data.get("spelling")
    line = noted.get("id") if isinstance(noted, dict) else None
    return [*block_ids(data), *([line] if isinstance(line, str) else ())]


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

"""Find the undone and the repeated lines of a log, which do not count, and what `undo` reverts next.

A log made by joining two copies of a session (`cat`, a merge) has their common lines twice. A line with an
id of its own is a copy if it repeats an earlier line. Deltas, commits and aborts have no id: after the copy
of a line that adds their message, they are copies as long as they repeat earlier lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson

from .exchanges import is_prompt
from .model import Json, Part
from .records import Record, block_of
from .rules import BLOCK_FIELDS, STREAMING, added_ids, own_id
from .view import Step, View, kind_of

_STORAGE = frozenset(("flowId", "parts", *BLOCK_FIELDS))  # fields with a record's parts or their place


def streamed(records: list[Record]) -> int:
    """Return the size of the lines that streamed content before its commit, which depends on timing.

    These lines open a message, add to it, or replace its pending content.
    """
    pending: set[str] = set()
    size = 0
    for record in records:
        type, of = record.data["type"], record.data.get("of")
        if type == "commit":
            pending.discard(str(of))
        elif type in ("open", "delta") or (type == "update" and of in pending):
            size += len(record.raw) + 1
            pending.update([record.data["id"]] if type == "open" else [])
    return size


def undone(records: list[Record], notes: list[str]) -> set[int]:
    """Return the positions of undone records; later reverts are applied first.

    A revert undoes every earlier line with the id in `of`. A repeated revert is part of a copy: it undoes
    the nearest lines, as many as the first one undoes.
    """
    if not [True for record in records if record.data["type"] == "revert"]:
        return set()
    ids = [own_id(record.data) for record in records]
    before: defaultdict[str | None, int] = defaultdict(int)  # lines with each id
    reach: dict[bytes, int] = {}  # number of lines that a revert undoes
    for id, record in zip(ids, records, strict=True):
        if record.data["type"] == "revert":
            reach.setdefault(content(record), before[record.data["of"]])
        before[id] += 1
    dead: set[int] = set()
    last: dict[str | None, int] = {None: len(records)}  # by id: the first of its lines that are undone
    for place in range(len(records) - 1, -1, -1):
        id, record = ids[place], records[place]
        before[id] -= 1
        if id in last and before[id] >= last[id]:
            dead.add(place)
        elif record.data["type"] == "revert":
            of = record.data["of"]
            first = before[of] - reach[content(record)]
            last[of] = min(first, last.get(of, first))
            if not before[of]:
                notes.append(f"revert {id} names nothing earlier: {of}")
    return dead


def repeated_lines(records: list[Record], dead: set[int]) -> set[int]:
    """Return the positions of lines that repeat an earlier live line."""
    counts = Counter(id for record in records for id in added_ids(record.data))
    often = {id for id, count in counts.items() if count > 1}
    repeated: set[int] = set()
    live: set[bytes] = set()  # content of live lines that add such an id
    streamed: Counter[tuple[str, bytes]] = Counter()  # lines streamed into each id, by content
    copies: dict[str, Counter[bytes]] = {}  # by id, the lines that the current copy has repeated
    for place, record in enumerate(records):
        data = record.data
        streams, alive = data["type"] in STREAMING, place not in dead
        ids = often.intersection([data["of"]] if streams else added_ids(data) if alive else [own_id(data)])
        if not ids or record.bare is not None:
            continue
        text = content(record)
        if streams:
            (id,) = ids
            if id in copies and copies[id][text] < streamed[id, text]:
                copies[id][text] += 1
                repeated.add(place)
            else:
                copies.pop(id, None)  # new content ends the copy
                streamed[id, text] += 1
        elif alive and text not in live:
            live.add(text)
            for id in ids:
                copies.pop(id, None)
        else:
            copies |= {id: Counter() for id in ids}
            repeated.update([place] if alive else [])
    return repeated


def content(record: Record) -> bytes:
    """Return a line's content, independent of its spelling and of where its parts are stored."""
    data = record.data
    if data["type"] == "compaction":
        result = {**_content(data), "ops": [_op_content(op) for op in data["ops"]]}
    else:
        result = _content(data, record.blocks)
    return orjson.dumps(result, option=orjson.OPT_SORT_KEYS)


def _content(data: Json, blocks: list[str] | None = None) -> Json:
    """Return a record or an inserted message with block ids instead of parts."""
    result = {key: value for key, value in data.items() if key not in _STORAGE}
    parts = data.get("parts")
    if blocks is None:
        blocks = [block_of(part) for part in parts] if type(parts) is list else data.get("blockIds")
    if blocks is not None:
        result["blockIds"] = blocks
    if data.get("type") in (None, "message", "ref"):
        result |= {"type": "message", "kind": kind_of(data)}
    return result


def _op_content(op: Json) -> Json:
    if op.get("op") == "insert" and isinstance(op.get("message"), dict):
        return {**op, "message": _content(op["message"])}
    part: Part | None = op.get("with")
    if op.get("op") != "replace" or not isinstance(part, dict):
        return op
    return {**{key: op[key] for key in op if key != "with"}, "blockId": block_of(part)}


# -- what `undo` reverts ------------------------------------------------------------------------------


def newest(view: View) -> Step | None:
    """Return the newest live message (except error and info), update, summary, compaction or clear."""
    for step in reversed(view.steps):
        if step.type != "message" or (step.message is not None and step.message.role is not None):
            return step
    return None


def last_turn(view: View) -> list[Step]:
    """Return the steps from the newest real user message on, newest first; empty if there is none."""
    prompt = next((m for m in reversed(view.messages) if is_prompt(m)), None)
    if prompt is None:
        return []
    return [step for step in reversed(view.steps) if step.place >= prompt.place]


def reverts(view: View) -> list[str]:
    """Return the ids of the live reverts."""
    live = (record.data for place, record in enumerate(view.log.records) if place not in view.dead)
    return list(dict.fromkeys(data["id"] for data in live if data["type"] == "revert"))

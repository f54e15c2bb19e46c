"""Which lines of a log count: what was undone does not, nor what says again what an earlier line says.

Two copies of a session that were joined (`cat`, a merge) hold each line of their common beginning twice.
A line with an id of its own tells that by itself. What streams into a message (deltas, commits, aborts)
has none: after a repeated line that brings the message in, it is the copy's as far as it says what was
said before.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import orjson

from .model import Json, Part
from .records import Record, block_of
from .rules import OF_BLOCKS, STREAMING, brought, own_id
from .view import kind_of

_ELSEWHERE = frozenset(("flowId", "parts", *OF_BLOCKS))  # what a record says of where its parts lie


def streamed(records: list[Record]) -> int:
    """How many bytes of a log hold what streams wrote before their commits: it depends on timing.

    These are the lines that open a message, add to it, or replace what is pending of it.
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
    """Places of the records that are as if never written; later reverts decide first.

    A revert takes back every line of the id it names that stands before it. A repeated one stands in a
    copy: it takes back as many, the nearest, as it did at its first place.
    """
    if not [True for record in records if record.data["type"] == "revert"]:
        return set()
    ids = [own_id(record.data) for record in records]
    before: defaultdict[str | None, int] = defaultdict(int)  # lines of each id
    reach: dict[bytes, int] = {}  # how many lines a revert takes back
    for id, record in zip(ids, records, strict=True):
        if record.data["type"] == "revert":
            reach.setdefault(content(record), before[record.data["of"]])
        before[id] += 1
    dead: set[int] = set()
    last: dict[str | None, int] = {None: len(records)}  # of each id: its lines from here on are taken back
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


def repeats(records: list[Record], dead: set[int]) -> set[int]:
    """Places of the lines that say again what an earlier live line says, as a copy does."""
    counts = Counter(id for record in records for id in brought(record.data))
    copies = _Copies({id for id, count in counts.items() if count > 1})
    again = [copies.read(record, live=place not in dead) for place, record in enumerate(records)]
    return {place for place, copied in enumerate(again) if copied}


class _Copies:
    """The lines of a file in their order, each a copy or not."""

    def __init__(self, often: set[str]) -> None:
        self.often = often  # the ids that are brought in more than once
        self.live: set[bytes] = set()  # what the live lines with such an id say
        self.said: Counter[str] = Counter()  # of each id: how many lines brought it in or streamed into it
        self.where: defaultdict[tuple[str, bytes], list[int]] = defaultdict(
            list
        )  # which of these says what
        self.at: dict[str, int] = {}  # where among them the copy that is being read goes on

    def read(self, record: Record, *, live: bool) -> bool:
        """Whether the next line is a copy of an earlier live one."""
        data = record.data
        if data["type"] in STREAMING:
            return data["of"] in self.often and self._copied(data["of"], content(record))
        ids = self.often.intersection(brought(data) if live else [own_id(data)])
        if not ids or record.bare is not None:
            return False
        says = content(record)
        again = live and says in self.live
        for id in ids:
            if live and not again:
                self.at.pop(id, None)  # new, whatever was read before it
            self._copied(id, says, begins=again or not live)
        if live:
            self.live.add(says)
        return again

    def _copied(self, id: str, says: bytes, *, begins: bool = False) -> bool:
        """Whether what a line says of an id was said before: where a copy goes on, or where one begins."""
        from bisect import bisect_left

        where = self.where[id, says]
        goes_on = bisect_left(where, self.at.pop(id, self.said[id]))
        if goes_on == len(where) and not (begins and where):
            where.append(self.said[id])
            self.said[id] += 1
            return False
        self.at[id] = where[goes_on if goes_on < len(where) else 0] + 1
        return True


def content(record: Record) -> bytes:
    """What a line says, equal for lines that differ in spelling or in where their parts lie."""
    data = record.data
    if data["type"] == "compaction":
        said = {**_content(data), "ops": [_op_content(op) for op in data["ops"]]}
    else:
        said = _content(data, record.blocks)
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS)


def _content(data: Json, blocks: list[str] | None = None) -> Json:
    """A record, or an inserted message, with the blocks of its parts for its parts."""
    said = {key: value for key, value in data.items() if key not in _ELSEWHERE}
    parts = data.get("parts")
    if blocks is None:
        blocks = [block_of(part) for part in parts] if type(parts) is list else data.get("blockIds")
    if blocks is not None:
        said["blockIds"] = blocks
    if data.get("type") in (None, "message", "ref"):
        said |= {"type": "message", "kind": kind_of(data)}
    return said


def _op_content(op: Json) -> Json:
    if op.get("op") == "insert" and isinstance(op.get("message"), dict):
        return {**op, "message": _content(op["message"])}
    part: Part | None = op.get("with")
    if op.get("op") != "replace" or not isinstance(part, dict):
        return op
    return {**{key: op[key] for key in op if key != "with"}, "blockId": block_of(part)}

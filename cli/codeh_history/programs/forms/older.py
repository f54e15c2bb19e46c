"""The seeds of this format: arrays of contents, refs-only arrays, and persisted exchanges."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from ...session.depth import too_deep
from ...session.model import AS_REF, WRAPPER, Json
from ...session.records import ELEMENT, Damage, Log, Record, bare_id, check, dumps
from . import history
from .history import FIELDS, Found

_HASH = re.compile("[0-9a-f]{64}")
_NO_MESSAGE: Json = {"type": "message", "id": "?", "role": None, "parts": None}  # of what is no element


def log_of(value: Json | list[Any], size: int) -> Log:
    """The records that an older file stands for, newest form first; damage names the element."""
    found: Iterable[Found]
    if isinstance(value, dict) and isinstance(value.get("refs"), list):
        found = chain(_around(value), _checked(_refs(value["refs"], value), value["refs"], "refs"))
    elif isinstance(value, dict):
        found = history.records(value)
    elif any(map(is_ref, value[:1])):
        found = _checked(_refs(value, {}), value)
    elif any(map(history.is_entry, value)):
        found = history.records({FIELDS[0]: value})
    else:
        found = _checked(_contents(value), value)
    return log_from(found, size)


def history_in(value: object, depth: int = 3) -> Json | None:
    """A history of conversations, or the first one among other settings, as an editor's plugin keeps it."""
    if not isinstance(value, dict) or not depth:
        return None
    if FIELDS[0] in value:
        return value
    inner = (history_in(field, depth - 1) for field in value.values())
    return next((found for found in inner if found is not None), None)


def log_from(found: Iterable[Found], size: int) -> Log:
    """The log of these records; what is wrong with the elements that they are made of is its damage."""
    kept: list[Record] = []
    damage: list[Damage] = []
    for data, reason in found:
        kept.append(Record(data, dumps(data), 0))
        if reason:
            damage.append(Damage(ELEMENT, 0, reason))
    return Log(kept, damage, size)


def _checked(records: Iterable[Json], items: list[Any], name: str = "") -> Iterator[Found]:
    """The record of each element, or the line that keeps it."""
    for number, (data, item) in enumerate(zip(records, items, strict=True)):
        reason = _wrong(data)
        yield history.unread(f"{name}[{number}]", item, reason) if reason else (data, None)


def shallow(value: Any) -> Any:
    """The value with null for each element that nests too deep."""
    if not too_deep(value):
        return value
    if isinstance(value, dict):
        return {key: shallow(item) if isinstance(item, list) else item for key, item in value.items()}
    return [None if too_deep(item) else item for item in value]


def _wrong(data: Json) -> str | None:
    if data.get("type") == "message" and not isinstance(data.get("parts"), list):
        return "no `parts`"
    return check(data)


def _contents(items: list[Any]) -> list[Json]:
    """An array of `{role, parts}`."""
    return [
        {"type": "message", "id": id, **_with_parts(item)} if isinstance(item, dict) else _NO_MESSAGE
        for item, id in zip(items, bare_ids(items), strict=True)
    ]


def bare_ids(items: Iterable[Any]) -> Iterator[str]:
    """The id of each as a bare line would have it: by content and occurrence."""
    seen: Counter[bytes] = Counter()
    for item in items:
        raw = dumps(item)
        yield bare_id(raw, seen[raw])
        seen[raw] += 1


def _with_parts(item: Json) -> Json:
    """A content; `{role, content}` of the very first files becomes one."""
    if "parts" in item or not isinstance(item.get("content"), str):
        return item
    rest = {key: value for key, value in item.items() if key != "content"}
    role = "model" if item.get("role") == "assistant" else item.get("role")
    return {**rest, "role": role, "parts": [{"text": item["content"]}]}


def is_ref(item: object) -> bool:
    """Whether an element names the blocks of its parts."""
    return isinstance(item, dict) and _block_ids(item) is not None


def _block_ids(item: Json) -> list[str] | None:
    for name in ("blockIds", "blockKeys"):
        if isinstance(item.get(name), list):
            return [str(block) for block in item[name]]
    return None


def _refs(items: list[Any], wrapper: Json) -> list[Json]:
    return [_ref(item, number, wrapper) for number, item in enumerate(items)]


def _around(wrapper: Json) -> Iterator[Found]:
    """The setting that gives a wrapper back."""
    yield {"type": "meta", "set": {WRAPPER: {**wrapper, "refs": []}}}, None


def _ref(item: Any, number: int, wrapper: Json) -> Json:
    blocks = _block_ids(item) if isinstance(item, dict) else None
    if blocks is None:
        return _NO_MESSAGE
    kind, role = ("codeh", "model") if item.get("role") in ("model", "assistant") else ("user", "user")
    where = {"workspaceId": wrapper["workspaceId"]} if "workspaceId" in wrapper else {}  # of the blocks
    return {
        "type": "ref", "id": bare_id(dumps(item), number), "kind": kind, "role": role, "blockIds": blocks,
        "flowId": item.get("flowId", wrapper.get("flowId")), **where,
        **({} if _is_ours(item, blocks, role) else {AS_REF: {"ref": item}}),
    }  # fmt: skip


def _is_ours(item: Json, blocks: list[str], role: str) -> bool:
    """Whether an element is as we would write it."""
    ours = {"flowId": item.get("flowId"), "blockIds": blocks, "role": role}
    return item == ours and all(map(_HASH.fullmatch, blocks))

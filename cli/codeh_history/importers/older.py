"""The seeds of this format: arrays of contents, refs-only arrays, and persisted exchanges."""

from __future__ import annotations

from typing import Any

from ..model import Json
from ..records import Damage, Log, Record, bare_id, check_message, dumps, too_deep


def log_of(value: Json | list[Any], size: int) -> Log:
    """The records that an older file stands for, newest form first; damage names the element."""
    value = _shallow(value)
    if isinstance(value, dict):
        items = value.get("refs")
        records = _refs(items, value) if isinstance(items, list) else _persisted(value)
    elif value and is_ref(value[0]):
        records = _refs(value, {})
    else:
        records = _contents(value)
    kept: list[Record] = []
    damage: list[Damage] = []
    for number, data in enumerate(records):
        reason = _wrong(data)
        if reason:
            damage.append(Damage(number + 1, 0, f"element {number}: {reason}"))
        else:
            kept.append(Record(data, dumps(data), 0))
    return Log(kept, damage, size)


def _shallow(value: Any) -> Any:
    """The value with null for each element that nests too deep."""
    if not too_deep(value):
        return value
    if isinstance(value, dict):
        return {key: _shallow(item) if isinstance(item, list) else item for key, item in value.items()}
    return [None if too_deep(item) else item for item in value]


def _wrong(data: Json) -> str | None:
    if data.get("type") in ("message", "ref"):
        if data["type"] == "message" and not isinstance(data.get("parts"), list):
            return "no `parts`"
        return check_message(data)
    return None


def _contents(items: list[Any]) -> list[Json]:
    """An array of `{role, parts}`; ids as for bare lines, by content and occurrence."""
    seen: dict[bytes, int] = {}
    records: list[Json] = []
    for item in items:
        if not isinstance(item, dict):
            records.append({"type": "message", "id": "?", "role": None, "parts": None})
            continue
        raw = dumps(item)
        seen[raw] = seen.get(raw, -1) + 1
        records.append({"type": "message", "id": bare_id(raw, seen[raw]), **_with_parts(item)})
    return records


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
    flow = wrapper.get("flowId")
    records: list[Json] = []
    for number, item in enumerate(items):
        blocks = _block_ids(item) if isinstance(item, dict) else None
        if blocks is None:
            records.append({"type": "message", "id": "?", "role": None, "parts": None})
            continue
        role = "model" if item.get("role") in ("model", "assistant") else "user"
        kind = "codeh" if role == "model" else "user"
        id = bare_id(dumps(item), number)
        flow_id = item.get("flowId", flow)
        records.append(
            {"type": "ref", "id": id, "kind": kind, "role": role, "blockIds": blocks, "flowId": flow_id}
        )
    return records


def exchange(entry: Json, occurrence: int = 0) -> list[Json]:
    """A HistoryEntry as its two messages, the model's with the names of the tools it used.

    `occurrence` counts the equal entries before it: the id of one without an id hangs on it.
    """
    id, ts = str(entry.get("id") or bare_id(dumps(entry), occurrence)), entry.get("timestamp")
    common: Json = {"ts": ts}
    if entry.get("source"):
        common["source"] = entry["source"]
    user: Json = {
        "type": "message", "id": id, **common, "kind": "user", "role": "user",
        "parts": [{"text": str(entry.get("userMessage") or "")}],
    }  # fmt: skip
    model: Json = {
        "type": "message", "id": f"{id}-answer", **common, "kind": "codeh", "role": "model",
        "parts": [{"text": str(entry.get("assistantResponse") or "")}],
    }  # fmt: skip
    if isinstance(entry.get("toolsUsed"), list) and entry["toolsUsed"]:
        model["toolsUsed"] = entry["toolsUsed"]
    return [user, model]


def _persisted(value: Json) -> list[Json]:
    """`{recentConversations, summaries, lastSummarized}`: summaries first, then the exchanges."""
    records: list[Json] = []
    made: list[str] = []
    for number, summary in enumerate(value.get("summaries") or ()):
        if isinstance(summary, dict) and isinstance(summary.get("summary"), str):
            id = str(summary.get("id") or bare_id(dumps(summary), number))
            records.append({"type": "summary", "covers": [], **summary, "id": id})
            made.append(str(summary.get("createdAt")))
    last = value.get("lastSummarized")
    if isinstance(last, str) and last and last not in made:
        records.append({"type": "meta", "set": {"lastSummarized": last}})
    seen: dict[bytes, int] = {}
    for entry in value.get("recentConversations") or ():
        if isinstance(entry, dict):
            raw = dumps(entry)
            seen[raw] = seen.get(raw, -1) + 1
            records += exchange(entry, seen[raw])
    return records

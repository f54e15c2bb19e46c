"""Read earlier forms of sessions: lines, arrays of contents, arrays of references."""

from __future__ import annotations

import re
from itertools import count
from typing import Any

from ...base.errors import BadData
from ...session.model import AS_REF, PLACING, RULES, WRAPPER, Json
from ...session.records import Log, bare_id, check, dumps, parse
from . import requests
from .elements import Outcome, meta, outcomes, readable

_HASH = re.compile("[0-9a-f]{64}")
_SNAKE = re.compile(
    rb'"(?:function_(?:call|response)|(?:inline|file)_data|thought_signature|executable_code|mime_type|file_uri)"\s*:'
)


def session(data: bytes) -> Log | None:
    """Parse the lines of one of our sessions; None for anything else.

    A damaged file without a readable message may be another program's that uses the same types.
    """
    log = parse(data)
    types = {record.data["type"] for record in log.records}
    return log if is_ours(log, data) and (not log.damage or types & PLACING) else None


def is_ours(log: Log, data: bytes) -> bool:
    """Whether these lines are ours: records, or bare messages without features of Gemini's API only."""
    first = next((record for record in log.records if record.data["type"] in RULES), None)
    if first is None or first.bare is None or not (log.damage or _SNAKE.search(data)):
        return first is not None
    contents = [{key: record.data.get(key) for key in ("role", "parts")} for record in log.records]
    ours = any(record.bare is None for record in log.records)
    return ours or requests.format_shown_by(contents) != "gemini"


def contents(value: Any) -> list[Outcome] | None:
    """Read an array of `{role, parts}` (or `{role, content}`); None if no element can be read."""

    def read(item: Any, id: str) -> list[Outcome]:
        if not isinstance(item, dict):
            raise BadData("no `parts`")
        if "parts" not in item and isinstance(item.get("content"), str):  # the oldest files
            rest = {key: value for key, value in item.items() if key != "content"}
            role = "model" if item.get("role") == "assistant" else item.get("role")
            item = {**rest, "role": role, "parts": [{"text": item["content"]}]}
        return _checked({"type": "message", "id": id, **item})

    is_list = isinstance(value, list) and not any(map(is_ref, value[:1]))
    return readable(outcomes(value, read)) if is_list else None


def refs(value: Any) -> list[Outcome] | None:
    """Read an array of `{flowId, blockIds, role}`, or `{"type":"llm2","refs":[…]}` around one."""
    wrapper = value if isinstance(value, dict) else {}
    items = wrapper.get("refs") if wrapper else value
    if not isinstance(items, list) or not any(map(is_ref, items[:1])):
        return None
    number = count()
    where = {"workspaceId": wrapper["workspaceId"]} if "workspaceId" in wrapper else {}  # of the blocks

    def read(item: Any, _: str) -> list[Outcome]:
        place, blocks = next(number), _block_ids(item) if isinstance(item, dict) else None
        if blocks is None:
            return _checked({})
        model = item.get("role") in ("model", "assistant")
        kind, role = ("codeh", "model") if model else ("user", "user")
        ours = {"flowId": item.get("flowId"), "blockIds": blocks, "role": role}
        as_ours = item == ours and all(map(_HASH.fullmatch, blocks))
        return _checked({
            "type": "ref", "id": bare_id(dumps(item), place), "kind": kind, "role": role,
            "blockIds": blocks, "flowId": item.get("flowId", wrapper.get("flowId")), **where,
            **({} if as_ours else {AS_REF: {"ref": item}}),
        })  # fmt: skip

    envelope = {**wrapper, "refs": []} if wrapper else None  # restores the wrapper
    return [*meta(**{WRAPPER: envelope}), *outcomes(items, read, "refs" if wrapper else "")]


def _checked(record: Json) -> list[Outcome]:
    """Return a record as an outcome; raise BadData if it is invalid."""
    without_parts = record.get("type") != "ref" and not isinstance(record.get("parts"), list)
    if reason := "no `parts`" if without_parts else check(record):
        raise BadData(reason)
    return [(record, None)]


def is_ref(item: object) -> bool:
    """Whether an element refers to the blocks of its parts."""
    return isinstance(item, dict) and _block_ids(item) is not None


def _block_ids(item: Json) -> list[str] | None:
    lists = (item[name] for name in ("blockIds", "blockKeys") if isinstance(item.get(name), list))
    blocks = next(lists, None)
    return None if blocks is None else [str(block) for block in blocks]

"""Blocks of the toolkit whose histories are kept by reference: its content blocks as parts."""

from __future__ import annotations

from typing import Any

from ...base.read_json import json_object, json_value
from ...session.by_reference import part_in
from ...session.model import Json, Part
from ...session.records import dumps

KINDS = {"text", "inlineData", "fileData", "functionCall", "functionResponse", "native"}


def part(data: bytes) -> Part | None:
    """The part that such a block holds, in its shape or in ours; None where it holds none."""
    value = json_object(data)
    if value is None:
        return None
    for name, read in (("toolUse", _call), ("toolResult", _result)):
        if isinstance(value.get(name), dict):
            made = read(value[name])
            return part_in(dumps(made)) if made is not None else None
    if value.get("type") == "text" and isinstance(value.get("text"), str):
        return {"text": value["text"]}
    return part_in(data) if value.keys() & KINDS else None


def _call(value: Json) -> Json | None:
    args: Any = value.get("arguments", {})
    if isinstance(args, str):
        args = json_value(args or "{}")
    if not isinstance(args, dict):
        return None
    return {"functionCall": {**_id(value.get("id")), "name": value.get("name"), "args": args}}


def _result(value: Json) -> Json:
    text = value.get("text")
    if not isinstance(text, str):
        inner = value.get("content") or ()
        text = "".join(str(b.get("text") or "") for b in inner if isinstance(b, dict))
    response = {"error" if value.get("isError") else "output": text}
    id = _id(value.get("toolCallId"))
    return {"functionResponse": {**id, "name": value.get("name") or "tool", "response": response}}


def _id(value: object) -> Json:
    return {"id": value} if isinstance(value, str) and value else {}

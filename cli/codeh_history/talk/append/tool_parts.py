"""Tool calls and their results as parts, from what `append` is given and from what a tool printed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from ...base.errors import BadData
from ...base.read_json import json_object, parse_json
from ...session.model import Json, Part
from ...session.pairing import failed_call
from ...session.records import MAX_DEPTH, depth_exceeds


def unmatched(names: Sequence[str], args: Sequence[str], ids: Sequence[str]) -> str:
    """Why calls do not match their arguments and ids, by order: all have them or none; "" where they do."""
    many = len(names) or 1
    for option, values in (("--args", args), ("--call-id", ids)):
        if len(values) not in (0, many):
            which = f"{many} call{'s' if many > 1 else ''}" if names else "1 result"
            return f"{option}: {len(values)} for {which}: one for each in their order, or none"
    named = [id for id in ids if id]
    return "--call-id: one id for two calls" if len(set(named)) < len(named) else ""


def calls(names: Sequence[str], args: Sequence[str], ids: Sequence[str]) -> list[Part]:
    """The calls in their order."""
    parts: list[Part] = []
    for name, text, id in zip_longest(names, args, ids):
        value = parse_json(text, "--args") if text is not None else {}
        if not isinstance(value, dict):
            raise BadData("--args: a JSON object expected")
        parts.append({"functionCall": {**_id(id), "name": name, "args": value}})
    return parts


def _id(id: str | None) -> Json:
    return {"id": id} if id else {}


def result(name: str, ids: Sequence[str], text: str, *, failed: bool) -> Part:
    """A JSON object as it is, anything else under `output`; a failure as the sentence models know."""
    error = {"error": failed_call(name, text)}
    response = error if failed else response_of(text)
    return {"functionResponse": {**_id(next(iter(ids), None)), "name": name, "response": response}}


def response_of(text: str) -> Json:
    """What a tool printed, as a functionResponse's `response`."""
    if text.lstrip()[:1] == "{":
        value = json_object(text)
        if value is not None and not depth_exceeds(text.encode(), MAX_DEPTH - 5):
            return value  # it stands some levels down
    return {"output": text}

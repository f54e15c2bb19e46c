"""Normalise token usage: `{input, output, cached, cacheWrite, reasoning, total, raw}`.

`input` includes cache reads and writes, `output` includes reasoning. Counts that the provider does not
report are omitted; `raw` is its own object.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..session.model import Json
from .parts import object_of, objects

COUNTS = ("input", "cached", "cacheWrite", "output", "reasoning")
_SIDES = {  # fields with counts by kind: `prompt_tokens_details.audio_tokens`, a list with `modality`, …
    "prompt_tokens_details": "input", "input_tokens_details": "input", "promptTokensDetails": "input",
    "completion_tokens_details": "output", "output_tokens_details": "output",
    "candidatesTokensDetails": "output", "cacheTokensDetails": "cached",
}  # fmt: skip
_KINDS = ("Audio", "Image")
_MOST = 2**53  # JSON readers represent smaller integers exactly


def merged(before: Json | None, after: object) -> Json | None:
    """Merge usage that a stream reports repeatedly: the last non-null value of each field."""
    if not isinstance(after, dict):
        return before
    return {**(before or {}), **{key: value for key, value in after.items() if value is not None}}


def read(raw: Json | None, paths: Mapping[str, str]) -> Json | None:
    """The normalised counts of a provider's usage object, with that as `raw`; None if it is empty.

    `paths`: the fields whose sum is the count, separated by spaces; a dot leads into an object.
    """
    if not raw:
        return None
    result: Json = {}
    for name, fields in paths.items():
        counts = [value for field in fields.split() if (value := count(raw, *field.split("."))) is not None]
        if counts:
            result[name] = sum(counts)
    return {**result, "raw": raw}


def count(raw: object, *path: str) -> int | None:
    """The count at a path; None if it is not a count that a record can hold."""
    for key in path:
        if type(raw) is not dict:
            return None
        raw = raw.get(key)
    return raw if type(raw) is int and 0 <= raw < _MOST else None


def billed(usage: Json) -> Json:
    """The counts that have a price, by the names in the price table; some come from `raw`."""
    raw = object_of(usage.get("raw"))
    counts: Json = {name: count(usage, name) for name in COUNTS}
    if "cache_creation" in raw:
        counts["cacheWrite1h"] = count(raw, "cache_creation", "ephemeral_1h_input_tokens")
    if "server_tool_use" in raw:
        counts["webSearches"] = count(raw, "server_tool_use", "web_search_requests")
    for field in _SIDES.keys() & raw.keys():
        for kind in _KINDS:  # in an object or in a list
            named = next((item for item in objects(raw[field]) if item.get("modality") == kind.upper()), {})
            tokens = count(raw[field], f"{kind.lower()}_tokens")
            counts[f"{_SIDES[field]}{kind}"] = count(named, "tokenCount") if tokens is None else tokens
    for name in ("speed", "service_tier"):
        if isinstance(raw.get(name), str) and raw[name] != "standard":
            counts[name] = raw[name]
    if counts.get("service_tier") == "batch":
        counts["processing"] = "batch"
    return {name: value for name, value in counts.items() if value}

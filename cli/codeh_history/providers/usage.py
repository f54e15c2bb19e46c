"""Token usage in one form: `{input, output, cached, cacheWrite, reasoning, total, raw}`.

`input` includes what was read from and written to the cache, `output` includes reasoning; what the
provider does not say is left out; `raw` is its own object.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..session.model import Json

COUNTS = ("input", "cached", "cacheWrite", "output", "reasoning")
_SIDES = {  # where a provider counts kinds: `prompt_tokens_details.audio_tokens`, a list of `modality`, …
    "prompt_tokens_details": "input", "input_tokens_details": "input", "promptTokensDetails": "input",
    "completion_tokens_details": "output", "output_tokens_details": "output",
    "candidatesTokensDetails": "output", "cacheTokensDetails": "cached",
}  # fmt: skip
_KINDS = ("Audio", "Image")
_MOST = 2**53  # what JSON readers count exactly


def merged(before: Json | None, after: object) -> Json | None:
    """Usage that a stream reports again and again: of each field the last value that is not null."""
    if not isinstance(after, dict):
        return before
    return {**(before or {}), **{key: value for key, value in after.items() if value is not None}}


def normalised(raw: Json | None, **counts: int | None) -> Json | None:
    """The counts that are known, and under `raw` what they were read from."""
    if not raw:
        return None
    return {**{name: count for name, count in counts.items() if count is not None}, "raw": raw}


def detailed(raw: Json | None, input: str, output: str) -> Json | None:
    """Counts of these names, each with details beside it: as OpenAI gives them."""
    return normalised(
        raw,
        input=count(raw, input),
        output=count(raw, output),
        cached=count(raw, f"{input}_details", "cached_tokens"),
        cacheWrite=count(raw, f"{input}_details", "cache_write_tokens"),
        reasoning=count(raw, f"{output}_details", "reasoning_tokens"),
        total=count(raw, "total_tokens"),
    )


def count(raw: object, *path: str) -> int | None:
    """A count, or None where there is none that a record can hold."""
    for key in path:
        if type(raw) is not dict:
            return None
        raw = raw.get(key)
    return raw if type(raw) is int and 0 <= raw < _MOST else None


def named(raw: Json | None, names: Mapping[str, str]) -> dict[str, int]:
    """The counts that are there of these names of theirs, by ours."""
    found = [(ours, raw.get(theirs)) for ours, theirs in names.items()] if type(raw) is dict else []
    return {ours: count for ours, count in found if type(count) is int and 0 <= count < _MOST}


def added(raw: Json | None, first: str, *more: str) -> int | None:
    """The sum of the counts that are there; None when there is none."""
    counts = [found for key in (first, *more) if (found := count(raw, key)) is not None]
    return sum(counts) if counts else None


def billed(usage: Json) -> Json:
    """The counts of a usage, and what of its `raw` has a price of its own, by the names of prices."""
    raw = usage.get("raw")
    raw = raw if isinstance(raw, dict) else {}
    found: Json = {name: count(usage, name) for name in COUNTS}
    if "cache_creation" in raw:
        found["cacheWrite1h"] = count(raw, "cache_creation", "ephemeral_1h_input_tokens")
    if "server_tool_use" in raw:
        found["webSearches"] = count(raw, "server_tool_use", "web_search_requests")
    for field in _SIDES.keys() & raw.keys():
        found |= {f"{_SIDES[field]}{kind}": _of_kind(raw[field], kind) for kind in _KINDS}
    for name in ("speed", "service_tier"):
        if isinstance(raw.get(name), str) and raw[name] != "standard":
            found[name] = raw[name]
    if found.get("service_tier") == "batch":
        found["processing"] = "batch"
    return {name: value for name, value in found.items() if value}


def _of_kind(details: object, kind: str) -> int | None:
    """The tokens of a kind in a provider's details, which are an object or a list."""
    if not isinstance(details, list):
        return count(details, f"{kind.lower()}_tokens")
    named = (one for one in details if isinstance(one, dict) and one.get("modality") == kind.upper())
    return count(next(named, None), "tokenCount")

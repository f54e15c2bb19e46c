"""Token usage in one form: `{input, output, cached, cacheWrite, reasoning, total, raw}`.

`input` includes what was read from and written to the cache, `output` includes reasoning; what the
provider does not say is left out; `raw` is its own object.
"""

from __future__ import annotations

from ..session.model import Json


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
        raw = raw.get(key) if isinstance(raw, dict) else None
    return raw if type(raw) is int and 0 <= raw < 2**53 else None


def added(raw: Json | None, first: str, *more: str) -> int | None:
    """The sum of the counts that are there; None when there is none."""
    counts = [found for key in (first, *more) if (found := count(raw, key)) is not None]
    return sum(counts) if counts else None

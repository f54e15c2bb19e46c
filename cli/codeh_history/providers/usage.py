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


def gemini(raw: Json | None) -> Json | None:
    """`usageMetadata`: the candidates' count leaves thoughts out, the prompt's leaves tool prompts out."""
    return _usage(
        raw,
        input=_sum(raw, "promptTokenCount", "toolUsePromptTokenCount"),
        output=_sum(raw, "candidatesTokenCount", "thoughtsTokenCount"),
        cached=_count(raw, "cachedContentTokenCount"),
        reasoning=_count(raw, "thoughtsTokenCount"),
        total=_count(raw, "totalTokenCount"),
    )


def openai_chat(raw: Json | None) -> Json | None:
    return _openai(raw, "prompt_tokens", "completion_tokens")


def openai_responses(raw: Json | None) -> Json | None:
    return _openai(raw, "input_tokens", "output_tokens")


def _openai(raw: Json | None, input: str, output: str) -> Json | None:
    return _usage(
        raw,
        input=_count(raw, input),
        output=_count(raw, output),
        cached=_count(raw, f"{input}_details", "cached_tokens"),
        cacheWrite=_count(raw, f"{input}_details", "cache_write_tokens"),
        reasoning=_count(raw, f"{output}_details", "reasoning_tokens"),
        total=_count(raw, "total_tokens"),
    )


def anthropic(raw: Json | None) -> Json | None:
    """`input_tokens` leaves out both what the cache gave and what was written to it."""
    return _usage(
        raw,
        input=_sum(raw, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
        output=_count(raw, "output_tokens"),
        cached=_count(raw, "cache_read_input_tokens"),
        cacheWrite=_count(raw, "cache_creation_input_tokens"),
        reasoning=_count(raw, "output_tokens_details", "thinking_tokens"),
    )


def _usage(raw: Json | None, **counts: int | None) -> Json | None:
    if not raw:
        return None
    return {**{name: count for name, count in counts.items() if count is not None}, "raw": raw}


def _count(raw: object, *path: str) -> int | None:
    for key in path:
        raw = raw.get(key) if isinstance(raw, dict) else None
    return raw if isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw < 2**53 else None


def _sum(raw: Json | None, first: str, *more: str) -> int | None:
    """The sum of the counts that are there; None when there is none."""
    counts = [count for key in (first, *more) if (count := _count(raw, key)) is not None]
    return sum(counts) if counts else None

"""Usage in one form: counts that are counts, what a stream says again and again, and what has a price of its own."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.providers import usage


@pytest.mark.parametrize(("raw", "path", "found"), [
    ({"a": 7}, ("a",), 7), ({"a": 0}, ("a",), 0), ({"a": {"b": 7}}, ("a", "b"), 7), ({"a": 7}, ("a", "b"), None),
    ({"a": -1}, ("a",), None), ({"a": True}, ("a",), None), ({"a": 1.0}, ("a",), None), ({"a": "7"}, ("a",), None),
    ({"a": 2**53}, ("a",), None), ({"a": 2**53 - 1}, ("a",), 2**53 - 1), (None, ("a",), None), ([7], (0,), None),
    ({}, ("a",), None), (7, (), 7),
])  # fmt: skip
def test_a_count_is_a_number_that_json_counts_exactly(raw: Any, path: Any, found: int | None) -> None:
    assert usage.count(raw, *path) == found


@pytest.mark.parametrize(("before", "after", "found"), [
    (None, {"a": 1}, {"a": 1}), ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}), ({"a": 1}, {"a": None}, {"a": 1}),
    ({"a": 1}, {"a": 2}, {"a": 2}), ({"a": 1}, None, {"a": 1}), ({"a": 1}, "x", {"a": 1}), (None, None, None),
])  # fmt: skip
def test_what_a_stream_says_last_counts(before: Any, after: Any, found: Any) -> None:
    assert usage.merged(before, after) == found


def test_only_what_is_known_stands_beside_what_was_said() -> None:
    assert usage.normalised({"x": 1}, input=1, output=None) == {"input": 1, "raw": {"x": 1}}
    assert usage.normalised({}, input=1) is None
    assert usage.normalised(None, input=1) is None


def test_counts_with_details_are_read_by_their_names() -> None:
    raw = {
        "in": 10, "out": 5, "total_tokens": 15, "out_details": {"reasoning_tokens": 2},
        "in_details": {"cached_tokens": 3, "cache_write_tokens": 4},
    }  # fmt: skip
    assert usage.detailed(raw, "in", "out") == {
        "input": 10, "output": 5, "cached": 3, "cacheWrite": 4, "reasoning": 2, "total": 15, "raw": raw,
    }  # fmt: skip


def test_names_of_theirs_become_ours_and_what_is_there_is_added_up() -> None:
    raw = {"a": 1, "b": 2, "c": "3"}
    assert usage.named(raw, {"x": "a", "y": "c", "z": "d"}) == {"x": 1}
    assert usage.named(None, {"x": "a"}) == {}
    assert usage.added(raw, "a", "b", "c", "d") == 3
    assert usage.added(raw, "c", "d") is None


@pytest.mark.parametrize(("raw", "found"), [
    ({"cache_creation": {"ephemeral_1h_input_tokens": 3}}, {"cacheWrite1h": 3}),
    ({"server_tool_use": {"web_search_requests": 2}}, {"webSearches": 2}),
    ({"prompt_tokens_details": {"audio_tokens": 4, "image_tokens": 0}}, {"inputAudio": 4}),
    ({"candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 5}, {"modality": "TEXT", "tokenCount": 9}]},
     {"outputImage": 5}),
    ({"service_tier": "batch"}, {"service_tier": "batch", "processing": "batch"}), ({"service_tier": "standard"}, {}),
    ({"speed": "fast"}, {"speed": "fast"}), ({"speed": 7}, {}), ("x", {}), (None, {}),
])  # fmt: skip
def test_what_has_a_price_of_its_own_is_told(raw: Any, found: Any) -> None:
    given = {"input": 1, "output": 0, "raw": raw}
    assert usage.billed(given) == {"input": 1, **found}

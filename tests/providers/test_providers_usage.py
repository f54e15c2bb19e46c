"""Usage in one form: counts that are counts, what a stream says again and again, and what has a price of its own."""

import pytest

from codeh_history.providers import usage


@pytest.mark.parametrize(("raw", "path", "found"), [
    ({"a": 7}, ("a",), 7), ({"a": 0}, ("a",), 0), ({"a": {"b": 7}}, ("a", "b"), 7), ({"a": 7}, ("a", "b"), None),
    ({"a": -1}, ("a",), None), ({"a": True}, ("a",), None), ({"a": 1.0}, ("a",), None), ({"a": "7"}, ("a",), None),
    ({"a": 2**53}, ("a",), None), ({"a": 2**53 - 1}, ("a",), 2**53 - 1), (None, ("a",), None), ([7], (0,), None),
    ({}, ("a",), None), (7, (), 7),
])  # fmt: skip
def test_a_count_is_a_number_that_json_counts_exactly(raw, path, found):
    assert usage.count(raw, *path) == found


@pytest.mark.parametrize(("before", "after", "found"), [
    (None, {"a": 1}, {"a": 1}), ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}), ({"a": 1}, {"a": None}, {"a": 1}),
    ({"a": 1}, {"a": 2}, {"a": 2}), ({"a": 1}, None, {"a": 1}), ({"a": 1}, "x", {"a": 1}), (None, None, None),
])  # fmt: skip
def test_what_a_stream_says_last_counts(before, after, found):
    assert usage.merged(before, after) == found


def test_only_what_is_known_stands_beside_what_was_said():
    assert usage.read({"x": 1}, {"input": "x", "output": "y"}) == {"input": 1, "raw": {"x": 1}}
    assert usage.read({}, {"input": "x"}) is None
    assert usage.read(None, {"input": "x"}) is None


def test_a_path_leads_into_objects_and_what_is_there_is_added_up():
    raw = {"a": 1, "b": 2, "c": "3", "in": {"d": 4}}
    paths = {"input": "a b c nowhere", "cached": "in.d", "output": "c", "total": "a.b"}
    assert usage.read(raw, paths) == {"input": 3, "cached": 4, "raw": raw}


@pytest.mark.parametrize(("raw", "found"), [
    ({"cache_creation": {"ephemeral_1h_input_tokens": 3}}, {"cacheWrite1h": 3}),
    ({"server_tool_use": {"web_search_requests": 2}}, {"webSearches": 2}),
    ({"prompt_tokens_details": {"audio_tokens": 4, "image_tokens": 0}}, {"inputAudio": 4}),
    ({"candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 5}, {"modality": "TEXT", "tokenCount": 9}]},
     {"outputImage": 5}),
    ({"service_tier": "batch"}, {"service_tier": "batch", "processing": "batch"}), ({"service_tier": "standard"}, {}),
    ({"speed": "fast"}, {"speed": "fast"}), ({"speed": 7}, {}), ("x", {}), (None, {}),
])  # fmt: skip
def test_what_has_a_price_of_its_own_is_told(raw, found):
    given = {"input": 1, "output": 0, "raw": raw}
    assert usage.billed(given) == {"input": 1, **found}

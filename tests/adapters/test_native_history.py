"""What adapters share: values and transcripts come back as they were given, and calls run in their own threads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import Session
from codeh_history.adapters.claude_agent_sdk import entries_in, escaped, line_of, unescaped
from codeh_history.adapters.native_history import NativeHistory, exact_json
from codeh_history.base.errors import BadData
from strategies import json_objects, json_values


@given(json_values)
def test_values_are_stored_exactly_or_refused(value):
    assert exact_json(value, "p") == value


@pytest.mark.parametrize("value", [2**70, float("nan"), {"a": [10**30]}, {1, 2}, object(), b"x"])
def test_values_that_do_not_round_trip_are_refused(value):
    with pytest.raises(BadData, match=r"^p: "):
        exact_json(value, "p")


def render(messages, summaries):
    return [("rendered", part["text"]) for message in messages for part in message.parts] + [
        ("summary", text) for text in summaries
    ]


@pytest.fixture
def kept(home):
    return NativeHistory("p", Session.open("s", create=True, home=str(home)), render)


def prompt(text):
    return {"role": "user", "parts": [{"text": text}]}


def test_changed_message_is_rendered_from_its_parts(kept):
    first, _ = kept.add([({"v": 1}, prompt("one")), ({"v": 2}, prompt("two"))])
    kept.session.update(first, "edited")
    assert kept.values() == [("rendered", "edited"), {"v": 2}]


def test_values_of_another_package_are_ignored(kept):
    NativeHistory("other", kept.session, render).add([({"v": 1}, prompt("one"))])
    assert kept.values() == [("rendered", "one")]


NAMES = st.text(st.sampled_from("a./%\0-E2") | st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    [".jsonl", "x.jsonl", "..", ".", "", "%", "%2E", "x%2Ejsonl", "a/../b"]
)  # fmt: skip


@given(NAMES, NAMES)
def test_names_map_to_unique_path_components(name, other):
    safe = escaped(name)
    assert unescaped(safe) == name
    assert safe not in ("", ".", "..")
    assert "/" not in safe
    assert "\0" not in safe
    assert not safe.startswith(".")
    assert not safe.endswith(".jsonl")
    assert (safe == escaped(other)) == (name == other)


@given(st.lists(json_objects, max_size=5))
def test_entries_round_trip(entries):
    data = b"".join(map(line_of, entries))
    assert list(entries_in(data, "f")) == entries


def test_damaged_line_is_skipped_and_reported(caplog):
    data = b'{"a":1}\n{torn\n\n[2]\n{"b":2}'
    assert list(entries_in(data, "f")) == [{"a": 1}, {"b": 2}]
    assert caplog.messages == ["f: line 2: no entry; skipped", "f: line 4: no entry; skipped"]

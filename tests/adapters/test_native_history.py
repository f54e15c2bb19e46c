"""What adapters share: values and transcripts come back as they were given, and calls run in their own threads."""

import asyncio
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history import Session
from codeh_history.adapters.claude_agent_sdk import (
    SessionStore,
    append,
    entries_in,
    escaped,
    line_of,
    read,
    unescaped,
)
from codeh_history.adapters.native_history import NativeHistory, SerialExecutor, exact_json
from codeh_history.base.errors import BadData
from strategies import json_objects, json_values


@given(json_values)
def test_a_value_is_kept_exactly_or_refused(value):
    assert exact_json(value, "p") == value


@pytest.mark.parametrize("value", [2**70, float("nan"), {"a": [10**30]}, {1, 2}, object(), b"x"])
def test_what_a_session_would_not_give_back_is_refused(value):
    with pytest.raises(BadData, match=r"^p: "):
        exact_json(value, "p")


def render(messages, summaries):
    return [("rendered", part["text"]) for message in messages for part in message.parts] + [
        ("summary", text) for text in summaries
    ]


@pytest.fixture
def kept(home):
    return NativeHistory("p", Session.open("s", create=True, home=str(home)), render)


def said(text):
    return {"role": "user", "parts": [{"text": text}]}


def test_values_come_back_and_what_others_say_is_rendered_in_its_place(kept):
    kept.add([({"v": 1}, said("one"))])
    kept.session.append("theirs")
    kept.add([({"v": 2}, said("two")), ({"v": 3}, said("three"))])
    assert kept.values() == [{"v": 1}, ("rendered", "theirs"), {"v": 2}, {"v": 3}]


def test_a_message_that_was_changed_is_rendered_anew(kept):
    first, _ = kept.add([({"v": 1}, said("one")), ({"v": 2}, said("two"))])
    kept.session.update(first, "edited")
    assert kept.values() == [("rendered", "edited"), {"v": 2}]


def test_the_values_of_another_package_are_not_its(kept):
    NativeHistory("other", kept.session, render).add([({"v": 1}, said("one"))])
    assert kept.values() == [("rendered", "one")]


def test_what_is_taken_back_and_cleared_can_be_undone(kept):
    kept.clear()
    assert kept.pop() == []
    kept.add([({"v": 1}, said("one"))])
    kept.session.append("theirs")
    assert kept.pop() == [("rendered", "theirs")]
    assert kept.pop() == [{"v": 1}]
    assert kept.pop() == []
    kept.add([({"v": 2}, said("two"))])
    kept.clear()
    assert kept.values() == []
    kept.session.undo()
    assert kept.values() == [{"v": 2}]


def test_all_or_nothing_is_added(kept):
    kept.add([({"v": 1}, said("one"))])
    with pytest.raises(BadData):
        kept.add([({"v": 2}, said("two")), (2**70, said("three"))])
    assert kept.values() == [{"v": 1}]


def test_calls_run_one_after_the_other_as_they_were_made():
    done = []
    running = threading.Semaphore(1)

    def work(number):
        assert running.acquire(blocking=False)
        done.append(number)
        running.release()
        return number

    async def main():
        ordered = SerialExecutor()
        return await asyncio.gather(*(ordered(work, number) for number in range(20)))

    assert asyncio.run(main()) == done == list(range(20))


NAMES = st.text(st.sampled_from("a./%\0-E2") | st.characters(codec="utf-8"), max_size=8) | st.sampled_from(
    [".jsonl", "x.jsonl", "..", ".", "", "%", "%2E", "x%2Ejsonl", "a/../b"]
)  # fmt: skip


@given(NAMES, NAMES)
def test_each_name_is_one_component_of_a_path_and_no_others(one, other):
    found = escaped(one)
    assert unescaped(found) == one
    assert found not in ("", ".", "..")
    assert "/" not in found
    assert "\0" not in found
    assert not found.startswith(".")
    assert not found.endswith(".jsonl")
    assert (found == escaped(other)) == (one == other)


@given(st.lists(json_objects, max_size=5))
def test_entries_come_back_as_they_were(entries):
    data = b"".join(map(line_of, entries))
    assert list(entries_in(data, "f")) == entries


@pytest.mark.parametrize("entry", [{"a": "\ud800"}, {"n": 10**40}, {"a": "\u2028\n"}])
def test_half_characters_and_numbers_of_any_size_are_kept(entry):
    line = line_of(entry)
    assert line.count(b"\n") == 1
    assert list(entries_in(line, "f")) == [entry]


def test_a_damaged_line_costs_itself_and_is_told(caplog):
    data = b'{"a":1}\n{torn\n\n[2]\n{"b":2}'
    assert list(entries_in(data, "f")) == [{"a": 1}, {"b": 2}]
    assert caplog.messages == ["f: line 2: no entry; skipped", "f: line 4: no entry; skipped"]


def test_an_entry_with_an_id_is_stored_once_whoever_stored_it(tmp_path):
    path = str(tmp_path / "projects" / "p" / "s.jsonl")
    assert read(path) is None
    append(path, [{"uuid": "a"}, {"uuid": "a"}, {"plain": 1}])
    append(path, [{"uuid": "b"}, {"uuid": "a"}])
    append(path, [{"uuid": "b"}, {"plain": 1}])
    assert read(path) == [{"uuid": "a"}, {"plain": 1}, {"uuid": "b"}, {"plain": 1}]
    assert os.stat(path).st_mode & 0o777 == 0o600
    os.unlink(path)
    append(path, [{"uuid": "a"}])  # another file: what is known of the old one does not count
    assert read(path) == [{"uuid": "a"}]


def test_a_torn_end_costs_nothing_that_comes_after_it(tmp_path):
    path = tmp_path / "projects" / "s.jsonl"
    path.parent.mkdir()
    path.write_bytes(b'{"uuid":"a"}\n{"uuid":"b')
    append(str(path), [{"uuid": "b"}])
    assert path.read_bytes() == b'{"uuid":"a"}\n{"uuid":"b\n{"uuid":"b"}\n'


def test_what_is_removed_lies_in_the_trash(tmp_path):
    store = SessionStore(tmp_path)
    path = store.path({"project_key": "p", "session_id": "s"})
    append(path, [{"uuid": "a"}])
    asyncio.run(store.delete({"project_key": "p", "session_id": "s"}))
    assert read(path) is None
    (place,) = (tmp_path / "claude-code" / "trash").iterdir()
    assert read(str(place / "p" / "s.jsonl")) == [{"uuid": "a"}]

"""A message: what it says of itself, what a copy shares with it, and what stands for what is not read."""

import pytest

from codeh_history.session.model import Message, Summary, Unread, unread


def message(**fields):
    made = Message("m", "codeh", "model", "2026-01-01T00:00:00.000Z", fields, 7, None, [{"text": "x"}])
    made.parts, made.pending, made.replaced = [{"text": "y"}], [{"text": "p"}], {0: None}
    made.blocks, made.idless, made.hidden, made.after, made.latest = ["b"], 2, "h", "a", 9
    made.update = {"type": "update"}
    return made


def test_a_copy_is_the_same_in_every_field_and_another_message():
    first = message(model="m")
    copy = first.copy()
    for name in Message.__slots__:
        assert getattr(copy, name) is getattr(first, name), name
    copy.hidden = None
    assert first.hidden == "h"


def test_what_is_derived_shows_other_parts_and_no_line():
    first, parts = message(model="m"), [{"text": "z"}]
    derived = first.derive(parts)
    assert derived.parts is parts
    assert first.parts == [{"text": "y"}]
    assert derived.line is derived.raw is None
    for name in set(Message.__slots__) - {"parts", "line"}:
        assert getattr(derived, name) == getattr(first, name), name


@pytest.mark.parametrize(("fields", "provider", "model", "pinned"), [
    ({}, None, None, False), ({"provider": "p", "model": "m", "pinned": True}, "p", "m", True),
    ({"provider": 7, "model": ["m"], "pinned": 0}, None, None, False),
])  # fmt: skip
def test_only_what_is_a_text_names_somebody(fields, provider, model, *, pinned):
    made = message(**fields)
    assert (made.provider, made.model, made.pinned) == (provider, model, pinned)


@pytest.mark.parametrize(("own", "blocks", "committed"), [
    (None, None, False), ([], None, True), ([{"text": "x"}], None, True), (None, [], True),
])  # fmt: skip
def test_what_is_stored_or_lies_in_blocks_is_committed(own, blocks, *, committed):
    made = message()
    made.own, made.blocks = own, blocks
    assert made.committed == committed


def test_parts_in_blocks_say_where_they_are_and_which_are_calls_without_an_id():
    found = unread({"blockIds": ["a", "b"], "idless": [1]})
    assert found == [{"blockId": "a"}, {"blockId": "b"}]
    assert [(part.id, part.call) for part in found] == [("a", False), ("b", True)]
    assert [part.call for part in map(Unread, "ab")] == [False, False]
    assert not any(part.call for part in unread({"blockIds": ["a"], "idless": 7}))  # type: ignore[attr-defined]


def test_what_a_summary_covers_is_its_own_list():
    fields = {"id": "s", "summary": "text", "covers": ["a"]}
    made = Summary(fields=fields, place=3, raw=None)
    made.covers.append("b")
    assert (made.id, made.text, fields["covers"]) == ("s", "text", ["a"])
    assert Summary(fields={"id": "s", "summary": "", "covers": None}, place=0, raw=None).covers == []

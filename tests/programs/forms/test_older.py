"""The seeds of the format: what each element becomes, ids by content and occurrence, and what is wrong by its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.programs import forms
from codeh_history.programs.forms import history, older
from codeh_history.session.depth import MAX_READ

BLOCK = "a" * 64


def records(value):
    return [record.data for record in forms.of_value(value, 9).records]


def damage(value):
    return [each.reason for each in forms.of_value(value, 9).damage]


def test_contents_of_the_very_first_files_have_parts_too():
    made = older.contents(
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho", "x": 1}]
    )
    found = [record for record, _ in made or ()]
    assert [(each["role"], each["parts"]) for each in found] == [
        ("user", [{"text": "hi"}]), ("model", [{"text": "ho"}]),
    ]  # fmt: skip
    assert found[1]["x"] == 1
    assert "content" not in found[1]


def test_references_have_the_flow_of_their_wrapper_unless_they_say_their_own():
    refs = [{"blockIds": [BLOCK], "role": "user"}, {"blockKeys": [7], "role": "assistant", "flowId": "own"}]
    around, *found = records({"type": "llm2", "refs": refs, "flowId": "all", "workspaceId": "w"})
    assert around["set"] == {"x-refs": {"type": "llm2", "refs": [], "flowId": "all", "workspaceId": "w"}}
    assert [(each["kind"], each["role"], each["blockIds"], each["flowId"], each["workspaceId"]) for each in found] == [
        ("user", "user", [BLOCK], "all", "w"), ("codeh", "model", ["7"], "own", "w"),
    ]  # fmt: skip
    assert "workspaceId" not in records(refs)[0]


@pytest.mark.parametrize(("value", "at"), [
    ([{"role": "user", "parts": [{"text": "x"}]}, 7], "[1]: "), ([{"role": "user", "parts": [{"text": "x"}]}, {"role": "user"}], "[1]: "),
    ({"refs": [{"blockIds": [BLOCK]}, {"role": "user"}]}, "refs[1]: "), ([{"blockIds": [BLOCK]}, None], "[1]: "),
])  # fmt: skip
def test_an_element_that_is_none_is_named_and_kept(value, at):
    assert [reason.startswith(at) for reason in damage(value)] == [True]
    items = value["refs"] if isinstance(value, dict) else value
    kept = [each for each in records(value) if each["type"] == "unread"]
    assert [each["value"] for each in kept] == [items[int(at.split("[")[1][0])]]


@given(st.lists(st.sampled_from(["a", "b", {"x": 1}, 7]), max_size=8))
def test_ids_tell_equal_elements_apart_and_do_not_hang_on_others(items):
    ids = list(history.bare_ids(items))
    assert len(set(ids)) == len(items)
    for item in items:
        own = [id for id, other in zip(ids, items, strict=True) if other == item]
        assert own == list(history.bare_ids([item] * len(own)))


@pytest.mark.parametrize(("item", "ref"), [
    ({"blockIds": []}, True), ({"blockKeys": [1]}, True), ({"blockIds": "x"}, False), ({}, False), (None, False), ([], False),
])  # fmt: skip
def test_what_names_its_blocks_is_a_reference(item, *, ref):
    assert older.is_ref(item) == ref


def test_what_nests_too_deep_is_null_where_it_stands():
    deep = 1
    for _ in range(MAX_READ + 1):
        deep = [deep]
    plain = {"role": "user", "parts": [{"text": "x"}]}
    assert damage([plain, deep]) == damage([plain, None])

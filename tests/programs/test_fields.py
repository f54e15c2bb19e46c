"""Fields by their path, whatever a file holds there."""

import pytest

from codeh_history.programs import fields

VALUE = {"a": {"b": {"c": "x"}}, "t": "", "n": 7, "l": [{"k": 1}, "x", None]}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b.c", "x"),
        ("a.b", {"c": "x"}),
        ("n", 7),
        ("a.n", None),
        ("t.x", None),
        ("l.k", None),
        ("", None),
    ],
)
def test_a_path_leads_into_objects_alone(path, value):
    assert fields.at(VALUE, path) == value
    assert fields.at([VALUE], path) is fields.at(None, path) is None


def test_what_is_of_another_type_counts_as_missing():
    assert [fields.text_at(VALUE, path) for path in ("a.b.c", "t", "n", "none")] == ["x", "", "", ""]
    assert [fields.name_at(VALUE, path) for path in ("a.b.c", "t", "n")] == ["x", None, None]
    assert fields.name_at(VALUE, "t", "n", "a.b.c") == "x"
    assert [fields.object_at(VALUE, path) for path in ("a.b", "l", "none")] == [{"c": "x"}, {}, {}]
    assert fields.list_at(VALUE, "l") == VALUE["l"]
    assert fields.list_at(VALUE, "a") == fields.objects_at(VALUE, "a") == []
    assert fields.objects_at(VALUE, "l") == [{"k": 1}]


def test_the_fields_of_an_answer_stand_in_the_order_of_their_paths():
    answer = {"m": "", "more": {"m": "gpt", "why": "stop"}, "u": {"in": 3}}
    paths = {"model": "m more.m", "usage": "u", "finish": "more.why", "response": "id"}
    made = fields.answer_fields(answer, paths, {"input": "in"}, "openai-chat")
    usage = {"input": 3, "raw": {"in": 3}}
    assert list(made.items()) == [
        ("provider", "openai-chat"), ("model", "gpt"), ("usage", usage), ("finish", "stop"),
    ]  # fmt: skip

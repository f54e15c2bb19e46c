"""What the rules of providers are written with: problems in the order of the body, neighbours of one role."""

import pytest

from codeh_history.providers.validator import Validator, element, with_neighbours


@pytest.mark.parametrize(
    ("path", "number"),
    [("messages.6.content.0", 6), ("messages.12", 12), ("messages", -1), ("generationConfig.topK", -1), ("", -1)],
)  # fmt: skip
def test_a_path_leads_into_an_element(path, number):
    assert element(path) == number


def test_problems_stand_as_the_body_does_and_else_as_they_were_found():
    found = ["tools.0.name", "messages.10", "messages.9.b", "messages.9.a", "messages", "model"]
    validator = Validator({"messages": [], "tools": []})
    for path in found:
        validator.report(path, "")
    assert [problem.path for problem in validator.in_order()] == [
        "model", "messages", "messages.9.b", "messages.9.a", "messages.10", "tools.0.name",
    ]  # fmt: skip


def test_each_stands_between_its_neighbours():
    assert list(with_neighbours("abc")) == [(None, "a", "b"), ("a", "b", "c"), ("b", "c", None)]
    assert list(with_neighbours("a")) == [(None, "a", None)]
    assert not list(with_neighbours(""))

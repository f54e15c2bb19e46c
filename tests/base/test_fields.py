"""Values of named fields: a changed one is another value."""

from __future__ import annotations

from codeh_history.base.fields import Fields


class Some(Fields):
    a: int = 1
    b: str = "x"


def test_what_is_not_given_is_as_the_class_says() -> None:
    assert (Some().a, Some(a=2).a, Some(a=2).b) == (1, 2, "x")


def test_one_that_is_otherwise_leaves_the_first_as_it_was() -> None:
    first = Some(a=2)
    second = first.but(b="y")
    assert (type(second), second.a, second.b) == (Some, 2, "y")
    assert (first.b, first.but(a=3).a, first.a) == ("x", 3, 2)

"""Options are declared once: what a class of them takes, in which order, and what was given of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from codeh_history.base.errors import Usage
from codeh_history.base.options import OptionSet, Reading, argument, flag, option


class Some(OptionSet):
    text: str | None = option("TEXT", "help", "-t")
    several: Sequence[str] = option("TEXT", "help", long="--each")
    on: bool = flag("help")
    off: bool = flag("help", default=True)
    size: int | None = option("N", "help", default=7)


class More(Some, Reading, without=("off",)):
    place: str = argument("PLACE")


def test_what_was_not_given_has_the_default_of_its_type():
    found = Some()
    assert (found.text, found.several, found.on, found.off, found.size) == (None, (), False, True, 7)
    assert found.specified() == []


def test_what_was_given_is_told_and_what_equals_its_default_was_not():
    found = Some(text="x", on=True, off=False, size=7)
    assert found.specified() == ["text", "on", "off"]
    assert found.specified("several", "on") == ["on"]
    assert found.but(text=None, several=["a"]).specified() == ["several", "on", "off"]
    assert found.text == "x"


def test_options_are_inherited_in_order_and_closing_ones_stand_last():
    assert list(More.TYPES) == [
        "text",
        "several",
        "on",
        "size",
        "place",
        "argument",
        "session",
        "strict",
        "quiet",
    ]
    assert list(More.SPELLED) == list(More.DEFAULTS) == list(More.TYPES)


def test_they_are_spelled_by_their_names():
    assert Some.SPELLED["text"].flags("text") == ("--text", "-t")
    assert Some.SPELLED["several"].flags("several") == ("--each",)
    assert Some.SPELLED["on"].flags("on_the_way_") == ("--on-the-way",)
    assert More.SPELLED["place"].positional
    assert not More.SPELLED["text"].positional


def test_what_there_is_not_is_a_type_error():
    with pytest.raises(TypeError, match=r"no such option: a, b"):
        Some(b=1, a=2)
    with pytest.raises(TypeError, match=r"no such option: off"):
        More(off=True)


def test_another_job_takes_those_that_it_has():
    found = More(text="x", place="p", quiet=True, session="s").part(Reading)
    assert type(found) is Reading
    assert (found.quiet, found.session, found.strict) == (True, "s", False)


class Choosing(OptionSet, section="Own"):
    color: str | None = option("C", "A color.", choices=("red", "green"))
    old: bool = flag("No effect.", hidden=True)
    other: str | None = option("O", "Another.", section="Other", rare=True)


class Numbered(OptionSet):
    count: int | None = option("N", "", least=1, most=9)
    share: float = option("S", "", default=0.5)
    least: int | None = option("N", "", least=1)
    on: bool = flag("")
    texts: Sequence[str] = option("T", "")


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("count", "7", 7), ("count", 7, 7), ("count", " 7", 7), ("share", "1e-1", 0.1), ("share", 1, 1.0), ("on", True, True), ("on", "yes", True),
        ("on", "False", False), ("on", 0, False), ("texts", "a", ("a",)), ("texts", ["a"], ["a"]),
    ],
)  # fmt: skip
def test_words_settings_and_values_are_taken_as_the_declared_type(name, value, taken):
    assert getattr(Numbered(**{name: value}), name) == taken


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("count", "0", "--count 0: an integer from 1 to 9 expected"), ("count", "1.5", "--count 1.5: an integer from 1 to 9 expected"),
        ("count", True, "--count True: an integer from 1 to 9 expected"), ("least", "x", "--least x: an integer of at least 1 expected"),
        ("share", "nan", "--share nan: a number expected"), ("share", "x", "--share x: a number expected"), ("on", "maybe", "--on maybe: true or false expected"),
        ("count", [1], "--count: one value expected"), ("texts", [1], "--texts: a text or a list of texts expected"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_of_the_type_is_usage(name, value, message):
    with pytest.raises(Usage, match=f"^{re.escape(message)}$"):
        Numbered(**{name: value})


class Combined(OptionSet):
    one: str | None = option("X", "", "-1")
    other: bool = flag("", excludes=("one",))
    third: str | None = option("X", "", requires=("one", "other"))


@pytest.mark.parametrize(("values", "message"), [
    ({"one": "x", "other": True}, "--other and --one cannot be combined"), ({"third": "x"}, "--third requires --one or --other"),
])  # fmt: skip
def test_options_that_do_not_combine_are_usage(values, message):
    assert Combined(one="x", third="y").third == Combined(other=True, third="y").third == "y"
    with pytest.raises(Usage, match=f"^{re.escape(message)}$"):
        Combined(**values)


@pytest.mark.parametrize(("value", "message"), [
    ("blue", "--color blue: one of red, green"), ("gren", "--color gren: one of red, green (did you mean green?)"), ("", "--color : one of red, green"),
])  # fmt: skip
def test_a_value_that_is_none_of_the_choices_is_usage(value, message):
    assert Choosing(color="red").but(old=True).color == "red"
    assert Choosing(color=None).color is None
    with pytest.raises(Usage, match=re.escape(message) + "$"):
        Choosing(color=value)


def test_a_section_is_that_of_the_class_unless_an_option_names_one():
    assert [it.section for it in Choosing.SPELLED.values()] == ["Own", "Own", "Other"]

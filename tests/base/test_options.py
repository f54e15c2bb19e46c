"""Options are declared once; a session may set its own curation and compaction, and flags take precedence."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.options import OptionSet, Reading, argument, flag, option
from codeh_history.base.shared_options import (
    FLAGS_ONLY,
    KEYS,
    Curation,
    Explained,
    Reduction,
    option_of,
    system_and_tools,
    tools_from,
)


class Some(OptionSet):
    text: str | None = option("TEXT", "help", "-t")
    several: Sequence[str] = option("TEXT", "help", long="--each")
    on: bool = flag("help")
    off: bool = flag("help", default=True)
    size: int | None = option("N", "help", default=7)


class More(Some, Reading, without=("off",)):
    place: str = argument("PLACE")


def test_omitted_options_have_defaults():
    some = Some()
    assert (some.text, some.several, some.on, some.off, some.size) == (None, (), False, True, 7)
    assert some.specified() == []


def test_explicit_options_are_those_that_differ_from_defaults():
    some = Some(text="x", on=True, off=False, size=7)
    assert some.specified() == ["text", "on", "off"]
    assert some.specified("several", "on") == ["on"]
    assert some.but(text=None, several=["a"]).specified() == ["several", "on", "off"]
    assert some.text == "x"


def test_options_are_inherited_in_order_and_closing_ones_stand_last():
    assert list(More.TYPES) == "text several on size place argument session strict quiet".split()
    assert list(More.DECLARED) == list(More.DEFAULTS) == list(More.TYPES)


def test_options_are_spelled_by_name():
    assert Some.DECLARED["text"].flags("text") == ("--text", "-t")
    assert Some.DECLARED["several"].flags("several") == ("--each",)
    assert Some.DECLARED["on"].flags("on_the_way_") == ("--on-the-way",)
    assert More.DECLARED["place"].positional
    assert not More.DECLARED["text"].positional


def test_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match=r"no such option: a, b"):
        Some(b=1, a=2)
    with pytest.raises(TypeError, match=r"no such option: off"):
        More(off=True)


def test_shared_options_are_passed_on():
    part = More(text="x", place="p", quiet=True, session="s").part(Reading)
    assert type(part) is Reading
    assert (part.quiet, part.session, part.strict) == (True, "s", False)


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
    word: str | None = option("W", "", choices=("32000", "loop"))


@pytest.mark.parametrize(
    ("name", "value", "taken"),
    [
        ("count", "7", 7), ("count", 7, 7), ("count", " 7", 7), ("share", "1e-1", 0.1), ("share", 1, 1.0), ("on", True, True), ("on", "yes", True),
        ("on", "False", False), ("on", 0, False), ("texts", "a", ("a",)), ("texts", ["a"], ["a"]),
        ("word", 32000, "32000"), ("word", " loop ", "loop"), ("on", "No", False), ("on", 1, True),
    ],
)  # fmt: skip
def test_values_are_coerced_to_the_declared_type(name, value, taken):
    assert getattr(Numbered(**{name: value}), name) == taken


class Combined(OptionSet):
    one: str | None = option("X", "", "-1")
    other: bool = flag("", excludes=("one",))
    third: str | None = option("X", "", requires=("one", "other"))


def test_choices_and_combinations_are_taken():
    assert Combined(one="x", third="y").third == Combined(other=True, third="y").third == "y"
    assert Choosing(color="red").but(old=True).color == "red"
    assert Choosing(color=None).color is None
    assert Explained(explain=True, json=True).explain


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (Numbered, {"count": "0"}, "--count 0: expected an integer from 1 to 9"),
        (Numbered, {"count": "1.5"}, "--count 1.5: expected an integer from 1 to 9"),
        (Numbered, {"count": True}, "--count True: expected an integer from 1 to 9"),
        (Numbered, {"least": "x"}, "--least x: expected an integer of at least 1"),
        (Numbered, {"share": "nan"}, "--share nan: expected a number"),
        (Numbered, {"share": "x"}, "--share x: expected a number"),
        (Numbered, {"on": "maybe"}, "--on maybe: expected true or false"),
        (Numbered, {"count": [1]}, "--count: takes one value; pass it once"),
        (Numbered, {"texts": [1]}, "--texts: expected a string or a list of strings"),
        (Combined, {"one": "x", "other": True}, "--other and --one cannot be combined"),
        (Combined, {"third": "x"}, "--third requires --one or --other"),
        (Choosing, {"color": "blue"}, "--color blue: one of red, green"),
        (Choosing, {"color": "gren"}, "--color gren: one of red, green (did you mean green?)"),
        (Choosing, {"color": ""}, "--color : one of red, green"),
        (Explained, {"json": True}, "--json requires --explain"),
    ],
)
def test_wrong_type_choice_or_combination_is_a_usage_error(kind, values, message):
    with pytest.raises(Usage, match=f"^{re.escape(message)}$"):
        kind(**values)


def test_help_section_is_that_of_the_option_or_class():
    assert [it.section for it in Choosing.DECLARED.values()] == ["Own", "Own", "Other"]


def completed(options, **meta):
    notes = []
    settings = {key.replace("_", ".", 1).replace("_", "-"): value for key, value in meta.items()}
    return options.with_settings(settings, "s", notes.append), notes


def test_omitted_options_come_from_session_settings():
    options, notes = completed(
        Reduction(budget="9k"), compact_budget="1k", compact_policy="loop", curate_skip=["ide"], title_x="t",
        compact_calibrated="No", compact_upload_share="0.5",
    )  # fmt: skip
    assert (options.budget, options.policy, options.skip) == (9000, "loop", ["ide"])
    assert (options.calibrated, options.upload_share) == (False, 0.5)
    assert notes == []
    assert completed(Reduction(), compact_budget=None)[0].budget is None


@pytest.mark.parametrize("key", FLAGS_ONLY)
def test_commands_and_limits_never_come_from_a_session(key):
    notes = []
    options = Reduction().with_settings({key: "rm -rf /"}, "s", notes.append)
    assert options.specified() == []
    assert notes == [f"s: {key} is not taken from a session; pass it as an option"]
    assert key not in KEYS


def test_unknown_setting_is_noted_unless_another_verb_has_it():
    assert completed(Reduction(), curate_nothing="x")[1] == [
        "s: curate.nothing is not taken from a session; no such setting"
    ]
    notes = []
    assert Curation().with_settings({"compact.budget": "1k"}, "s", notes.append).specified() == []
    assert notes == []


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("curate.skip", [1], "a string or a list of strings"), ("curate.skip", 7, "a string or a list"), ("compact.budget", ["1k"], "takes one value"),
        ("compact.budget", {}, "takes one value"), ("compact.calibrated", "maybe", "maybe: expected true or false"), ("compact.upload-share", "half", "half: expected a number"),
    ],
)  # fmt: skip
def test_invalid_setting_is_bad_data(key, value, why):
    with pytest.raises(Usage, match=rf"^{key}:? .*{why}"):
        Reduction.coerce(option_of(key), value, key)
    with pytest.raises(BadData, match=rf"^s: by the session's settings: {key}.*; `set KEY=` unsets one$"):
        Reduction().with_settings({key: value}, "s", lambda _: None)


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({}, (None, [])), ({"system": "s", "tools": [{"name": "f"}, 7]}, ("s", [{"name": "f"}])), ({"system": 7, "tools": {"name": "f"}}, (None, [{"name": "f"}])),
        ({"system": "", "tools": "x"}, ("", [])),
    ],
)  # fmt: skip
def test_malformed_system_and_tools_are_ignored(meta, expected):
    assert system_and_tools(meta) == expected


def test_tools_are_a_list_or_an_object_of_json():
    assert tools_from('[{"name":"f"}]') == [{"name": "f"}]
    assert tools_from('{"functionDeclarations":[]}') == [{"functionDeclarations": []}]
    for wrong in ("7", '"x"', "{"):
        with pytest.raises(BadData, match=r"^--tools"):
            tools_from(wrong)

"""Curation as it is asked for: which passes, and how they work."""

import pytest

from codeh_history.base.errors import InputOutput, Usage
from codeh_history.base.shared_options import PASSES, Curation
from codeh_history.filters.curate.run import names, settings


def given(**options):
    return Curation(**options)


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({}, list(PASSES)), ({"only": ["ide"]}, ["ide"]), ({"only": ["pairs,kinds"]}, ["kinds", "pairs"]), ({"only": ["ide"], "skip": ["ide"]}, []),
        ({"skip": ["ide", "kinds,pairs"]}, [name for name in PASSES if name not in ("ide", "kinds", "pairs")]),
    ],
)  # fmt: skip
def test_passes_keep_their_own_order(options, chosen):
    assert names(given(**options)) == chosen


@pytest.mark.parametrize("options", [{"only": ["nothing"]}, {"skip": ["ide,nothing"]}])
def test_a_pass_that_there_is_not_is_named(options):
    with pytest.raises(Usage, match="nothing: no such pass"):
        names(given(**options))


@pytest.mark.parametrize(
    "options",
    [
        {"thoughts": "some"},
        {"unanswered": "maybe"},
        {"keep_system": ["("]},
        {"remove": ["("]},
        {"timeout": -1.0},
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_done(options):
    with pytest.raises(Usage):
        settings(given(**options))


def test_what_nothing_is_said_of_is_as_usual():
    found = settings(given())
    assert (found.thoughts, found.unanswered, found.keep_system, found.removers) == (
        "keep",
        "error",
        [],
        [],
    )
    assert "# IDE Context" in found.ide_markers
    assert settings(given(ide_marker=["<editor>"])).ide_markers == ["<editor>"]


def cleaned(text, **options):
    (clean,) = settings(given(**options)).removers
    return clean([text], ["m1"])[0]


def test_a_pattern_may_go_over_lines():
    assert cleaned("a<ad>\nx</ad>b", remove=["<ad>.*</ad>"]) == "ab"


@pytest.mark.parametrize(("text", "left"), [("a b", "A B"), ("a\n", "A\n"), ("a\n\n", "A\n\n")])
def test_a_command_is_given_the_text_and_what_it_prints_is_the_new_one(text, left):
    assert cleaned(text, remove_cmd=["tr a-z A-Z"]) == left


def test_the_line_end_that_a_command_adds_is_not_the_texts():
    assert cleaned("a", remove_cmd=["cat; echo"]) == "a"


def test_a_command_that_fails_is_named_with_what_it_said_and_for_which_message():
    with pytest.raises(InputOutput, match=r"exit 3 for message m1 \(no such\); nothing changed"):
        cleaned("a", remove_cmd=["echo no such >&2; exit 3"])


def test_patterns_come_before_commands():
    first, second = settings(given(remove=["a"], remove_cmd=["tr a-z A-Z"])).removers
    assert second(first(["ab"], ["m"]), ["m"]) == ["B"]

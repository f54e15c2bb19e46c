"""Curation as it is requested."""

import pytest

from codeh_history.base.errors import InputOutput, Usage
from codeh_history.base.shared_options import PASSES, Curation
from codeh_history.filters.curate.run import names, settings


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({}, list(PASSES)), ({"only": ["ide"]}, ["ide"]), ({"only": ["pairs,kinds"]}, ["kinds", "pairs"]), ({"only": ["ide"], "skip": ["ide"]}, []),
        ({"skip": ["ide", "kinds,pairs"]}, [name for name in PASSES if name not in ("ide", "kinds", "pairs")]),
    ],
)  # fmt: skip
def test_passes_keep_their_own_order(options, chosen):
    assert names(Curation(**options)) == chosen


@pytest.mark.parametrize("options", [{"only": ["nothing"]}, {"skip": ["ide,nothing"]}])
def test_unknown_pass_is_named(options):
    with pytest.raises(Usage, match="nothing: no such pass"):
        names(Curation(**options))


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
def test_invalid_option_is_refused_before_any_pass_runs(options):
    with pytest.raises(Usage):
        settings(Curation(**options))


def test_unset_options_have_their_defaults():
    usual = settings(Curation())
    assert (usual.thoughts, usual.unanswered, usual.keep_system, usual.removers) == (
        "keep",
        "error",
        [],
        [],
    )
    assert "# IDE Context" in usual.ide_markers
    assert settings(Curation(ide_marker=["<editor>"])).ide_markers == ["<editor>"]


def cleaned(text, **options):
    (clean,) = settings(Curation(**options)).removers
    return clean([text], ["m1"])[0]


def test_pattern_may_span_lines():
    assert cleaned("a<ad>\nx</ad>b", remove=["<ad>.*</ad>"]) == "ab"


@pytest.mark.parametrize(("command", "text", "left"), [
    ("tr a-z A-Z", "a b", "A B"), ("tr a-z A-Z", "a\n", "A\n"), ("tr a-z A-Z", "a\n\n", "A\n\n"), ("cat; echo", "a", "a"),
])  # fmt: skip
def test_command_replaces_the_text_with_its_output(command, text, left):
    assert cleaned(text, remove_cmd=[command]) == left


def test_failed_command_is_reported_with_its_stderr_and_message():
    with pytest.raises(InputOutput, match=r"exit 3 for message m1 \(no such\); nothing changed"):
        cleaned("a", remove_cmd=["echo no such >&2; exit 3"])


def test_patterns_come_before_commands():
    first, second = settings(Curation(remove=["a"], remove_cmd=["tr a-z A-Z"])).removers
    assert second(first(["ab"], ["m"]), ["m"]) == ["B"]

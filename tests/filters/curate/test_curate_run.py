"""Curation as it is requested."""

import pytest

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


@pytest.mark.parametrize(("command", "text", "left"), [
    ("tr a-z A-Z", "a b", "A B"), ("tr a-z A-Z", "a\n", "A\n"), ("tr a-z A-Z", "a\n\n", "A\n\n"), ("cat; echo", "a", "a"),
])  # fmt: skip
def test_command_replaces_the_text_with_its_output(command, text, left):
    assert cleaned(text, remove_cmd=[command]) == left


def test_patterns_come_before_commands():
    first, second = settings(Curation(remove=["a"], remove_cmd=["tr a-z A-Z"])).removers
    assert second(first(["ab"], ["m"]), ["m"]) == ["B"]

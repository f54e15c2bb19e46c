"""Curation as it is requested, and the limit on messages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.errors import InputOutput, Usage
from codeh_history.base.shared_options import PASSES, Curation
from codeh_history.filters.curate.passes import limit_messages, units
from codeh_history.filters.curate.run import names, settings
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from histories import call, conversations, model, result, session, tool, user


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


PIN = {"pinned": True}
LOOP = [
    user("a"),
    model(call("f", "1")),
    tool(result("f", "1")),
    model(call("f", "2")),
    tool(result("f", "2")),
    model("b"),
]
CASES = {
    "no more than there may be": ([user("a"), model("b")], 2, [0, 1]),
    "the oldest exchange": ([user("a"), model("b"), user("c"), model("d"), user("e")], 4, [2, 3, 4]),
    "exchanges go whole": ([user("a"), model("b"), user("c"), model("d"), user("e")], 2, [4]),
    "an exchange with a pin stays": ([user("a"), model("b", **PIN), user("c"), model("d"), user("e")], 3, [0, 1, 4]),
    "of the newest the oldest units": (LOOP, 5, [0, 3, 4, 5]),
    "but never its prompt and its last unit": (LOOP, 1, [0, 5]),
    "pinned units stay": ([LOOP[0], {**LOOP[1], **PIN}, *LOOP[2:]], 1, [0, 1, 2, 5]),
    "a pinned result keeps its call": ([*LOOP[:2], {**LOOP[2], **PIN}, *LOOP[3:]], 1, [0, 1, 2, 5]),
    "nothing": ([], 1, []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "most", "left"), CASES.values(), ids=CASES)
def test_oldest_messages_are_dropped(messages, most, left):
    view = session(messages)
    assert [message.id for message in apply(view, limit_messages(view, most)).messages] == [
        f"m{n}" for n in left
    ]


@given(messages=conversations(whole=True), most=st.integers(1, 8))
def test_calls_keep_their_results(messages, most):
    view = session(messages)
    after = apply(view, limit_messages(view, most))
    answered = {call.id for call in pair(view.messages).calls if call.answer is not None}
    assert all(call.answer is not None for call in pair(after.messages).calls if call.id in answered)


def test_unit_includes_results_of_its_calls_anywhere():
    shown = session(
        [user("a"), model(call("f", "1")), user("wait"), tool(result("f", "1")), model("b")]
    ).messages
    assert [[message.id for message in unit] for unit in units(shown)] == [["m1", "m3"], ["m4"]]

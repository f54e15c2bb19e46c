"""Each pass of curation by itself, and in their order."""

import pytest

from codeh_history.base import shared_options
from codeh_history.filters.curate.passes import (
    FORCED,
    PASSES,
    Settings,
    curate,
    ide,
    invalid,
    kinds,
    post,
    system,
    thoughts,
)
from codeh_history.session.ops import apply
from histories import call, message, model, result, session, tool, user
from strategies import TS, view_of

NOTE = {"kind": "error", "parts": [{"text": "overloaded"}]}
TALK = [
    user("# IDE Context"),
    NOTE,
    user("System: x"),
    model(""),
    user("# IDE Context"),
    user("a"),
    model({"text": "hm", "thought": True}),
]


def test_they_run_in_the_order_of_their_names():
    assert tuple(PASSES) == shared_options.PASSES
    assert set(FORCED) < set(PASSES)
    view, ops, report = curate(session(TALK), Settings(thoughts="all"))
    assert [line["pass"] for line in report] == ["kinds", "invalid", "ide", "system", "thoughts"]
    assert [message.id for message in view.messages] == ["m4", "m5"]
    assert len(ops) == 5


def test_only_named_passes_run():
    view, _, report = curate(session(TALK), Settings(), ["system", "kinds"])
    assert [line["pass"] for line in report] == ["kinds", "system"]
    assert len(view.messages) == len(TALK) - 2


def test_view_is_unchanged_without_ops():
    view = session([user("a"), model("b")])
    assert curate(view, Settings()) == (view, [], [])


def test_a_report_has_a_line_for_each_message():
    _, _, report = curate(session([user("System: a"), user("System: b")]), Settings(), ["system"])
    line = {"pass": "system", "op": "drop", "why": "a System: text"}
    assert report == [{**line, "id": id} for id in ("m0", "m1")]


def test_report_names_parts_and_insertions():
    _, _, report = curate(
        session([user("a"), model(call("f", "1")), user("b")]), Settings(unanswered="stub")
    )
    (line,) = report
    assert (line["pass"], line["op"], line["id"]) == ("pairs", "insert", "m1")
    _, _, report = curate(session([model("a", "")]), Settings())
    assert [(line["id"], line["part"]) for line in report] == [("m0", 1)]


# A committed message, an editor's context too: the pending ones before it stay all the same.
LATER = {"type": "message", "id": "z", "kind": "user", "role": "user", "parts": [{"text": "# IDE Context"}]}


@pytest.mark.parametrize("text", ["System: x", "# IDE Context", ""])
def test_pending_messages_are_unchanged(text):
    opened = [
        {"type": type, "id": id, "ts": TS, "kind": kind, "role": role}
        for type, id, kind, role in (("open", "m", "codeh", "model"), ("open", "n", "user", "user"))
    ]
    parts = [{"text": text}, {"text": "hm", "thought": True}]
    view = view_of(
        [
            *opened,
            {"type": "delta", "of": "m", "parts": parts},
            {"type": "delta", "of": "n", "parts": parts},
            LATER,
        ]
    )
    options = Settings(thoughts="all", removers=[lambda texts, ids: ["" for _ in texts]])
    _, ops, _ = curate(view, options, [name for name in PASSES if name != "pairs"])
    assert ops == []


def test_only_errors_and_infos_are_dropped():
    view = session(
        [
            user("a"),
            message("error", "no"),
            model("b"),
            message("info", "so"),
            message("error", "x", pinned=True),
        ]
    )
    assert [op["ids"] for op in kinds(view, Settings())] == [["m1", "m3", "m4"]]
    assert kinds(session([user("a"), model("b")]), Settings()) == []


SIGNED, THOUGHT = {"text": "", "thoughtSignature": "s"}, {"text": "", "thought": True}
EMPTY = [
    ({}, True), ({"text": ""}, True), ({"text": " "}, False), ({"text": "", "thought": False}, True), (SIGNED, False), (THOUGHT, False),
    ({"text": "", "later": 1}, False), (call(), False), ({"thought": True}, False), ({"text": "a"}, False),
]  # fmt: skip


def left(*messages):
    view = session([*messages])
    return {message.id: message.parts for message in apply(view, invalid(view, Settings())).messages}


@pytest.mark.parametrize(("part", "empty"), EMPTY)
def test_empty_parts_and_empty_messages_are_dropped(part, *, empty):
    text = {"text": "a"}
    assert left(user("?"), model(text, part), user("!"))["m1"] == ([text] if empty else [text, part])
    assert ("m1" in left(user("?"), model(part), user("!"))) is not empty
    assert ("m1" in left(user("?"), model(part, part), user("!"))) is not empty


def test_empty_user_message_is_dropped():
    assert left(user(""), user(), user({"text": ""}, "a"), model("b")) == {
        "m2": [{"text": "a"}],
        "m3": [{"text": "b"}],
    }


IDE, PIN = "# IDE Context\na.py", {"pinned": True}


def dropped(messages, **settings):
    return [id for op in ide(session(messages), Settings(**settings)) for id in op["ids"]]


CASES = {
    "the latest stays": ([user(IDE), user("a"), user(IDE), user("b")], ["m0"]),
    "all but the latest": ([user(IDE), user("# Open Files"), user("# Directory Structure"), user("b")], ["m0", "m1"]),
    "one alone stays": ([user(IDE), user("a")], []),
    "pinned ones stay": ([user(IDE, **PIN), user(IDE), user(IDE)], ["m1"]),
    "a model's words are none": ([model(IDE), user(IDE)], []),
    "results are none": ([user(IDE, result()), user(IDE)], []),
    "none at all": ([user("a"), user("# Plan")], []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_older_contexts_are_dropped(messages, expected):
    assert dropped(messages) == expected


def test_given_marks_replace_the_defaults():
    messages = [user("<editor>"), user(IDE), user("<editor>"), user(IDE)]
    assert dropped(messages, ide_markers=["<editor>"]) == ["m0"]


SYSTEM = {
    "of either role": ([user("System: a"), model("System: b"), user("c")], ["m0", "m1"]),
    "at the beginning alone": ([user("The System: a"), user(" System: b")], []),
    "pinned ones stay": ([user("System: a", pinned=True), user("System: b")], ["m1"]),
    "with a call it stays": ([model("System: a", call())], []),
    "over several texts": ([user("Sys", "tem: a")], ["m0"]),
    "in a thought it says nothing": ([model({"text": "System: a", "thought": True}, "b")], []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), SYSTEM.values(), ids=SYSTEM)
def test_texts_for_a_program_are_dropped(messages, expected):
    assert [id for op in system(session(messages), Settings()) for id in op["ids"]] == expected


def test_text_that_matches_a_pattern_is_kept():
    def having(word):
        return lambda texts, ids: [word in text for text in texts]

    view = session([user("System: tick"), user("System: boot"), user("System: halt")])
    (op,) = system(view, Settings(keep_system=[having("tick"), having("halt")]))
    assert op["ids"] == ["m1"]
    assert system(view, Settings(keep_system=[having("System")])) == []


def without(word):
    return lambda texts, ids: [text.replace(word, "") for text in texts]


def cleaned(messages, *words):
    view = session(messages)
    ops = post(view, Settings(removers=[without(word) for word in words]))
    return [message.parts for message in apply(view, ops).messages]


HM = {"text": "[ad] hm", "thought": True}


def test_only_model_texts_are_cleaned():
    messages = [user("[ad] a"), model("[ad] b", HM, call(args={"x": "[ad]"}), "c [ad]")]
    prompt, (first, thought, called, last) = cleaned(messages, "[ad]")
    assert prompt == [{"text": "[ad] a"}]
    assert (first, last) == ({"text": " b"}, {"text": "c "})
    assert (thought, called) == (HM, call(args={"x": "[ad]"}))


def test_removers_run_in_order():
    assert cleaned([model("a[[ad]ad]b")], "[ad]", "[ad]") == [[{"text": "ab"}]]


def test_emptied_text_is_dropped_but_its_signature_kept():
    signed = {"text": "[ad]", "thoughtSignature": "s"}
    assert cleaned([model("[ad]", signed, "b")], "[ad]") == [[{**signed, "text": ""}, {"text": "b"}]]


def test_no_match_and_no_pattern_change_nothing():
    view = session([model("a")])
    assert post(view, Settings(removers=[without("z")])) == []
    assert post(view, Settings()) == []


def test_remover_gets_the_message_id():
    pairs = []

    def clean(texts, ids):
        pairs.extend(zip(ids, texts, strict=True))
        return list(texts)

    post(session([user("a"), model("b", "c"), model("d")]), Settings(removers=[clean]))
    assert pairs == [("m1", "b"), ("m1", "c"), ("m2", "d")]


THOUGHT = {"text": "hm", "thought": True}
NATIVE = {"native": {"provider": "anthropic", "value": {"type": "redacted_thinking", "data": "x"}}}
LOOP = [
    user("a"),
    model(THOUGHT, "b", NATIVE),
    user("c"),
    model(THOUGHT, call("f", "1")),
    tool(result("f", "1")),
    model(THOUGHT, "d"),
]


@pytest.mark.parametrize(
    ("which", "gone"),
    [("keep", []), ("old", [("m1", 0), ("m1", 2)]), ("all", [("m1", 0), ("m1", 2), ("m3", 0), ("m5", 0)])],
)
def test_thoughts_before_the_last_prompt_are_old(which, gone):
    ops = thoughts(session(LOOP), Settings(thoughts=which))
    assert [(op["id"], op["part"]) for op in ops] == gone
    assert all(op["with"] is None for op in ops)


@pytest.mark.parametrize("last", [user("# IDE Context"), user("System: x"), tool(result())])
def test_only_prompts_end_a_turn(last):
    ops = thoughts(session([*LOOP, last]), Settings(thoughts="old"))
    assert {op["id"] for op in ops} == {"m1"}


def test_no_thought_is_old_without_a_prompt():
    assert thoughts(session([model(THOUGHT, "b"), model(THOUGHT, "c")]), Settings(thoughts="old")) == []


def test_thought_of_a_user_is_not_a_model_thought():
    assert thoughts(session([user(THOUGHT), model("b")]), Settings(thoughts="all")) == []

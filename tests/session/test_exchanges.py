"""Which messages are a real user's, and what belongs to each."""

import pytest

from codeh_history.session.exchanges import (
    exchange_places,
    exchanges,
    is_ide_context,
    is_prompt,
    is_system,
    is_thought,
    prompts,
    tools_named,
)
from histories import PNG, call, model, result, session, tool, user

IDE = "# IDE Context\nfile.py"
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}

PROMPTS = {
    "a question": (user("Why?"), True),
    "a heading is none of an editor's": (user("# Plan\nWhy?"), True),
    "several texts": (user("Why?", "And?"), True),
    "an image alone": (user(IMAGE), True),
    "nothing at all": (user(), True),
    "an editor's context": (user(IDE), False),
    "an editor's context in the middle": (user("Hi.\n# Open Files\na.py"), False),
    "an editor's context over two texts": (user("Hi.", "# Directory Structure"), False),
    "a text for a program": (user("System: tick"), False),
    "a notification of Claude Code": (user("[SYSTEM NOTIFICATION - NOT USER INPUT]\nIt is done."), False),
    "another session's words": (user("A message arrived from s while you were working:\nHi."), False),
    "a pinned text for a program": (user("System: tick", pinned=True), True),
    "a pinned context is one still": (user(IDE, pinned=True), False),
    "System in the middle": (user("The System: what is it?"), True),
    "a result": (tool(result()), False),
    "a result and words": (user(result(), "Go on."), False),
    "words of a tool": (tool("Go on."), False),
    "a model's words": (model("Because."), False),
}


@pytest.mark.parametrize(("message", "expected"), PROMPTS.values(), ids=PROMPTS)
def test_what_a_real_user_said(message, *, expected):
    view = session([message])
    assert is_prompt(view.messages[0]) is expected
    assert prompts(view.messages) == expected


@pytest.mark.parametrize("text", ["Why?", "", "# Plan", "System: tick", IDE, "The System: x", " System: x"])
def test_the_fast_check_for_a_prompt_agrees_with_the_full_one(text):
    """As it is one with an empty text beside it, which takes a longer look."""
    alone, beside_empty = (session([user(*texts)]).messages[0] for texts in ([text], [text, {"text": ""}]))
    assert is_prompt(alone) == is_prompt(beside_empty)


ENDS = {
    "an editor's context": (user(IDE), (True, False)),
    "of a model": (model(IDE), (False, False)),
    "with a result": (user(IDE, result()), (False, False)),
    "a text for a program": (user("System: tick"), (False, True)),
    "of a model, for a program": (model("System: tick"), (False, True)),
    "with a call": (model("System: tick", call()), (False, False)),
    "plain": (user("tick"), (False, False)),
}


@pytest.mark.parametrize(("record", "expected"), ENDS.values(), ids=ENDS)
def test_editor_context_and_system_texts_never_contain_tools(record, expected):
    (message,) = session([record]).messages
    assert (is_ide_context(message), is_system(message)) == expected


def test_what_marks_an_editors_context_can_be_told():
    (message,) = session([user("<editor> a.py")]).messages
    assert not is_ide_context(message)
    assert is_ide_context(message, ["<nothing>", "<editor>"])


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"text": "Hm.", "thought": True}, True), ({"text": "Hm."}, False), ({"text": "Hm.", "thought": False}, False),
        ({"native": {"provider": "anthropic", "value": {"type": "redacted_thinking", "data": "x"}}}, True),
        ({"native": {"provider": "openai-responses", "value": {"type": "reasoning"}}}, True),
        ({"native": {"provider": "anthropic", "value": {"type": "server_tool_use"}}}, False),
        ({"native": {"provider": "other", "value": "thinking"}}, False), ({"native": {"provider": "other"}}, False),
    ],
)  # fmt: skip
def test_a_thought_is_one_in_any_providers_form(part, *, expected):
    assert is_thought(part) is expected


def drawn(letters):
    """Messages: `p`rompt, `c`ontext, `m`odel, `s`ystem text."""
    made = {"p": user("Why?"), "c": user(IDE), "m": model("So."), "s": user("System: x")}
    return [made[letter] for letter in letters]


GROUPS = "|pm|pm pm|p pm|cpm cpm|pm ccp|pmcm p|mspm|mcpm|mm|c|pmc|pmcs|psm"


@pytest.mark.parametrize("groups", GROUPS.split("|"))
def test_an_exchange_ends_at_the_next_real_prompt(groups):
    letters = groups.replace(" ", "")
    messages = session(drawn(letters)).messages
    grouped = exchanges(messages)
    assert [len(group) for group in grouped] == [len(group) for group in groups.split()]
    assert [message for group in grouped for message in group] == messages
    places, prompts = exchange_places(messages)
    assert [place for group in places for place in group] == list(range(len(letters)))
    assert prompts == [place for place, letter in enumerate(letters) if letter == "p"]


def test_tools_are_named_by_imported_entries_alone():
    view = session([model("a", toolsUsed=["grep", 5]), model("b", toolsUsed="grep"), model("c")])
    assert [tools_named(message) for message in view.messages] == [["grep", "5"], None, None]

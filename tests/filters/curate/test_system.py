"""`system`: texts for a program go, but pinned ones and those that are to be kept."""

import pytest

from codeh_history.filters.curate.passes import Settings, system
from histories import call, model, session, user

CASES = {
    "of either role": ([user("System: a"), model("System: b"), user("c")], ["m0", "m1"]),
    "at the beginning alone": ([user("The System: a"), user(" System: b")], []),
    "pinned ones stay": ([user("System: a", pinned=True), user("System: b")], ["m1"]),
    "with a call it stays": ([model("System: a", call())], []),
    "over several texts": ([user("Sys", "tem: a")], ["m0"]),
    "in a thought it says nothing": ([model({"text": "System: a", "thought": True}, "b")], []),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "expected"), CASES.values(), ids=CASES)
def test_texts_for_a_program_go(messages, expected):
    assert [id for op in system(session(messages), Settings()) for id in op["ids"]] == expected


def test_what_any_pattern_is_found_in_stays():
    def having(word):
        return lambda texts, ids: [word in text for text in texts]

    view = session([user("System: tick"), user("System: boot"), user("System: halt")])
    (op,) = system(view, Settings(keep_system=[having("tick"), having("halt")]))
    assert op["ids"] == ["m1"]
    assert system(view, Settings(keep_system=[having("System")])) == []

"""What `undo` takes back, and what stays."""

import pytest

from codeh_history.session.undo import last_turn, newest, reverts
from folding import SEQUENCES, TS, drop, eleven, short, twice, w


@pytest.mark.parametrize(
    ("log", "name"),
    [
        (w().a("a").s("S", "a").x().a("b").undo().undo(), "sequence-33"),
        (w().o("m").d("m", "Hi").x().a("b").c("m").undo(), "sequence-34-undo"),
        (w().a("a").a("b").undo().a("c").undo(), "sequence-40"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_undo_takes_back_what_the_sequence_says(log, name):
    assert log.bytes() == SEQUENCES[name].log


def test_a_repeated_undo_is_one_undo():
    assert reverts(twice(w().a("a").r("r", "a"), w(), w()).view()) == ["r"]


def test_an_edit_is_undone_as_the_newest_where_it_was_committed():
    log = w().a("a", "v1").u("U", "a", "v2").a("b").c("U")
    step = newest(log.view())
    assert step is not None
    assert (step.type, step.id) == ("update", "U")


def test_an_edit_that_is_committed_by_its_message_is_undone_as_an_edit():
    view = eleven().u("V", "a", "v3").a("c").c("a").view()
    target = newest(view)
    assert short(view) == "a=v3 b c"
    assert target is not None
    assert target.id == "V"


def test_undo_leaves_errors_and_notes_aside():
    log = w().a("a").add(type="message", id="e", ts=TS, kind="error", parts=[{"text": "no"}])
    assert short(log.undo().view()) == "e=no"


def test_a_turn_is_the_last_prompt_and_what_followed():
    view = w().a("a").a("b").u("U", "a", "v2").x().a("c").u("V", "c", "v2").view()
    assert [step.id for step in last_turn(view)] == ["V", "c"]
    assert last_turn(w().x().view()) == []


def test_an_undo_that_was_undone_is_none_any_more():
    log = w().a("a").a("b").r("r1", "b").r("r2", "a").r("r3", "r1")
    assert reverts(log.view()) == ["r2", "r3"]


def test_a_turn_begins_with_a_real_prompt():
    """Neither a result nor what an editor says is one."""
    log = w().a("a").a("b", parts=[{"functionResponse": {"name": "f", "response": {}}}], kind="tool")
    assert [step.id for step in last_turn(log.a("c", "# IDE Context").view())] == ["c", "b", "a"]


def test_a_hidden_prompt_begins_no_turn():
    assert [step.id for step in last_turn(w().a("a").a("b").k("K", drop("b")).view())] == ["K", "b", "a"]


def test_where_nothing_is_left_nothing_is_newest():
    assert newest(w().view()) is None
    assert newest(w().a("a").undo().view()) is None

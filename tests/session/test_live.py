"""Lines that do not count: what was undone, and two copies joined, which read as their union."""

from __future__ import annotations

import pytest
from test_fold import SEQUENCES, TS, folded, short, text_of, told, twice, w

from codeh_history.session.fold import fold
from codeh_history.session.records import Log, lines_of, parse
from conformance import Case, cases

REPEATED = cases("repeated-")


def test_a_revert_that_names_nothing_earlier_is_noted() -> None:
    assert len(folded(SEQUENCES["sequence-39"]).notes) == 2


@pytest.mark.parametrize("case", REPEATED.values(), ids=REPEATED)
def test_a_repeated_line_counts_at_its_first_place(case: Case) -> None:
    names = {m.id: "hi" for m in folded(case).messages if text_of(m.parts) == "hi"}
    found = short(folded(case))
    for id, name in names.items():
        found = found.replace(f"{id}=hi", name)
    assert found == told(case)


def test_a_repeated_line_may_be_spelled_otherwise() -> None:
    log = w().a("a").x().a("b").bytes()
    copy = b'{"ts": "%s", "id": "X", "type": "clear"}\n' % TS.encode()
    assert short(fold(parse(lines_of(log + copy + w().a("c").bytes())))) == "b c"


def test_what_differs_in_anything_is_no_repeat() -> None:
    log = w().a("a").x().a("b").bytes()
    copy = b'{"ts": "%s", "id": "X", "type": "clear", "n": 1}\n' % TS.encode()
    assert short(fold(parse(lines_of(log + copy)))) == ""


def test_an_unknown_line_is_passed_on_once() -> None:
    view = twice(w().a("a").add(type="later", id="l", n=1), w().add(type="later", n=2), w()).view()
    assert [record.data.get("n") for record in view.carried] == [1, 2]


def test_repeats_are_not_printed_expanded_or_copied() -> None:
    from codeh_history.commands.expand import expand
    from codeh_history.commands.fork import up_to
    from codeh_history.session import stream

    once = w().a("a").a("b")
    view = twice(once, w().a("c"), w()).view()
    assert b"".join(stream.lines(view)) == w().a("a").a("b").a("c").bytes()
    assert expand(view, "a", session="s") == [once.bytes().split(b"\n")[0]]
    forked = fold(Log(up_to(view, view.all["b"]), [], 0))
    assert [message.id for message in forked.messages] == ["a", "b"]


def test_a_repeated_undo_takes_back_no_more_than_it_did() -> None:
    log = w().a("a", "v1").r("R", "a").a("a", "v2").a("a", "v1").r("R", "a")
    assert short(log.view()) == "a=v2"

"""The rolling window: when a batch is due, which exchanges it takes, what stays, what a summary stands for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.session.exchanges import exchanges
from codeh_history.summaries import window
from talks import call, result, talk, view


@pytest.mark.parametrize(
    "count, most, least, batch",
    [
        (50, 50, 10, 0),
        (51, 50, 10, 10),
        (60, 50, 10, 10),
        (61, 50, 10, 11),
        (70, 50, 10, 20),
        (6, 5, 10, 0),  # a batch of ten would take the newest: it waits
        (11, 5, 10, 10),
        (10, 5, 10, 0),
        (6, 5, 1, 1),
        (2, 1, 1, 1),
        (1, 1, 1, 0),
        (0, 1, 1, 0),
    ],
)
def test_due(count, most, least, batch):
    due = window.due(view(talk(count)).messages, most, least)
    assert (due.count if due else 0) == batch
    if due:
        assert due.ids == [f"{kind}{n}" for n in range(batch) for kind in "ua"]


def test_a_unit_that_crosses_the_batch_end_is_kept_whole():
    """Of two calls one is answered later than the batch ends: call, both answers and all between stay."""
    records = talk(12)
    records[1]["parts"] = [{"functionCall": {"id": id, "name": "f", "args": {}}} for id in "xy"]
    records[22:22] = [result("ty", "y")]
    records[2:2] = [result("tx", "x")]
    due = window.due(view(records).messages, 2, 2)
    assert due is not None
    assert not {"a0", "tx", "ty"} & set(due.ids)
    assert "u1" in due.ids


def test_missing_messages_stay_covered():
    """An id that no live message has (it was undone, or its line is damaged) may come back."""
    shown = view([*talk(1), summary("S", ["u0", "gone", "also"])])
    assert window.stands_for(shown.summaries, shown) == ["u0", "also", "gone", "S"]


def test_times_out_of_order_and_without_milliseconds():
    records = talk(3)
    records[0]["ts"] = records[1]["ts"] = "2026-03-01T00:00:00Z"
    del records[2]["ts"]
    due = window.due(view(records).messages, 1, 2)
    assert due is not None
    assert (due.start, due.end) == ("2026-01-02T12:00:00.000Z", "2026-03-01T00:00:00Z")


def covered(records, most=1, least=1):
    due = window.due(view(records).messages, most, least)
    return due.ids if due else []


def test_pins_stay_and_the_rest_of_their_exchange_goes():
    assert covered(talk(4, pinned={1}), 2) == ["u0", "a0", "a1"]


def test_a_pinned_result_keeps_its_call():
    records = [talk(1)[0], call("c", "k1"), result("r", "k1", pinned=True), talk(1)[1], *talk(3)[2:]]
    assert covered(records) == ["u0", "a0", "u1", "a1"]


def test_a_call_answered_outside_of_the_batch_stays():
    records = [talk(1)[0], call("c", "k1"), *talk(3)[2:4], result("r", "k1"), *talk(3)[4:]]
    assert covered(records, 2, 1) == ["u0"]  # the result stands in the second exchange
    assert covered(records, 1, 1) == ["u0", "c", "u1", "a1", "r"]


def test_pending_content_stays():
    opened = {"type": "open", "id": "p", "kind": "codeh", "role": "model"}
    delta = {"type": "delta", "of": "p", "parts": [{"text": "half"}]}
    assert covered([*talk(1), opened, delta, *talk(3)[2:]]) == ["u0", "a0", "u1", "a1"]


def test_exchanges_of_nothing_but_pins_are_passed_over():
    records = talk(5, pinned={0, 1})
    for number in (1, 3):
        records[number]["pinned"] = True
    assert covered(records, 4, 1) == ["u2", "a2"]
    assert covered(records, 4, 3) == []


@given(st.integers(0, 40), st.sets(st.integers(0, 40)), st.integers(1, 12), st.integers(1, 8))
def test_laws(count, pinned, most, least):
    shown = view(talk(count, pinned=pinned)).messages
    due = window.due(shown, most, least)
    groups = exchanges(shown)
    if due is None:
        eligible = len(groups) - 1
        assert len(groups) <= most or eligible < max(len(groups) - most, least) or eligible < least
        return
    ids = set(due.ids)
    assert due.count >= least
    assert ids
    assert not ids & {message.id for message in groups[-1]}
    assert not ids & {message.id for message in shown if message.pinned}
    assert due.ids == [message.id for message in shown if message.id in ids]


def summary(id, covers):
    created = "2026-02-01T00:00:00.000Z"
    return {"type": "summary", "id": id, "createdAt": created, "summary": id, "covers": covers}


def test_what_summaries_stand_for():
    covers = {"S": ["u0", "a0"], "T": ["u1", "a1"], "Z": ["u0", "a0", "S", "T"]}
    shown = view([*talk(4), *(summary(id, ids) for id, ids in covers.items())])
    assert [s.id for s in shown.summaries] == ["Z"]
    assert window.stands_for(shown.summaries, shown) == ["u0", "a0", "u1", "a1", "Z", "S", "T"]


def test_facts_a_record_lacks_come_from_what_it_covers():
    shown = view([*talk(3), summary("S", ["u0", "a0", "u1", "a1"])])
    assert window.facts(shown.summaries[0], shown) == {
        "id": "S", "createdAt": "2026-02-01T00:00:00.000Z", "periodStart": "2026-01-01T12:00:00.000Z",
        "periodEnd": "2026-01-02T12:00:00.000Z", "summary": "S", "conversationCount": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "count, more, expected", [(5, 0, False), (5, 1, True), (6, 0, True), (0, 1, False)]
)
def test_foldable(count, more, expected):
    shown = view([*talk(7), *(summary(f"S{n}", [f"u{n}", f"a{n}"]) for n in range(count))])
    assert window.foldable(shown.summaries, more) == expected

"""A compaction in the making: its history, and what it costs at every step."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.filters.compact.draft import Draft, History
from codeh_history.filters.compact.plan import Settings
from codeh_history.session.ops import apply
from codeh_history.tokens.counter import open_counter
from compact.long import request_cost
from compact.short import tool_call
from histories import model, session, user
from strategies import view_of

APPROX = open_counter("approx")
WORDS = "some words of no weight at all "


def talk():
    calls = [m for n in range(4) for m in tool_call(f"c{n}", "bash", {"n": n}, {"output": WORDS * 9})]
    return session([user(WORDS), *calls, model(WORDS * 3, WORDS), user("And now?")])


def draft(view, target=0, counter=APPROX):
    return Draft(History(view, counter, Settings(budget=target)), target)


def after(view, made):
    return apply(view, [step.op for step in made.finished()])


@given(data=st.data())
def test_the_total_is_what_the_result_costs_whatever_is_done(data):
    view = talk()
    made = draft(view)
    assert made.total == request_cost(APPROX, view)
    units = made.history.layout.units
    for unit in data.draw(st.lists(st.sampled_from(units), unique_by=tuple, max_size=4)):
        how = data.draw(
            st.sampled_from(["drop", "replace", "remove"] + ["summarize"] * (not made.summaries))
        )
        if how == "drop":
            made.drop("s", unit, "w")
        elif how == "summarize":
            made.summarize("s", unit, {"summary": f"Sum of {unit}."}, absorb=False)
        else:
            place = unit[-1], len(view.messages[unit[-1]].parts) - 1
            old = made.history.part(place)
            small = (
                {**old, "text": "s"}
                if "text" in old
                else {"functionResponse": {**old["functionResponse"], "response": {}}}
            )
            new = small if how == "replace" or len(view.messages[unit[-1]].parts) < 2 else None
            made.replace("s", [(place, new, "w")], whole=True)
    assert made.total == request_cost(APPROX, after(view, made))


def test_nothing_is_put_in_place_that_is_not_smaller():
    made = draft(talk())
    made.replace("s", [((0, 0), {"text": WORDS[::-1]}, "w")])
    assert (made.new, made.finished()) == ({}, [])
    made.replace("s", [((0, 0), {"text": WORDS[:-4]}, "w")])
    assert made.new == {(0, 0): {"text": WORDS[:-4]}}


def test_what_is_replaced_twice_is_one_step_from_what_it_was():
    view = talk()
    made = draft(view)
    whole = made.size((0, 0))
    made.replace("first", [((0, 0), {"text": "some words"}, "w")])
    made.replace("second", [((0, 0), {"text": "x"}, "v")])
    (step,) = made.finished()
    assert (step.stage, step.why, step.before, step.after) == ("second", "v", whole, 1)
    assert after(view, made).messages[0].parts == [{"text": "x"}]


def test_a_replacement_within_what_goes_after_all_is_no_step():
    view = talk()
    made = draft(view)
    made.replace("s", [((0, 0), {"text": "x"}, "w")])
    before = made.cost([0])
    made.drop("t", [0], "old")
    (step,) = made.finished()
    assert (step.stage, step.op["ids"], step.before, step.after) == ("t", ["m0"], before, 0)
    assert made.total == request_cost(APPROX, after(view, made))


def test_replacements_stop_where_it_fits():
    view = talk()
    places = [(n, 0) for n in (2, 4, 6, 8)]
    small = {"functionResponse": {"name": "bash", "response": {}}}
    changes = [(place, small, "w") for place in places]
    saved = draft(view).savings(changes)[0]
    total = draft(view).total
    for target, count in ((total, 0), (total - 1, 1), (total - saved, 1), (total - saved - 1, 2), (0, 4)):
        made = draft(view, target)
        made.replace("s", changes)
        assert list(made.new) == places[:count]
    made = draft(view, total - 1)
    made.replace("s", changes, whole=True)
    assert list(made.new) == places


def test_what_is_free_is_neither_gone_nor_doomed_nor_changed():
    made = draft(talk())
    made.drop("s", [1, 2], "w")
    made.to_summarize.update((3, 4))
    made.replace("s", [((6, 0), {"text": "x"}, "w")])
    assert made.free() == [(5, 0), (7, 0), (8, 0)]
    assert made.free(8) == [(5, 0), (7, 0)]


def test_half_a_unit_or_twice_the_same_is_never_written():
    made = draft(talk())
    made.drop("s", [1, 2], "w")
    made.drop("s", [1, 2], "w")
    with pytest.raises(RuntimeError, match="lost count"):
        made.finished()


S = {"type": "summary", "id": "S", "createdAt": "t", "summary": "Earlier.", "covers": ["x"]}


@pytest.mark.parametrize("absorb", [False, True])
def test_a_summary_stands_beside_an_earlier_one_or_takes_it_in(*, absorb):
    records = [{"type": "message", "id": id, "kind": "user", "role": "user", "ts": f"2026-01-0{n}T00:00:00.000Z", "parts": [{"text": WORDS}]}
               for n, id in enumerate("xabc", 1)]  # fmt: skip
    view = view_of([*records, S])
    made = draft(view)
    foreseen = made.summary_total("Sum.", [0, 1], absorb=absorb)
    made.summarize("s", [0, 1], {"summary": "Sum."}, absorb=absorb)
    (step,) = made.finished()
    op = step.op
    assert op["ids"] == (["a", "b", "S"] if absorb else ["a", "b"])
    assert (op["periodStart"][:10], op["periodEnd"][:10], op["conversationCount"]) == (
        "2026-01-02",
        "2026-01-03",
        2,
    )
    shown = after(view, made)
    assert [summary.text for summary in shown.summaries] == (["Sum."] if absorb else ["Earlier.", "Sum."])
    assert made.total == foreseen == request_cost(APPROX, shown)
    assert (step.before or 0) - (step.after or 0) == request_cost(APPROX, view) - request_cost(
        APPROX, shown
    )


def test_a_calibrated_counter_tells_its_own_sizes():
    made = draft(talk(), counter=APPROX.calibrated(2.0))
    before = made.cost([0])
    made.drop("s", [0], "w")
    assert [step.before for step in made.finished()] == [2 * before]

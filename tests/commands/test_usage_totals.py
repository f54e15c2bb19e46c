"""Responses summed up: each once, whoever repeats it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.usage.totals import Query, summed, with_owners

ROWS = st.lists(
    st.builds(
        lambda name, model, input, cost: [name, None, None, model, input, 0, 0, 1, 0, None, cost],
        st.sampled_from("abc"), st.sampled_from(["m", "n"]), st.sampled_from([1, 2]), st.sampled_from([None, 0.5]),
    ), max_size=5,
)  # fmt: skip


@given(st.lists(ROWS, max_size=4), st.sampled_from(["model", "session", "day"]))
def test_copies_change_nothing(responses, by):
    about = {"parent": None, "agent": False, "program": None, "cwd": None}
    rows = [
        {"id": f"s{n}", "created": f"{n}", "responses": found, **about} for n, found in enumerate(responses)
    ]
    copies = [{**row, "id": f"{row['id']}-copy", "parent": row["id"], "created": "9"} for row in rows]
    once, twice = summed(with_owners(rows), Query(by)), summed(with_owners(copies + rows), Query(by))
    assert once.total.responses == len(
        {(name, model, input) for found in responses for name, _, _, model, input, *_ in found}
    )
    assert [(name, vars_of(total)) for name, total in once.groups.items()] == [
        (name, vars_of(total)) for name, total in twice.groups.items()
    ]


def vars_of(total):
    return [getattr(total, name) for name in total.__slots__]


def row(id, *responses, **more):
    about = {"parent": None, "agent": False, "program": None, "cwd": None, "created": "1"}
    return {"id": id, **about, **more, "responses": list(responses)}


def response(name, ts="2026-01-31T23:30:00.000Z", cost=1.0, **more):
    given = {"provider": "p", "model": "m", "input": 10, "output": 2, **more}
    return [
        name,
        ts,
        given["provider"],
        given["model"],
        given["input"],
        0,
        0,
        given["output"],
        0,
        None,
        cost,
    ]


def groups(rows, by, **more):
    return {
        name: total.responses for name, total in summed(with_owners(rows), Query(by, **more)).groups.items()
    }


@pytest.mark.parametrize(
    ("by", "found"),
    [
        ("day", {"2026-01-31": 1, "2026-02-01": 2, "?": 1}), ("month", {"2026-01": 1, "2026-02": 2, "?": 1}),
        ("week", {"2026-W05": 3, "?": 1}), ("model", {"m": 3, "?": 1}), ("provider", {"p": 4}), ("session", {"a": 4}),
        ("program", {"codeh-history": 4}), ("dir", {"?": 4}),
    ],
)  # fmt: skip
def test_a_response_is_in_the_group_of_its_time_its_maker_or_its_session(by, found):
    later = "2026-02-01T00:00:00.000Z"
    rows = [
        row("a", response("1"), response("2", later), response("3", None), response("4", later, model=None))
    ]
    assert list(groups(rows, by).items()) == list(found.items())


def test_days_may_be_those_of_the_machine(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert groups([row("a", response("1"))], "day", local=True) == {"2026-02-01": 1}
        assert groups([row("a", response("1"))], "week", local=True) == {"2026-W05": 1}
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("since", "until", "count"),
    [(None, None, 2), ("2026-01-31T23:30:00.000Z", None, 1), ("2026-01-31T23:30:00.001Z", None, 0), (None, "2026-01-31T23:30:00.000Z", 1),
     (None, "2026-01-31T23:29:59.999Z", 0)],
)  # fmt: skip
def test_of_what_has_no_time_nothing_is_known_within_bounds(since, until, count):
    rows = [row("a", response("1"), response("2", None))]
    assert sum(groups(rows, "model", since=since, until=until).values()) == count


def test_what_a_sub_agent_used_counts_to_whom_it_works_for():
    rows = [row("a", response("1")), row("b", response("2"), parent="a", agent=True), row("c", response("3"), parent="b", agent=True),
            row("fork", response("4"), parent="a"), row("x", response("5"), parent="y", agent=True), row("y", response("6"), parent="x", agent=True)]  # fmt: skip
    found = groups(rows, "session")
    assert (found["a"], found["fork"]) == (3, 1)
    assert sum(found.values()) == 6  # two that name each other are counted all the same


def test_the_dearest_is_first_and_what_has_no_price_is_counted_apart():
    rows = [
        row(
            "a",
            response("1", cost=None, model="x"),
            response("2", cost=None, model="x", input=11),
            response("3", cost=2.0, model="y"),
            response("4", cost=3.0, model="z"),
        )
    ]
    found = summed(with_owners(rows), Query("model"))
    assert list(found.groups) == ["z", "y", "x"]
    assert (found.total.cost, found.total.unpriced, found.unpriced) == (5.0, 2, {"x": 2})
    assert found.total.tokens == 10 + 11 + 10 + 10 + 8

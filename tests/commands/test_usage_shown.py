"""What `usage` prints: the same numbers as columns and as JSON, and what has no price is never for nothing."""

from collections import Counter

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.base.env import Env
from codeh_history.commands.usage import shown
from codeh_history.commands.usage.totals import Sums, Total
from codeh_history.tokens.prices import table


def total(responses, cost=0.0, unpriced=0):
    made = Total()
    made.responses, made.cost, made.unpriced, made.counts = responses, cost, unpriced, [1, 2, 3, 4, 5]
    return made


def found(**groups):
    whole, unpriced = Total(), Counter[str]()
    for name, one in groups.items():
        for name_ in ("responses", "cost", "unpriced"):
            setattr(whole, name_, getattr(whole, name_) + getattr(one, name_))
        whole.counts = [a + b for a, b in zip(whole.counts, one.counts, strict=True)]
        if one.unpriced:
            unpriced[name] += one.unpriced
    return Sums("model", groups, whole, unpriced)


def printed(tmp_path, what, *, json=False, own=None):
    with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
        shown.write(Env({}, stdout=out.fileno(), stderr=err.fileno()), what, table(), own=own, json=json)
    return (tmp_path / "out").read_text(), (tmp_path / "err").read_text()


def test_in_a_pipe_a_group_is_a_line_and_the_last_is_all_of_it(tmp_path):
    out, err = printed(
        tmp_path, found(a=total(2, 1.5), b=total(1, unpriced=1), c=total(3, 0.25, 1)), own="mine"
    )
    rows = [line.split("\t") for line in out.splitlines()]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("a", "2", "1.500000"), ("b", "1", "?"), ("c", "3", "0.250000+?"), ("total", "6", "1.750000+?"),
    ]  # fmt: skip
    assert rows[0][2:7] == ["1", "2", "3", "4", "5"]
    assert f"prices: {table().source}, {table().date}; mine\n" in err
    assert "no price for 2 responses: b (1), c (1) (--prices FILE)\n" in err


def test_as_json_a_price_that_nobody_knows_is_null(tmp_path):
    out, _ = printed(tmp_path, found(a=total(2, 1.23456789), b=total(1, unpriced=1)), json=True)
    value = orjson.loads(out)
    assert [(row["model"], row["cost"], row["unpriced"]) for row in value["rows"]] == [
        ("a", 1.234568, 0),
        ("b", None, 1),
    ]
    assert value["total"] == {
        "responses": 3,
        "input": 2,
        "cached": 4,
        "cacheWrite": 6,
        "output": 8,
        "reasoning": 10,
        "cost": 1.234568,
        "unpriced": 1,
    }
    assert value["unpriced"] == {"b": 1}
    assert set(value["prices"]) == {"source", "date"}


def test_where_nothing_was_used_it_is_said(tmp_path):
    assert printed(tmp_path, found()) == ("", "codeh-history: no usage recorded\n")


def test_of_many_models_without_a_price_the_first_are_named(tmp_path):
    what = found(**{f"m{number}": total(number, unpriced=number) for number in range(1, 9)})
    _, err = printed(tmp_path, what)
    assert "no price for 36 responses: m8 (8), m7 (7), m6 (6), m5 (5), m4 (4) and 3 more models" in err


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (9999, "9999"),
        (10_000, "10.0k"),
        (99_949, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (999_500, "1.0M"),
        (12_345_678, "12.3M"),
        (5 * 10**9, "5.0G"),
        (10**13, "10.0T"),
    ],
)
def test_a_number_on_a_terminal_is_short(number, text):
    assert shown._short(number) == text


@given(st.integers(0, 10**13), st.integers(0, 10**13))
def test_no_number_is_long_and_a_larger_one_never_looks_smaller(one, two):
    def read(text):
        return float(text.rstrip("kMGT")) * {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}.get(text[-1], 1)

    low, high = sorted((one, two))
    assert len(shown._short(low)) <= 5
    assert read(shown._short(low)) <= read(shown._short(high))
    assert read(shown._short(high)) == pytest.approx(high, rel=0.051)

"""Responses summed up: each once, whoever repeats it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from codeh_history.commands.usage.totals import Asked, summed, with_owners
from inside import inside


def used(home: Path, *argv: str, code: int = 0) -> Any:
    done = inside("usage", "--json", *argv, home=home)
    assert done.code == code, done
    return orjson.loads(done.out)


def by(home: Path, what: str, *argv: str) -> dict[str, Any]:
    """The number of responses of each group."""
    return {row[what]: row["responses"] for row in used(home, "--by", what, *argv)["rows"]}


ROWS = st.lists(
    st.builds(
        lambda name, model, input, cost: [name, None, None, model, input, 0, 0, 1, 0, None, cost],
        st.sampled_from("abc"), st.sampled_from(["m", "n"]), st.sampled_from([1, 2]), st.sampled_from([None, 0.5]),
    ), max_size=5,
)  # fmt: skip


@given(st.lists(ROWS, max_size=4), st.sampled_from(["model", "session", "day"]))
def test_copies_change_nothing(responses: list[list[Any]], by: str) -> None:
    about = {"parent": None, "agent": False, "program": None, "cwd": None}
    rows = [
        {"id": f"s{n}", "created": f"{n}", "responses": found, **about} for n, found in enumerate(responses)
    ]
    copies = [{**row, "id": f"{row['id']}-copy", "parent": row["id"], "created": "9"} for row in rows]
    once, twice = summed(with_owners(rows), Asked(by)), summed(with_owners(copies + rows), Asked(by))
    assert once.total.responses == len(
        {(name, model, input) for found in responses for name, _, _, model, input, *_ in found}
    )
    assert [(name, vars_of(total)) for name, total in once.groups.items()] == [
        (name, vars_of(total)) for name, total in twice.groups.items()
    ]


def vars_of(total: Any) -> list[Any]:
    return [getattr(total, name) for name in total.__slots__]

"""Limits as options ask for them: amounts, shares and policies, and what contradicts itself."""

import orjson
import pytest

from codeh_history.base.errors import BadData, Usage
from codeh_history.base.shared_options import Compaction
from codeh_history.filters.compact import bounds
from codeh_history.filters.compact.bounds import Limits, demanding, limits, read_plan
from codeh_history.session.ops import apply
from histories import model, session, user


def asked(**options):
    return limits(Compaction(**options))


def test_amounts_are_read_as_people_write_them():
    found = asked(budget="32k", max_chars="1M", max_items="50", keep_last="3")
    assert (found.budget, found.characters, found.items, found.keep_last) == (32_000, 1_000_000, 50, 3)
    assert not asked().limiting


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": "many"}, "--budget"), ({"max_items": "0.5"}, "--max-items"), ({"policy": "best"}, "--policy best: one of"),
        ({"upload_share": 1.5}, "--upload-share 1.5"), ({"history_share": -0.1}, "--history-share -0.1"), ({"upload_share": 0.7, "history_share": 0.5}, "together"),
        ({"counter": "nobody"}, "nobody"),
    ],
)  # fmt: skip
def test_a_wrong_one_is_named(options, message):
    with pytest.raises(Usage, match=message):
        asked(**options)


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ({}, (0.6, 0.2)), ({"upload_share": 0.9}, (0.9, pytest.approx(0.1))), ({"upload_share": 1.0}, (1.0, 0.0)), ({"history_share": 0.4}, (0.6, 0.4)),
        ({"upload_share": 0.5, "history_share": 0.5}, (0.5, 0.5)),
    ],
)  # fmt: skip
def test_a_share_that_is_not_given_is_what_the_other_leaves(options, shares):
    assert asked(**options).shares == shares


@pytest.mark.parametrize(
    ("options", "policy"), [({}, "tiered"), ({"upload_share": 0.5}, "loop"), ({"history_share": 0.1}, "loop"), ({"upload_share": 0.5, "policy": "tiered"}, "tiered")]
)  # fmt: skip
def test_who_gives_a_share_means_the_policy_that_has_some(options, policy):
    assert asked(**options).named == policy


@pytest.mark.parametrize(
    ("found", "refused"),
    [
        (Limits(), True), (Limits(budget=9), False), (Limits(characters=9), False), (Limits(items=9), False), (Limits(keep_last=9), False),
        (Limits(policy="loop"), True), (Limits(items=9, calibrated=True), True), (Limits(budget=9, calibrated=True), False), (Limits(items=9, calibrated=True, insisting=False), False),
    ],
)  # fmt: skip
def test_something_has_to_be_limited(found, *, refused):
    if refused:
        with pytest.raises(Usage):
            demanding(found)
    else:
        assert demanding(found) is found


@pytest.mark.parametrize("data", [b"no JSON", b"[]", b'{"ops":[{"op":"drop","ids":["nobody"]}]}'])
def test_a_plan_that_is_none_is_named_by_its_file(data):
    with pytest.raises(BadData, match=r"plan\.json"):
        read_plan(data, "plan.json", session([user("a")]))


def test_a_plan_is_read_from_a_file():
    data = orjson.dumps({"ops": [{"op": "drop", "ids": ["m0"], "why": "w"}]})
    assert [op["ids"] for op in read_plan(data, "plan.json", session([user("a"), user("b")])).ops] == [
        ["m0"]
    ]


# -- how many messages and exchanges ----------------------------------------------------------------------


def test_a_hundred_and_three_messages_in_turns_of_two_become_ninety_nine():
    view = session([user("q") if n % 2 == 0 else model("a") for n in range(103)])
    after = apply(view, bounds.items(view, 100).ops)
    assert len(after.messages) == 99
    assert after.messages[0].id == "m4"


def test_keep_last_alone_keeps_exchanges_and_pins():
    view = session(
        [{**user("pin"), "pinned": True}, model("a"), user("b"), model("c"), user("d"), model("e")]
    )
    after = apply(view, bounds.last(view, 1).ops)
    assert [message.id for message in after.messages] == ["m0", "m4", "m5"]

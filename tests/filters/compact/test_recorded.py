"""Every recorded conversation at several budgets: it fits, nothing is lost, everybody takes it, undo is exact."""

import orjson
import pytest

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.replay import replay
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.records import lines_of, parse
from codeh_history.tokens import open_counter
from codeh_history.views.result import compaction
from compact import long, recorded
from compact.long import cost, line, request_cost
from length import by_length, not_short
from shown_contents import contents

COUNTER = open_counter(None)
SHARES = (1.0, 0.5, 0.25, 0.1, 0.05)
EACH = by_length(6, 1, 1)  # of the conversations
FILLED = 0.97  # of the budget, where there are units of every size


@pytest.fixture(scope="module")
def conversations():
    found = list(recorded.conversations())
    assert len(found) > 100
    return found


def test_every_recorded_conversation_at_every_budget(conversations):
    fitted = refused = 0
    for name, messages in conversations[EACH - 1 :: EACH]:
        log = b"".join(map(line, recorded.records(messages)))
        view = fold(parse(lines_of(log)))
        size = cost(COUNTER, view)
        floor = compact(view, Settings(budget=size, exact=True), COUNTER).floor
        before = long.refused(view)
        for share in SHARES:
            budget = max(1, int(size * share))
            try:
                plan = compact(view, Settings(budget=budget), COUNTER)
            except BudgetUnreachable:
                assert budget < floor, (name, share)
                refused += 1
                continue
            fitted += 1
            assert budget >= floor, (name, share)
            check(name, log, view, plan, budget)
            assert name != "coding" or share == 1 or plan.after >= budget * FILLED, share
            assert before or long.refused(apply(view, plan.ops)) == {}, (name, share)
    assert fitted > 300 // EACH
    assert refused > 0


def check(name, log, view, plan, budget):
    after = apply(view, plan.ops)
    assert request_cost(COUNTER, after) <= budget, name
    assert plan.after is None or plan.after == request_cost(COUNTER, after), name
    known = {message.id for message in view.messages}
    gone = [id for op in plan.ops for id in op.get("ids", ()) if id in known]
    assert len(gone) == len(set(gone)), name
    assert {message.id for message in after.messages} == known - set(gone), name
    again = compact(view, Settings(budget=budget), COUNTER)
    assert orjson.dumps(again.ops) == orjson.dumps(plan.ops), name
    assert compact(after, Settings(budget=budget), COUNTER).ops == [], name
    if plan.ops:
        record = line(compaction("K", "2026-01-02T03:04:05.000Z", plan.ops, plan.fields()))
        revert = line({"type": "revert", "id": "R", "of": "K", "ts": None})
        folded = fold(parse(lines_of(log + record)))
        assert contents(folded, own="K") == contents(after, own="~"), name
        assert contents(fold(parse(lines_of(log + record + revert)))) == contents(view), name


@not_short
def test_compacting_in_place_is_cheaper_than_sending_everything(conversations):
    records = recorded.records(dict(conversations)["coding"])
    view = fold(parse(lines_of(b"".join(map(line, records)))))
    size = cost(COUNTER, view)
    everything = replay(view, None, COUNTER)
    assert everything["relative"] == 1
    assert everything["compactions"] == 0
    bill = replay(view, Settings(budget=size // 4), COUNTER)
    assert bill["requests"] == everything["requests"]
    assert bill["relative"] <= 0.37
    assert 0 < bill["compactions"] < 40

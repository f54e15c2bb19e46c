"""What later turns come back to, planted facts and recorded conversations survive compaction."""

import sys
from random import Random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recorded
from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.replay import cache_bill
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.records import parse
from codeh_history.tokens.counter import open_counter
from codeh_history.views.filtering import compaction
from compact import long, phrasings, planted
from compact.long import cost, line, request_cost
from length import by_length, not_short
from plain_logs import contents
from support import ROOT, corpus

sys.path.insert(0, str(ROOT / "tests" / "bench"))

import compaction_histories as histories
import compaction_recall as measure


def test_every_recorded_history_is_one_that_all_providers_take():
    corpus()
    for name, messages in histories.sessions().items():
        for case in histories.cut(name, messages):
            assert histories.refused(case.contents) == {}, case.name


@not_short
def test_later_turns_find_what_they_come_back_to():
    """Names in sentences: 0.80 at a quarter of the size, 0.50 at a tenth, in a real coding session, cut at four places."""
    corpus()
    by_share = {0.25: [], 0.10: []}
    for case in histories.cut("coding", histories.sessions()["coding"]):
        names = measure.wanted(case.contents, case.later, by_speech=True)
        assert len(names) >= 100
        for share, recalls in by_share.items():
            budget = int(case.size * share)
            after = apply(case.view, compact(case.view, Settings(budget=budget), histories.counter()).ops)
            assert histories.size_of(after) <= budget
            smaller = histories.contents_of(after)
            assert histories.refused(smaller) == {}
            recalls.append(measure.recall(names, smaller))
    means = [sum(recalls) / len(recalls) for recalls in by_share.values()]
    assert means[0] >= 0.80
    assert means[1] >= 0.50


def together(some):
    merged = {}
    for run in some:
        for key, all in run.items():
            merged.setdefault(key, []).extend(all)
    return merged


def check(results, slack=0):
    """Of the sure kinds and of the others as many as must be, but for `slack` facts."""
    for share, least in planted.LEAST.items():
        for kinds, wanted in zip((planted.SURE, planted.OTHERS), least, strict=True):
            all = [kept for kind in kinds for kept in results[share, kind]]
            assert sum(all) >= wanted * len(all) - slack, (share, kinds, sum(all), len(all))


@settings(max_examples=by_length(1, 2, 2))
@given(seed=st.integers(0, 1 << 30))
def test_facts_of_any_conversation_are_told(seed):
    random = Random(seed)
    check(planted.kept(planted.conversation(random, 60), 4, random), slack=1)


def test_facts_of_a_coding_session_are_told():
    corpus()
    check(planted.kept(recorded.coding(), 5, Random(1)))


def test_facts_in_other_words_are_told():
    random = Random(2)
    check(planted.kept(planted.conversation(random, 60), 10, random, phrasings.OTHER))


@pytest.mark.slow
def test_facts_in_other_words_are_told_of_a_coding_session():
    corpus()
    check(planted.kept(recorded.coding(), 10, Random(1), phrasings.OTHER))


@pytest.mark.slow
@pytest.mark.parametrize("name", planted.REAL)
def test_facts_of_real_sessions_are_told_wherever_they_stand(name):
    corpus()
    records = planted.real(name)
    check(together(planted.kept(records, 5, Random(seed)) for seed in range(8)))


COUNTER = open_counter(None)
SHARES = (1.0, 0.5, 0.25, 0.1, 0.05)
EACH = by_length(6, 1, 1)  # of the conversations
FILLED = 0.97  # of the budget, where there are units of every size


@pytest.fixture(scope="module")
def conversations():
    recordings = list(recorded.conversations())
    assert len(recordings) > 100
    return recordings


def test_every_recorded_conversation_at_every_budget(conversations):
    fitted = refused = 0
    for name, messages in conversations[EACH - 1 :: EACH]:
        log = b"".join(map(line, recorded.records(messages)))
        view = fold(parse(log))
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
            check_recorded(name, log, view, plan, budget)
            assert name != "coding" or share == 1 or plan.after >= budget * FILLED, share
            assert before or long.refused(apply(view, plan.ops)) == {}, (name, share)
    assert fitted > 300 // EACH
    assert refused > 0


def check_recorded(name, log, view, plan, budget):
    after = apply(view, plan.ops)
    assert request_cost(COUNTER, after) <= budget, name
    assert plan.after is None or plan.after == request_cost(COUNTER, after), name
    ids = {message.id for message in view.messages}
    gone = [id for op in plan.ops for id in op.get("ids", ()) if id in ids]
    assert len(gone) == len(set(gone)), name
    assert {message.id for message in after.messages} == ids - set(gone), name
    again = compact(view, Settings(budget=budget), COUNTER)
    assert orjson.dumps(again.ops) == orjson.dumps(plan.ops), name
    assert compact(after, Settings(budget=budget), COUNTER).ops == [], name
    if plan.ops:
        record = line(compaction("K", "2026-01-02T03:04:05.000Z", plan.ops, plan.fields()))
        revert = line({"type": "revert", "id": "R", "of": "K", "ts": None})
        folded = fold(parse(log + record))
        assert contents(folded, own="K") == contents(after, own="~"), name
        assert contents(fold(parse(log + record + revert))) == contents(view), name


@not_short
def test_compacting_in_place_is_cheaper_than_sending_everything(conversations):
    records = recorded.records(dict(conversations)["coding"])
    view = fold(parse(b"".join(map(line, records))))
    size = cost(COUNTER, view)
    everything = cache_bill(COUNTER, view, 2 * size, lambda *_: None)
    assert everything["relative"] == 1
    assert everything["compactions"] == 0
    bill = cache_bill(COUNTER, view, size // 4, lambda *_: None)
    assert bill["requests"] == everything["requests"]
    assert bill["relative"] <= 0.37
    assert 0 < bill["compactions"] < 40

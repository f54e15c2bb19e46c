"""The guarantees of every compaction, over histories of every kind.

G1 the result fits, or it is refused; G2 every provider takes it; G3 conservation; G4 undo is exact; G5 the
same again gives the same, and then nothing; G6 what must stay is verbatim; G7 least loss first; G8 in place
it starts late, reduces far, and requests keep their beginning until the next.
"""

from itertools import pairwise

import orjson
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import histories as odd
from codeh_history import providers
from codeh_history.base.errors import BudgetUnreachable
from codeh_history.base.shared_options import Compaction
from codeh_history.filters.compact import HIGH, LOW, Settings, compact, read
from codeh_history.filters.compact.draft import Draft, History
from codeh_history.filters.compact.tiered import LOSSLESS, STUBS
from codeh_history.filters.compact.units import units
from codeh_history.filters.curate import passes
from codeh_history.providers.request import Options
from codeh_history.session.exchanges import is_prompt
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from codeh_history.session.records import parse
from codeh_history.tokens.counter import Characters, open_counter
from codeh_history.views.filtering import compaction
from compact import long
from compact.long import line, request_cost, session, written
from plain_logs import contents

COUNTER = open_counter(None)
SYSTEM, TOOLS = "Be brief.", [{"name": "bash", "parameters": {"type": "object"}}]
shares = st.sampled_from([0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0])
policies = st.sampled_from(Compaction.DECLARED["policy"].choices)


def total(view, counter=COUNTER):
    return request_cost(counter, view, SYSTEM, TOOLS)


def settings(budget, **fields):
    return Settings(budget=max(1, budget), system=SYSTEM, tools=TOOLS, **fields)


def planned(view, share, counter=COUNTER, **fields):
    """The plan at a share of the view's size; None where it is refused."""
    try:
        return compact(view, settings(int(total(view, counter) * share), **fields), counter)
    except BudgetUnreachable:
        return None


def reached(records, share, **fields):
    """A view of the records and its plan, only where the budget can be reached."""
    view = session(records)
    plan = planned(view, share, **fields)
    assume(plan is not None)
    return view, plan


@example(records=written([(2, 92), (2, 536870911)]), share=0.05, policy="tiered")
@given(records=long.histories(), share=shares, policy=policies)
def test_the_result_fits_and_is_what_the_plan_says(records, share, policy):
    """G1."""
    view, plan = reached(records, share, policy=policy, exact=True)
    assert plan.before == total(view)
    assert plan.after == total(apply(view, plan.ops))
    assert plan.floor <= plan.after <= max(1, int(total(view) * share))


@example(records=written([(4, 1449)]), share=0.02, policy="loop")
@example(records=written([(4, 116690691), (4, 58345345)]), share=0.02, policy="loop")
@given(records=long.histories(), share=shares, policy=policies)
def test_a_budget_is_refused_only_below_the_floor(records, share, policy):
    """G1."""
    view = session(records)
    whole = compact(view, settings(total(view), exact=True, policy=policy), COUNTER)
    budget = max(1, int(total(view) * share))
    assert (planned(view, share, policy=policy) is None) == (budget < whole.floor)
    at_floor = compact(view, settings(whole.floor, policy=policy), COUNTER)
    assert total(apply(view, at_floor.ops)) <= whole.floor
    with pytest.raises(BudgetUnreachable, match=f"floor is {whole.floor:,}"):
        compact(view, settings(whole.floor - 1, policy=policy), COUNTER)


@given(records=long.histories(), share=shares, policy=policies)
def test_every_message_is_kept_replaced_summarized_or_dropped(records, share, policy):
    """G3."""
    view, plan = reached(records, share, policy=policy)
    messages = {message.id: message for message in view.messages}
    gone = [
        id for op in plan.ops if op["op"] in ("drop", "summarize") for id in op["ids"] if id in messages
    ]
    replaced = {op["id"] for op in plan.ops if op["op"] == "replace"}
    assert len(gone) == len(set(gone))
    assert not replaced.intersection(gone)
    after = {message.id: message for message in apply(view, plan.ops).messages}
    assert list(after) == [id for id in messages if id not in set(gone)]
    for id, message in after.items():
        assert (message.parts != messages[id].parts) == (id in replaced)
    texts = {id for op in plan.ops if op["op"] == "summarize" for id in op["ids"] if id not in messages}
    kept = [s.id for s in apply(view, plan.ops).summaries if not s.id.startswith("~")]
    assert kept == [s.id for s in view.summaries if s.id not in texts]


@example(records=written([(4, 228)]), share=0.02, policy="tiered", keep=0)
@given(records=long.histories(), share=shares, policy=policies, keep=st.integers(0, 2))
def test_what_must_stay_is_verbatim(records, share, policy, keep):
    """G6."""
    view, plan = reached(records, share, policy=policy, keep_last=keep)
    messages = view.sent
    grouped = {n: unit for unit in units(messages) for n in unit}
    prompts = [n for n, message in enumerate(messages) if is_prompt(message)]
    wanted = {n for n, message in enumerate(messages) if message.pinned}
    wanted.update(prompts[-1:], range(prompts[-keep], len(messages)) if 0 < keep <= len(prompts) else ())
    if messages and "last-unit" not in plan.stages and policy == "tiered":
        wanted.add(len(messages) - 1)
    after = {message.id: message.parts for message in apply(view, plan.ops).messages}
    for number in {n for place in wanted for n in grouped[place]}:
        assert after.get(messages[number].id) == messages[number].parts


@given(records=long.histories(), share=shares, policy=policies)
def test_units_go_whole(records, share, policy):
    """G2."""
    view, plan = reached(records, share, policy=policy)
    after = {message.id for message in apply(view, plan.ops).messages}
    messages = view.sent
    answered = [call for call in pair(messages).calls if call.answer is not None]
    assert all((call.message.id in after) == (call.answer.message.id in after) for call in answered)
    for before, message in pairwise(messages):  # thoughts alone go with the message they led to
        if message.role == before.role == "model" and all(part.get("thought") for part in before.parts):
            assert not before.parts or (before.id in after) <= (message.id in after)


@given(records=long.histories(), share=shares, policy=policies)
def test_every_provider_takes_the_result(records, share, policy):
    """G2."""
    view = session(records)
    plan = planned(view, share, policy=policy)
    assume(plan is not None and not long.refused(view))
    assert long.refused(apply(view, plan.ops)) == {}


@given(records=long.histories(), share=shares, policy=policies)
def test_the_same_again_gives_the_same_and_then_nothing(records, share, policy):
    """G5."""
    view, plan = reached(records, share, policy=policy)
    again = planned(session(records), share, policy=policy)
    assert orjson.dumps(plan.to_json()) == orjson.dumps(again.to_json())
    after = apply(view, plan.ops)
    assert compact(after, settings(int(total(view) * share), policy=policy), COUNTER).ops == []


@given(records=long.histories(), share=shares, policy=policies, later=long.histories(most=3))
def test_undo_is_exact_whatever_came_after(records, share, policy, later):
    """G4."""
    log = b"".join(map(line, records))
    view = fold(parse(log))
    plan = planned(view, share, policy=policy, hysteresis=True)
    assume(plan is not None and plan.ops)
    record = line(compaction("K", long.TS, plan.ops, plan.fields()))
    folded = fold(parse(log + record))
    assert contents(folded, own="K") == contents(apply(view, plan.ops), own="~")
    more = b"".join(line({**r, "id": f"later-{r['id']}", "covers": []}) for r in later[1:])
    undone = fold(
        parse(log + record + more + line({"type": "revert", "id": "R", "of": "K", "ts": long.TS}))
    )
    assert contents(undone) == contents(fold(parse(log + more)))


@example(records=written([(0, 1), (0, 1), (4, 3304), (4, 460839233)]), share=0.5, policy="tiered")
@given(records=long.histories(), share=shares, policy=policies)
def test_in_place_starts_late_and_reduces_far(records, share, policy):
    """G8."""
    view = session(records)
    budget = max(1, int(total(view) * share))
    plan = planned(view, share, policy=policy, hysteresis=True, exact=True)
    assume(plan is not None)
    if plan.before <= budget * HIGH:
        assert plan.ops == []
    elif plan.after > int(budget * LOW) and policy == "tiered":
        assert plan.floor > int(budget * LOW) - 61  # so little cannot be had
    after = apply(view, plan.ops)
    assert compact(after, settings(budget, policy=policy, hysteresis=True), COUNTER).ops == []


@given(records=long.histories(), share=shares, later=long.histories(most=3))
def test_requests_keep_their_beginning_after_a_compaction(records, share, later):
    """G8."""
    records = [*records, asking("first")]
    plan = planned(session(records), share, hysteresis=True)
    assume(plan is not None and plan.ops)
    record = compaction("K", long.TS, plan.ops, plan.fields())
    more = [
        {**r, "id": f"later-{r['id']}"} for r in later[1:] if r["type"] == "message" and r["kind"] != "tool"
    ]
    for format in ("gemini", "openai-chat"):
        before = request(session([*records, record]), format)
        after = request(session([*records, record, *more, asking("last")]), format)
        assert after.startswith(before[:-1])


def asking(id):
    return {
        "type": "message",
        "id": id,
        "ts": long.TS,
        "kind": "user",
        "role": "user",
        "parts": [{"text": "go on"}],
    }


def request(view, format):
    """The messages of a request, as they are sent."""
    view, _, _ = passes.curate(view, passes.Settings(unanswered="stub"), passes.FORCED)
    texts = [summary.text for summary in view.summaries]
    body = providers.Format(format).request(view.messages, Options(model=long.MODEL[format]), texts).body
    return orjson.dumps(body["contents" if format == "gemini" else "messages"])


@example(records=written([(0, 2393911), (4, 2098), (4, 9152), (4, 630703838)]), share=0.05)
@example(records=written([(4, 10), (4, 42891846)]), share=0.25)
@example(records=written([(4, 7), (4, 1262)]), share=0.9)
@example(records=written([(0, 0), (0, 0), (0, 0), (4, 45606), (0, 1), (2, 14681)]), share=0.75)
@given(records=long.histories(), share=shares)
def test_a_later_stage_runs_only_where_the_earlier_do_not_suffice(records, share):
    """G7."""
    view, plan = reached(records, share)
    budget = max(1, int(total(view) * share))
    for count in range(1, len(plan.stages)):
        some = [step.op for step in plan.steps if step.stage in plan.stages[:count]]
        assert total(apply(view, some)) > budget
    order = (
        "superseded repeated outputs arguments thoughts references recent summary drop last-unit".split()
    )
    assert plan.stages == [stage for stage in order if stage in plan.stages]
    assert all(step.after < step.before for step in plan.steps if step.op["op"] == "replace")


@given(records=long.histories(), share=shares)
def test_a_plan_read_back_does_the_same(records, share):
    view, plan = reached(records, share, exact=True)
    given_back = read(orjson.loads(orjson.dumps(plan.to_json())), view)
    assert given_back == plan._replace(floor=None, largest=())  # which nothing depends on


@given(records=long.histories(), share=shares)
def test_other_counters_are_kept_to_as_well(records, share):
    view = session(records)
    for counter in (open_counter("approx"), COUNTER.calibrated(1.17), Characters()):
        plan = planned(view, share, counter, exact=True)
        if plan is not None:
            assert (
                plan.after
                == total(apply(view, plan.ops), counter)
                <= max(1, int(total(view, counter) * share))
            )
            assert plan.counter == counter.name


@given(messages=odd.conversations(), share=shares, policy=policies)
def test_odd_shapes_are_taken_too(messages, share, policy):
    view = odd.session(messages)
    plan = planned(view, share, policy=policy, exact=True)
    assume(plan is not None)
    assert plan.after == total(apply(view, plan.ops)) <= max(1, int(total(view) * share))
    assert (
        compact(apply(view, plan.ops), settings(int(total(view) * share), policy=policy), COUNTER).ops == []
    )


@example(records=written([(0, 0), (0, 0), (4, 4368715), (4, 123), (4, 185019)]), share=0.1)
@given(records=long.histories(), share=shares)
def test_nothing_is_summarized_that_stubs_could_have_spared(records, share):
    """G7."""
    view, plan = reached(records, share)
    draft = Draft(History(view, COUNTER, settings(int(total(view) * share))))
    draft.target = max(1, int(total(view) * share))
    for stage in LOSSLESS:
        stage(draft)
    for stage in STUBS:
        stage(draft)
    if draft.fits:
        assert {"summary", "drop", "last-unit"}.isdisjoint(plan.stages)

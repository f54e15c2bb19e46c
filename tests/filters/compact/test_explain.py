"""What a budget went to: amounts that sum to what is sent, whatever was compacted and however it is counted."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.base.shared_options import Compaction
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.explain import KINDS, MOST, SPENT, explained
from codeh_history.session.ops import apply
from codeh_history.session.view import text_of
from codeh_history.tokens.counter import Characters, open_counter
from codeh_history.tokens.formula import cost_beside_messages
from compact import long
from compact.long import IMAGE, cost, output, prose
from compact.short import BIG, COUNTER, plan, tokens, tool_call
from histories import model, session, user

SYSTEM, TOOLS = "Be brief.", [{"name": "bash", "parameters": {"type": "object"}}]
COUNTERS = [COUNTER, COUNTER.calibrated(1.17), open_counter("approx"), Characters()]


def sums(before, after, counter=COUNTER):
    return explained(before, after, counter, SYSTEM, TOOLS)


def record(view):
    return cost_beside_messages(COUNTER, None, (), [summary.text for summary in view.summaries])


@given(
    records=long.histories(), share=st.sampled_from([0.05, 0.2, 0.5, 0.9, 1.0]),
    policy=st.sampled_from(Compaction.DECLARED["policy"].choices), counter=st.sampled_from(COUNTERS),
)  # fmt: skip
def test_the_parts_sum_to_what_is_sent(records, share, policy, counter):
    view = long.session(records)
    whole = cost(counter, view, SYSTEM, TOOLS)
    settings = Settings(max(1, int(whole * share)), policy, SYSTEM, TOOLS, keep_last=1)
    try:
        done = compact(view, settings, counter)
    except BudgetUnreachable:
        assume(False)
    after = apply(view, done.ops)
    report = sums(view, after, counter)
    assert (report["before"], report["after"]) == (whole, cost(counter, after, SYSTEM, TOOLS))
    assert sum(report["spent"].values()) == report["after"]
    assert list(report["spent"]) == list(SPENT)
    assert min(report["spent"].values()) >= 0
    assert set(report["let_go"]) <= set(KINDS)
    assert len(report["largest"]) <= MOST
    sizes = [part["tokens"] for part in report["largest"]]
    assert sizes == sorted(sizes, reverse=True)
    if counter is COUNTER:
        gone = sum(it["tokens"] for kind, it in report["let_go"].items() if kind != "summaries")
        assert report["before"] - gone - record(view) + record(after) == report["after"]


def test_what_stubs_and_pins_take():
    pinned = {**user("keep this rule"), "pinned": True}
    view = session(
        [pinned, model("yes"), *tool_call("c", "bash", {}, {"output": BIG}), user("and"), model("so")]
    )
    report = sums(view, apply(view, plan(view, 1000).ops))
    assert report["spent"]["pins"] == 7
    assert 500 < report["spent"]["stubs"] < 1000
    assert report["spent"]["ledger"] == 0
    assert list(report["let_go"]) == ["results"]
    assert report["let_go"]["results"]["parts"] == 1


def test_what_a_summary_holds():
    """Rules are of the ledger, what users said is theirs under whatever heading, all else are sentences."""
    work = [
        m for n in range(12)
        for m in (user(f"Please look at src/mod_{n}.py. Never touch src/old_{n}.py."),
                  *tool_call(f"c{n}", "read_file", {"path": f"src/mod_{n}.py"}, {"output": output(n, 30)}),
                  model(f"It holds {prose(n, 20)}."))
    ]  # fmt: skip
    view = session([*work, user("go on")])
    after = apply(view, plan(view, tokens(view) // 5).ops)
    spent = sums(view, after)["spent"]
    (text,) = [summary.text for summary in after.summaries]
    now, _, rest = text.partition("What was asked:")
    prompts, _, rest = f"What was asked:{rest}".partition("Rules:")
    ledger, _, done = f"Rules:{rest}".partition("What was said and done:")
    wanted = COUNTER.counts([prompts, now + ledger, f"What was said and done:{done}\n"])
    assert [spent[name] for name in ("prompts", "ledger", "sentences")] == pytest.approx(wanted, rel=0.15)
    assert spent["recent"] == sum(
        4 + COUNTER.counts([text_of(m)])[0] for m in after.messages if text_of(m)
    ) + sum(
        sums(view, view.with_messages([m], []))["spent"]["recent"] for m in after.messages if not text_of(m)
    )


def test_kinds_of_what_was_let_go():
    thought = {"text": prose(3, 30), "thought": True}
    view = session([
        user("look"), model(thought, {"text": "I see"}), user("see", IMAGE), model("a"),
        user(f"# Open Files\n{prose(1, 20)}"), user("next"), model("b"), user("end"),
    ])  # fmt: skip
    ids = [message.id for message in view.messages]
    after = view.with_messages([message for message in view.messages if message.id in ids[-3:]])
    gone = sums(view, after)["let_go"]
    assert {kind: it["parts"] for kind, it in gone.items()} == {
        "prompts": 2, "answers": 2, "thoughts": 1, "files": 1, "context": 1,
    }  # fmt: skip


def test_the_dearest_are_named_by_their_number_in_what_was_given():
    talk = [m for n in range(30) for m in (user(f"q{n}"), model(prose(n, 60)))]
    view = session([*talk, user("end")])
    after = apply(view, plan(view, tokens(view) // 2).ops)
    for part in sums(view, after)["largest"]:
        if part["what"] == "text":
            assert view.messages[part["n"] - 1].id == part["id"]
        else:
            assert (part["what"], "id" in part) in {("summary", False), ("system", False), ("tools", False)}

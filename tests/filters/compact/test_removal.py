"""Summaries, units, and what may go at all."""

import orjson

from codeh_history.filters.compact import HIGH, LOW
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.records import parse
from codeh_history.views.filtering import compaction
from compact.long import output, prose
from compact.short import plan, questions, texts_of, tokens, tool_call
from histories import TS, model, session, user


def test_the_fewest_oldest_exchanges_are_summarized():
    view = session([*questions(20)])
    done = plan(view, tokens(view) * 3 // 4)
    assert done.stages == ["summary"]
    (op,) = done.ops
    covered = op["ids"]
    assert covered == [f"m{n}" for n in range(len(covered))]
    after = apply(view, done.ops)
    assert len(after.summaries) == 1
    assert tokens(after) > tokens(view) * 3 // 4 * 0.9  # it fills the budget
    assert "Question 0" in after.summaries[0].text
    assert f"Question {len(covered) // 2 - 1}" in after.summaries[0].text
    assert op["conversationCount"] == -(-len(covered) // 2)
    assert (op["periodStart"], op["periodEnd"]) == (view.messages[0].ts, view.messages[0].ts)


def test_more_than_five_summaries_become_one():
    view = session([*questions(30)])
    records = [
        {
            "type": "summary",
            "id": f"S{n}",
            "createdAt": "x",
            "summary": prose(n, 40),
            "covers": [f"m{2 * n}", f"m{2 * n + 1}"],
        }
        for n in range(6)
    ]
    view = fold(
        parse(b"\n".join([*(record.raw for record in view.log.records), *map(orjson.dumps, records)]))
    )
    assert len(view.summaries) == 6
    after = apply(view, plan(view, tokens(view) * 2 // 3).ops)
    assert len(after.summaries) == 1


def test_only_the_last_stage_touches_the_last_unit():
    view = session(
        [user("old"), model("old"), user("go"), *tool_call("c", "bash", {}, {"output": output(1, 900)})]
    )
    done = plan(view, 300)
    assert done.stages[-1] == "last-unit"
    assert [line["id"] for line in done.report() if line["stage"] == "last-unit"] == ["m4"]
    after = apply(view, done.ops)
    assert "codeh-history expand m4]" in texts_of(after)
    assert tokens(after) > 200  # an equal share of what is left, not nothing


def test_a_session_that_grows_is_compacted_again_and_again():
    """Each time to 0.60 of the budget, and summaries never crowd out what was said lately."""
    budget = 4000
    log = session([]).log
    records = [record.raw for record in log.records]
    plans = []
    for number in range(60):
        exchange = (user(f"Question {number}: {prose(number, 60)}"), model(prose(number + 1, 120)))
        for part, message in enumerate(exchange):
            records.append(
                orjson.dumps({"type": "message", "id": f"m{number}-{part}", "ts": TS, **message})
            )
        view = fold(parse(b"\n".join(records)))
        made = plan(view, budget, hysteresis=True, exact=True)
        if not made.ops:
            assert tokens(view) <= budget * HIGH
            continue
        plans.append(made)
        records.append(orjson.dumps(compaction(f"K{number}", TS, made.ops, made.fields())))
        after = fold(parse(b"\n".join(records)))
        assert tokens(after) == tokens(apply(view, made.ops)) == made.after <= budget * LOW
        assert made.after >= budget * LOW * 0.6
        assert tokens(after.with_messages([])) <= budget * LOW * 0.52
    assert len(plans) > 8
    assert len(fold(parse(b"\n".join(records))).summaries) < 6
    assert {
        id for made in plans for op in made.ops for id in op.get("ids", ()) if id.startswith("K")
    }  # folded


def test_a_summary_of_failures_alone_is_shortened_like_any_other():
    errors = "\n".join(f"ERROR: step {n} of job_{n * 7} failed" for n in range(300))
    loop = [m for n in range(8) for m in tool_call(f"c{n}", "bash", {"n": n}, {"output": f"{n}\n{errors}"})]
    view = session([user("do"), *loop, model("failed"), user("and now?"), model("still")])
    for budget in (6000, 3000, 1500, 700, 300):
        made = plan(view, budget, exact=True)
        view = apply(view, made.ops)
        assert "drop" not in made.stages
        assert budget * 0.75 <= made.after <= budget


def test_2026_11_24_what_a_line_is_does_not_depend_on_how_many_turns_stay():
    """More of the newest turns stayed than at first: a rule said in them had been struck from all others."""
    view = session([
        message
        for n in range(60)
        for message in (
            user(f"Please look at module {n} and never touch src/billing."),
            *tool_call(f"c{n}", "read_file", {"path": f"src/m{n}.py"}, {"output": output(n, 12)}),
            model(f"Module {n} holds the parser. We decided to keep it."),
        )
    ])  # fmt: skip
    for share in (2, 4, 8):
        after = apply(view, plan(view, tokens(view) // share).ops)
        text = after.summaries[0].text
        shown = {message.id for message in after.messages}
        last = max(n for n in range(60) if f"m{4 * n}" not in shown)
        rules = text.partition("Rules:\n")[2].partition("\nDe")[0]
        assert f"module {last} and never touch src/billing" in rules, share
        last = max(n for n in range(60) if f"m{4 * n + 3}" not in shown)
        stands = text.partition("Where things stand before the messages below:\n")[2].partition(
            "\nWhat was asked:"
        )[0]
        assert stands.endswith(f"- Model: Module {last} holds the parser. We decided to keep it."), share

"""The newest turns, which stay beside a summary as they were; of large results among them the ends."""

import pytest

from codeh_history.session.ops import apply
from compact.long import output
from compact.short import COUNTER, asked, plan, tokens
from compact.summarized import working
from histories import model, session, user


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1, 0.05])
def test_the_newest_turns_take_a_third_as_they_were(share):
    view = session([user("do it all"), *working(200), model("done"), user("and now?")])
    budget = int(tokens(view) * share)
    after = apply(view, plan(view, budget).ops)
    same = [
        one
        for one, other in zip(after.messages[::-1], view.messages[::-1], strict=False)
        if one.parts == other.parts
    ]
    assert tokens(view.with_messages(same)) >= 0.33 * budget


def test_a_large_result_among_them_keeps_its_ends():
    huge = asked("huge", "read", {"path": "src/big.py"}, {"output": output(3, 2000)})
    view = session(
        [user("start"), *working(40), *huge, model("read"), user("on"), model("ok"), user("end")]
    )
    budget = tokens(view) // 20
    found = plan(view, budget)
    recent = next(step.op["id"] for step in found.steps if step.stage == "recent" and step.before > 9000)
    left = next(m for m in apply(view, found.ops).messages if m.id == recent)
    lines = left.parts[0]["functionResponse"]["response"]["output"].split("\n")
    own = set(output(3, 2000).split("\n"))
    assert sum(line not in own for line in lines) == 1
    assert lines[0] in own
    assert lines[-1] in own


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1])
def test_2026_11_23_output_pasted_into_the_last_prompt_leaves_the_summary_its_tenth(share):
    pasted = user(f"Why so many?\n```\n{output(5, 3000)}\n```")
    view = session([user("Port the lexer to Zig."), *working(60), model("done"), pasted])
    budget = int(tokens(view) * share)
    after = apply(view, plan(view, budget).ops)
    assert "Port the lexer to Zig." in after.summaries[0].text
    assert COUNTER.counts([after.summaries[0].text])[0] >= 0.08 * budget
    assert after.messages[-1].parts[0]["text"].startswith("Why so many?")
    assert tokens(after) <= budget


def test_a_last_answer_of_very_many_texts_loses_its_first_ones_where_nothing_else_fits() -> None:
    texts = [{"text": f"Speaker {n}: this is what I say about item {n} of the list."} for n in range(400)]
    answer = {"type": "message", "id": "long", "kind": "codeh", "role": "model", "parts": texts}
    view = session([user("Ann: Hello."), answer])
    budget = tokens(view) // 3
    after = apply(view, plan(view, budget).ops)
    left = after.messages[-1].parts
    assert 0.5 * budget < tokens(after) <= budget
    assert left[-1] == texts[-1]
    assert any("left out; codeh-history expand long" in part["text"] for part in left)

"""The shapes at which trimmers break: each at several budgets keeps every promise, and what it is special for."""

import orjson
import pytest

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.base.read_json import strings_in
from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens.counter import Characters
from compact import long
from compact.long import IMAGE, PDF, output, prose
from compact.short import COUNTER, plan, texts_of, tokens, tool_call
from histories import call, model, result, session, tool, user
from length import by_length

SHARES = (1.0, 0.9, 0.6, 0.3, 0.1, 0.03)
LONG = {"output": output(3, 120)}
THOUGHT = {"text": prose(3, 40), "thought": True}
REST = [user(f"And then? {prose(9, 20)}"), model(prose(8, 40)), user("go on")]
IDE = {"text": f"# IDE Context\nopen: src/a.py\n{prose(1, 40)}"}
SEARCH = {"native": {"provider": "gemini", "value": {"executableCode": {"code": prose(4, 60)}}}}


def parallel(*answered, of="abc"):
    """Calls in one message, some of them answered, each in its own message."""
    return [
        model(*(call("f", id, {"n": id}) for id in of)),
        *(tool(result("f", id, LONG)) for id in answered),
    ]


EDGES = {
    # oversized
    "a result at the end larger than everything": [user("go"), *tool_call("c", "bash", {}, {"output": output(1, 2500)})],
    "one prompt, a hundred calls, a result last": [
        user("do it all"), *(m for n in range(100) for m in tool_call(f"c{n}", "bash", {"n": n}, LONG))],
    "a long line of JSON": [
        user("go"), *tool_call("c", "f", {}, {"output": orjson.dumps([{"id": n, "v": n * 7} for n in range(9_000)]).decode()}),
        *REST],
    "a huge old prompt": [user(prose(1, 4000)), model("ok"), *REST],
    "a huge argument": [user("go"), *tool_call("c", "write", {"path": "a", "content": output(1, 900)}, {}), *REST],
    "a huge thought": [user("go"), model({"text": prose(1, 3000), "thought": True}, "done"), *REST],
    # beginnings and ends
    "nothing but a prompt": [user(prose(1, 50))],
    "a model begins": [model(prose(1, 80)), *tool_call("c", "f", {}, LONG), *REST],
    "a tool begins": [tool(result("f", "c", LONG)), *REST],
    "nothing but answers": [model(prose(n, 30)) for n in range(9)],
    "IDE context at the end": [user("a"), model(prose(1, 90)), *REST, user(IDE)],
    "IDE context before every prompt": [m for n in range(6) for m in (user(IDE), user(f"q{n}"), model(prose(n, 50)))],
    "prompts in a row": [user(f"and {prose(n, 20)}") for n in range(12)],
    "errors and notes between": [user("a"), {"kind": "error", "parts": [{"text": "boom"}]}, model(prose(1, 90)), *REST],
    # pairing
    "a call without a result": [user("a"), *parallel(), model(prose(1, 60)), *REST],
    "a result without a call": [user("a"), tool(result("f", "c", LONG)), model("b"), *REST],
    "a result before its call": [user("a"), tool(result("f", "c", LONG)), model(call("f", "c")), *REST],
    "a batch half answered": [user("a"), *parallel("a", "c"), model(prose(1, 60)), *REST],
    "a result twice": [user("a"), *parallel("a", "b", "c", "a"), model("b"), *REST],
    "an id used again": [user("a"), *tool_call("c", "f", {}, LONG), *tool_call("c", "f", {}, LONG), *REST],
    "an id declared twice while open": [user("a"), model(call("f", "c"), call("f", "c")), tool(result("f", "c", LONG)), *REST],
    "a result after what a user said": [user("a"), model(call("f", "c")), user("yes, do"), tool(result("f", "c", LONG)), *REST],
    "a result long after": [user("a"), model(call("f", "c")), *REST, tool(result("f", "c", LONG)), model("late")],
    "thoughts around a call": [user("a"), model(THOUGHT, call("f", "c"), THOUGHT), tool(result("f", "c", LONG)), *REST],
    "thoughts in a message before a call": [user("a"), model(THOUGHT), model(call("f", "c")), tool(result("f", "c", LONG)), *REST],
    "calls without ids": [user("a"), model(call("f"), call("g")), tool(result("f"), result("g", None, LONG)), *REST],
    "a provider's own item": [user("a"), model(SEARCH, prose(1, 40), by="gemini"), *REST],
    "arguments cut off": [user("a"), *tool_call("c", "f", {"_raw": '{"path": "a", "content": "x' + prose(2, 200)}, {}), *REST],
    "open calls at the end": [user("a"), model(prose(1, 200)), user("b"), *parallel()],
    "a pinned result": [user("a"), *parallel("a", "b")[:2], {**tool(result("f", "b", LONG)), "pinned": True}, *REST],
    # media
    "nothing but images": [user(IMAGE), model("a"), user(IMAGE, IMAGE), model("b"), user(IMAGE)],
    "an image in a result": [
        user("a"), model(call("f", "c")), tool(result("f", "c", LONG, parts=[IMAGE])), *REST, *REST],
    "a file beside text": [user("look", IMAGE, PDF, prose(1, 90)), model("seen"), *REST, *REST],
    # text
    "other scripts": [user("日本語のテキスト" * 40), model("Привет " * 90), user("e\u0301" * 200), model("🎉" * 80), *REST],
    "special tokens": [user("<|endoftext|>" * 30), model("<|im_start|>" * 30), *REST],
    "blank lines and blanks": [user("\n" * 300 + " " * 900), model(" \t\n" * 90), *REST],
    "empty texts": [user(""), model(""), *REST],
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_every_shape_keeps_every_promise(name):
    view = session(EDGES[name])
    size, before, floor = tokens(view), texts_of(view), plan(view, 1 << 40, exact=True).floor
    valid = not long.refused(view)
    for share in by_length(SHARES[2::2], SHARES, SHARES):
        budget = max(1, int(size * share))
        try:
            done = plan(view, budget)
        except BudgetUnreachable:
            assert budget < floor, share
            continue
        after = apply(view, done.ops)
        assert tokens(after) <= budget, share
        assert not valid or long.refused(after) == {}, share
        assert plan(after, budget).ops == [], share
    assert texts_of(view) == before


@pytest.mark.parametrize("name", EDGES)
def test_what_was_shortened_is_never_marked_twice(name):
    """Compacted again and again, each time to less."""
    view = session(EDGES[name])
    size = tokens(view)
    for share in SHARES:
        try:
            done = plan(view, max(1, int(size * share)), exact=True)
        except BudgetUnreachable:
            break
        view = apply(view, done.ops)
        assert long.request_cost(COUNTER, view) == done.after, share
        assert all(text.count("left out; codeh-history expand") <= 1 for text in texts(view)), share


def texts(view):
    return [text for message in view.messages for part in message.parts for text in strings_in(part)]


def chars(view, budget):
    return compact(view, Settings(budget=budget), Characters())


def test_other_scripts_count_by_character_not_by_escape():
    view = session([user("日本" * 5), model("ß" * 10), user("x")])
    assert chars(view, 21).ops == []
    assert chars(view, 20).ops


def test_the_largest_last_unit_stays_and_all_older_goes():
    view = session([user("old"), model(prose(1, 50)), *EDGES["a result at the end larger than everything"]])
    after = apply(view, plan(view, 500).ops)
    assert [message.id for message in after.messages] == ["m2", "m3", "m4"]
    assert 400 < tokens(after) <= 500


def test_context_and_notes_of_an_editor_are_no_request():
    view = session(EDGES["IDE context at the end"])
    floor = plan(view, 1 << 40, exact=True).floor
    after = apply(view, plan(view, floor).ops)
    assert "go on" in texts_of(after)  # what the user asked last stays, not only what came last

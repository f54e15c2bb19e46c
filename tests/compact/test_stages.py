"""The stages one by one, and the cases at which other trimmers fail."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from codeh_history.apply import apply
from codeh_history.errors import BadData, BudgetUnreachable
from codeh_history.session import View
from codeh_history.stages.compact import Plan, Settings, compact, compacted, counts, read, small, words
from codeh_history.stages.compact.extract import outline
from codeh_history.stages.compact.units import Layout, units
from codeh_history.tokens import Characters, open_counter, text_tokens
from compact.long import IMAGE, cost, output, prose
from histories import call, model, result, session, tool, user

COUNTER = open_counter(None)
BIG = output(7, 400)
IDE = "# IDE Context\n" + "open: src/a.py\n" * 200


def tokens(view: View) -> int:
    return cost(COUNTER, view)


def plan(view: View, budget: int, **fields: Any) -> Plan:
    return compact(view, Settings(budget=budget, **fields), COUNTER)


def asked(id: str, name: str, args: Any, response: Any) -> list[Any]:
    """A call and its answer."""
    return [model(call(name, id, args)), tool(result(name, id, response))]


def said(view: View) -> str:
    return orjson.dumps([message.parts for message in view.messages]).decode()


# -- whether anything is done ---------------------------------------------------------------------------


def test_an_exact_fit_is_left_alone_and_one_token_less_is_not() -> None:
    view = session([user("one two three"), model("four"), user("five"), model("six")])
    assert plan(view, tokens(view)).ops == []
    smaller = plan(view, tokens(view) - 1)
    assert [op["op"] for op in smaller.ops] == ["drop"]


def test_an_empty_session_stays_empty() -> None:
    view = session([])
    assert plan(view, 3, exact=True) == plan(view, 3, exact=True)
    assert plan(view, 3, exact=True).after == 3
    with pytest.raises(BudgetUnreachable, match="floor is 3"):
        plan(view, 2)


def test_what_the_byte_count_proves_is_not_tokenised(monkeypatch: pytest.MonkeyPatch) -> None:
    view = session([user("hello"), model("world")])
    monkeypatch.setattr("codeh_history.tokens.vocabulary.PACKAGE", "no_such_package_here")
    assert compacted(view, budget=100, counter=open_counter(None)) is view
    with pytest.raises(Exception, match="vocabulary"):
        compacted(view, budget=10, counter=open_counter(None))


def test_nothing_is_changed_in_place() -> None:
    view = session(
        [user("go"), *asked("c", "bash", {"command": "x " * 500}, {"output": BIG}), user("on"), model("ok")]
    )
    before = said(view)
    plan(view, tokens(view) // 3)
    assert said(view) == before


# -- what cannot fit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("beside", "words"), [
    ({}, "floor is 1,"), ({"system": "a b c " * 100}, r"system 30., tools 0"),
    ({"tools": [{"name": "t", "description": "a b " * 100}]}, "system 0, tools 2"),
])  # fmt: skip
def test_a_refusal_names_the_floor_and_the_largest_units(beside: Any, words: str) -> None:
    view = session([user("old"), model("old"), user("word " * 1000)])
    with pytest.raises(BudgetUnreachable, match=words) as refused:
        plan(view, 500, **beside)
    assert ":3 m2 1,0" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_system_prompt_above_the_budget_is_said_so() -> None:
    with pytest.raises(BudgetUnreachable, match="system and tools alone are above it"):
        plan(session([user("hi")]), 50, system="a b c " * 100)


def test_a_single_message_above_the_budget_is_refused_whole() -> None:
    view = session([user("word " * 500)])
    with pytest.raises(BudgetUnreachable):
        plan(view, 100)


def test_budget_one_message_keeps_only_the_latest_prompt() -> None:
    view = session([user("old one"), model("old two"), user("latest")])
    after = apply(view, plan(view, 3 + 4 + 1).ops)
    assert [message.id for message in after.messages] == ["m2"]


# -- superseded and repeated ----------------------------------------------------------------------------


def test_only_the_newest_ide_context_survives_the_first_stage() -> None:
    view = session([user(IDE), user("a"), model("b"), user(IDE + "x"), user("c"), model("d")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["superseded"]
    assert found.ops == [{"op": "drop", "ids": ["m0"], "why": "superseded by newer IDE context"}]


@pytest.mark.parametrize(("later", "stale"), [
    (("read_file", {"path": "a.py"}), True), (("read_file", {"path": "b.py"}), False),
    (("read_file", {"path": "a.py", "offset": 5}), False), (("write_file", {"path": "a.py", "content": "x"}), True),
    (("edit", {"path": "a.py", "new": "x"}), False), (("grep", {"path": "a.py"}), False),
])  # fmt: skip
def test_a_read_that_a_later_call_covers_is_stale(later: Any, stale: bool) -> None:
    first = asked("c1", "read_file", {"path": "a.py"}, {"output": output(1, 1500)})
    newer = asked("c2", *later, {"output": output(2, 1500)})  # the newest 40,000 tool tokens are left alone
    view = session(
        [user("go"), *first, *newer, *asked("c3", "bash", {}, {"output": output(3, 1500)}), user("on")]
    )
    found = plan(view, tokens(view) - 10)
    assert (found.stages == ["superseded"]) == stale
    if stale:
        assert "a.py was read or written again later" in said(apply(view, found.ops))


def test_of_equal_outputs_the_newest_stays() -> None:
    parts = [
        asked(f"c{n}", "bash", {"n": n}, {"output": output(1 if n < 2 else n, 1500)}) for n in range(4)
    ]
    view = session([user("go"), *[message for pair in parts for message in pair], user("on")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["repeated"]
    assert [op["id"] for op in found.ops] == ["m2"]
    assert "the same again in m4" in said(apply(view, found.ops))


# -- stubs ----------------------------------------------------------------------------------------------


def shrunk(response: Any, share: float = 0.5, name: str = "bash") -> Any:
    """What is left of a response that is far too large, once enough newer ones stand behind it."""
    newer = [m for n in range(3) for m in asked(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *asked("c", name, {"path": "x"}, response), *newer, user("on")])
    large = tokens(session([tool(result(name, "c", response))]))
    found = plan(view, int(tokens(view) - large * share))
    assert found.stages == ["outputs"]
    assert [op["id"] for op in found.ops] == ["m2"]
    return apply(view, found.ops).messages[2].parts[0]["functionResponse"]


def test_a_stub_keeps_head_tail_every_error_size_and_the_id_to_expand() -> None:
    lines = [f"line {n} of the build" for n in range(3000)]
    lines[1200] = "src/app/main.py:12: error: name 'frobnicate' is not defined"
    lines[2000] = "ERROR: step 7 failed"
    left = shrunk({"output": "\n".join(lines)})
    assert {"id", "name", "response"} == set(left)
    kept = left["response"]["output"].split("\n")
    assert kept[0] == lines[0]
    assert kept[-1] == lines[-1]
    assert lines[1200] in kept
    assert lines[2000] in kept
    assert any("3,000 lines" in line and "codeh-history expand m2]" in line for line in kept)


def test_a_stub_keeps_the_lines_that_name_most() -> None:
    lines = ["        return None  # and so on" for _ in range(4000)]
    lines[1500] = "def reconcile_ledger(account_id: str) -> LedgerEntry:"
    assert lines[1500] in shrunk({"output": "\n".join(lines)})["response"]["output"].split("\n")


def test_a_stub_of_one_line_of_json_keeps_its_ends() -> None:
    text = orjson.dumps([{"id": n, "name": f"row {n}"} for n in range(4000)]).decode()
    kept = shrunk({"output": text})["response"]["output"]
    assert kept.startswith(text[:50])
    assert kept.endswith(text[-20:])
    assert len(kept) < len(text) / 1.5


def test_a_response_stays_an_object_with_its_other_fields() -> None:
    left = shrunk({"stdout": output(9, 2000), "exit_code": 2, "cwd": "/srv"})["response"]
    assert list(left) == ["stdout", "exit_code", "cwd"]
    assert left["exit_code"] == 2
    rows = shrunk({"rows": [{"id": n, "name": f"row_{n}"} for n in range(4000)]})["response"]
    assert list(rows) == ["output"]
    assert list(shrunk({"error": output(9, 2000)})["response"]) == ["error"]


def test_media_become_type_dimensions_and_size() -> None:
    view = session([user("look", IMAGE), model("seen"), user("a"), model("b"), user("c"), model("d")])
    found = plan(view, tokens(view) - 10)
    assert found.stages == ["outputs"]
    text = apply(view, found.ops).messages[0].parts[1]["text"]
    assert text == "[… image/png 640x480, 24 bytes left out; codeh-history expand m0]"


def test_arguments_stay_json_with_the_same_keys() -> None:
    args = {
        "path": "src/a.py",
        "edits": [{"old": output(1, 600), "new": output(2, 600)}],
        "dry": False,
        "n": 3,
    }
    old = asked("c", "edit", args, {"output": "done"})
    newer = [m for n in range(3) for m in asked(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *old, *newer, user("on")])
    found = plan(view, tokens(view) - 14_000)
    assert found.stages == ["arguments"]
    left = apply(view, found.ops).messages[1].parts[0]["functionCall"]
    assert left["args"]["path"] == "src/a.py"
    assert (left["args"]["dry"], left["args"]["n"]) == (False, 3)
    assert list(left["args"]["edits"][0]) == ["old", "new"]
    assert all("codeh-history expand m1]" in text for text in left["args"]["edits"][0].values())


def test_a_stub_is_never_stubbed_again() -> None:
    view = session(
        [user("go"), *asked("c", "bash", {}, {"output": output(1, 4000)}), user("on"), model("ok")]
    )
    once = apply(view, plan(view, tokens(view) // 2).ops)
    twice = apply(once, plan(once, tokens(once) // 2).ops)
    assert said(twice).count("left out; codeh-history expand") <= 1


def test_a_stub_that_would_not_be_smaller_is_left_out() -> None:
    errors = "\n".join(f"ERROR: number {n} failed" for n in range(400))  # every line has to stay
    newer = [m for n in range(3) for m in asked(f"n{n}", "grep", {"n": n}, {"output": output(n, 800)})]
    view = session([user("go"), *asked("c", "bash", {}, {"output": errors}), *newer, user("on")])
    assert all(step.op.get("id") != "m2" for step in plan(view, tokens(view) - 100).steps)


def test_the_newest_tool_tokens_stay_whole_when_they_can() -> None:
    loop = [m for n in range(60) for m in asked(f"c{n}", "bash", {"n": n}, {"output": output(n, 120)})]
    view = session([user("do it"), *loop, model("done")])
    found = plan(view, tokens(view) - 40_000)
    changed = {id for op in found.ops for id in op.get("ids", [op.get("id")])}
    left = 40_000
    for message in reversed(view.messages[1:-1]):
        left -= tokens(session([{"kind": message.kind, "role": message.role, "parts": message.parts}])) - 7
        if left > 0:
            assert message.id not in changed


# -- thoughts and references ----------------------------------------------------------------------------


def test_old_thoughts_go_whole_and_the_live_loop_keeps_its_own() -> None:
    thought = {"text": prose(3, 300), "thought": True}
    view = session([
        user("a"), model(thought, "b"), model(thought, call("f", "c1")), tool(result("f", "c1")),
        user("c"), model(thought, call("f", "c2")), tool(result("f", "c2")),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 3 * text_tokens(COUNTER, thought["text"]) // 2)
    assert found.stages == ["thoughts"]
    assert [(op["id"], op["part"], op["with"]) for op in found.ops] == [("m1", 0, None), ("m2", 0, None)]


@pytest.mark.parametrize(("overshoot", "left"), [(1.2, 8), (1.33, 7), (1.34, 8), (2, 5), (100, 1)])
def test_how_many_references_an_overshoot_leaves(overshoot: float, left: int) -> None:
    assert small.kept(10, overshoot) == left


def sources(*numbers: int, size: int = 60) -> Any:
    return {
        "sources": [{"source_number": n, "content_id": f"c{n}", "content": prose(n, size)} for n in numbers]
    }


def test_uncited_references_go_first_and_numbers_stay() -> None:
    view = session([
        user("find"), *asked("c", "search", {}, sources(0, 1, 2, 3, 4)),
        model("As [Source0] and [source3] say."), user("more"), model("ok"),
    ])  # fmt: skip
    found = plan(view, tokens(view) - 200)
    assert found.stages == ["references"]
    left = apply(view, found.ops).messages[2].parts[0]["functionResponse"]["response"]["sources"]
    assert [item["source_number"] for item in left] == [0, 3]


def test_references_that_nobody_cites_leave_a_sentence() -> None:
    view = session(
        [user("find"), *asked("c", "search", {}, sources(1, 2)), model("Nothing."), user("more")]
    )
    left = (
        apply(view, plan(view, tokens(view) - 200).ops).messages[2].parts[0]["functionResponse"]["response"]
    )
    assert left == {"sources": "The search did not produce any relevant information that could be cited."}


def test_what_the_live_loop_found_is_reduced_tool_by_tool() -> None:
    first, second = sources(*range(1, 13)), sources(*range(13, 16))
    view = session(
        [user("find"), *asked("c1", "search", {}, first), *asked("c2", "web", {}, second), model("hm")]
    )
    found = plan(view, int(tokens(view) * 0.6))
    assert found.stages == ["references"]
    after = apply(view, found.ops)
    numbers = [
        [
            item["source_number"]
            for item in after.messages[n].parts[0]["functionResponse"]["response"]["sources"]
        ]
        for n in (2, 4)
    ]
    assert numbers[0] == list(range(1, len(numbers[0]) + 1))
    assert 1 <= len(numbers[1]) <= 3
    assert len(numbers[0]) < 12


# -- summaries and units --------------------------------------------------------------------------------


def test_the_fewest_oldest_exchanges_are_summarised() -> None:
    view = session(
        [m for n in range(20) for m in (user(f"Question {n}: {prose(n, 60)}"), model(prose(n + 1, 60)))]
    )
    found = plan(view, tokens(view) * 3 // 4)
    assert found.stages == ["summary"]
    (op,) = found.ops
    covered = op["ids"]
    assert covered == [f"m{n}" for n in range(len(covered))]
    assert len(covered) % 2 == 0
    after = apply(view, found.ops)
    assert len(after.summaries) == 1
    assert tokens(after) > tokens(view) * 3 // 4 * 0.9  # it fills the budget
    assert "Question 0" in after.summaries[0].text
    assert f"Question {len(covered) // 2 - 1}" in after.summaries[0].text
    assert op["conversationCount"] == len(covered) // 2
    assert (op["periodStart"], op["periodEnd"]) == (view.messages[0].ts, view.messages[0].ts)


def test_kept_messages_of_one_compaction_are_kept_or_summarised_by_the_next() -> None:
    view = session(
        [m for n in range(20) for m in (user(f"Question {n}: {prose(n, 60)}"), model(prose(n + 1, 60)))]
    )
    once = apply(view, plan(view, tokens(view) // 2).ops)
    twice = plan(once, tokens(once) // 2)
    covered = [id for op in twice.ops for id in op["ids"]]
    shown = {message.id for message in apply(once, twice.ops).messages}
    assert {message.id for message in once.messages} == shown | {id for id in covered if id.startswith("m")}


def test_more_than_five_summaries_become_one() -> None:
    view = session(
        [m for n in range(30) for m in (user(f"Question {n}: {prose(n, 60)}"), model(prose(n + 1, 60)))]
    )
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
    view = _with(view, records)
    assert len(view.summaries) == 6
    after = apply(view, plan(view, tokens(view) * 2 // 3).ops)
    assert len(after.summaries) == 1


def _with(view: View, records: list[Any]) -> View:
    from codeh_history.records import parse
    from codeh_history.session import fold

    return fold(parse([*(record.raw for record in view.log.records), *map(orjson.dumps, records)]))


def test_an_agent_loop_of_one_prompt_is_compacted() -> None:
    loop = [
        m
        for n in range(300)
        for m in asked(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(n, 30)})
    ]
    view = session([user("do it all"), *loop, model("done")])
    for share in (0.5, 0.1, 0.02):
        after = apply(view, plan(view, int(tokens(view) * share)).ops)
        assert after.messages[0].id == "m0"
        assert after.messages[-1].id == view.messages[-1].id
        calls = [m.id for m in after.messages if "functionCall" in m.parts[0]]
        answers = [m.id for m in after.messages if "functionResponse" in m.parts[0]]
        assert [int(a[1:]) - 1 for a in answers] == [int(c[1:]) for c in calls]


def test_only_the_last_stage_touches_the_last_unit() -> None:
    view = session(
        [user("old"), model("old"), user("go"), *asked("c", "bash", {}, {"output": output(1, 900)})]
    )
    found = plan(view, 300)
    assert found.stages[-1] == "last-unit"
    assert [line["id"] for line in found.report() if line["stage"] == "last-unit"] == ["m4"]
    after = apply(view, found.ops)
    assert "codeh-history expand m4]" in said(after)
    assert tokens(after) > 200  # an equal share of what is left, not nothing


def test_pins_stay_with_their_units_and_the_last_exchanges_when_asked() -> None:
    pinned = [model(call("bash", "c")), {**tool(result("bash", "c", {"output": "pinned"})), "pinned": True}]
    turns = [m for n in range(10) for m in (user(f"q{n} {prose(n, 30)}"), model(prose(n, 30)))]
    view = session([user("start"), *pinned, *turns])
    after = {m.id for m in apply(view, plan(view, tokens(view) // 2, keep_last=2).ops).messages}
    assert {"m1", "m2"} < after
    assert {f"m{len(view.messages) - n}" for n in range(1, 5)} < after
    layout = Layout(view.messages, 2)
    assert {1, 2} < layout.fixed


@pytest.mark.parametrize(("messages", "expected"), [
    ([user("a"), model("b")], [[0], [1]]),
    (asked("c", "f", {}, {}), [[0, 1]]),
    ([model(call("f", "a"), call("f", "b")), tool(result("f", "a")), tool(result("f", "b"))], [[0, 1, 2]]),
    ([model(call("f", "a")), user("wait"), tool(result("f", "a"))], [[0, 2], [1]]),
    ([model(call("f", "a")), model(call("f", "b")), tool(result("f", "a"), result("f", "b"))], [[0, 1, 2]]),
    ([model({"text": "hm", "thought": True}), model(call("f", "a")), tool(result("f", "a"))], [[0, 1, 2]]),
    ([model(call("f", "a")), tool(result("f", "a")), model(call("f", "a")), tool(result("f", "a"))], [[0, 1], [2, 3]]),
    ([tool(result("f", "a")), model(call("f", "a"))], [[0], [1]]),
    ([model(call("f")), tool(result("f")), tool(result("f"))], [[0, 1], [2]]),
])  # fmt: skip
def test_units(messages: Any, expected: list[list[int]]) -> None:
    assert units(session(messages).messages) == expected


# -- the policy `loop` ----------------------------------------------------------------------------------


def loop(view: View, budget: int, **fields: Any) -> View:
    return apply(view, compact(view, Settings(budget=budget, policy="loop", **fields), COUNTER).ops)


def test_recent_whole_exchanges_first_until_one_does_not_fit() -> None:
    turns = [
        m
        for n, size in enumerate((20, 20, 300, 20, 20))
        for m in (user(prose(n, size)), model(prose(n, size)))
    ]
    view = session([*turns, user("now")])
    after = loop(view, tokens(view) // 2, upload_share=0.0, history_share=0.4)
    assert [message.id for message in after.messages] == ["m6", "m7", "m8", "m9", "m10"]


def test_uploads_beyond_their_share_are_left_out_newest_kept() -> None:
    view = session(
        [
            user("one", IMAGE),
            model("a"),
            user("two", IMAGE),
            model("b"),
            user("three", IMAGE),
            model(prose(1, 30)),
        ]
    )
    after = loop(view, tokens(view) - 100, upload_share=0.5)
    kept = [
        any("inlineData" in part for part in message.parts)
        for message in after.messages
        if message.role == "user"
    ]
    assert kept == [False, False, True]
    assert "image/png 640x480" in said(after)


def test_the_margin_stays_free() -> None:
    view = session([user("find"), *asked("c", "search", {}, sources(*range(1, 40))), model("hm")])
    after = loop(view, 3000)
    assert tokens(after) <= 2700


# -- counts ---------------------------------------------------------------------------------------------


def test_a_hundred_and_three_messages_in_turns_of_two_become_ninety_nine() -> None:
    view = session([user("q") if n % 2 == 0 else model("a") for n in range(103)])
    after = apply(view, counts.items(view, 100).ops)
    assert len(after.messages) == 99
    assert after.messages[0].id == "m4"


def test_keep_last_alone_keeps_exchanges_and_pins() -> None:
    view = session(
        [{**user("pin"), "pinned": True}, model("a"), user("b"), model("c"), user("d"), model("e")]
    )
    after = apply(view, counts.last(view, 1).ops)
    assert [message.id for message in after.messages] == ["m0", "m4", "m5"]


def test_characters_are_a_budget_too() -> None:
    view = session([user("x" * 60), *asked("c", "f", {}, {"output": "y" * 10}), user("z")])
    budget = 1 + len("{}") + len('{"output":"yyyyyyyyyy"}')
    found = compact(view, Settings(budget=budget), Characters())
    assert [message.id for message in apply(view, found.ops).messages] == ["m1", "m2", "m3"]
    assert found.counter == "characters"


# -- plans as JSON --------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [
    None, [], 5, {}, {"ops": {}}, {"ops": [5]}, {"ops": [{}]}, {"ops": [{"op": "drop"}]}, {"ops": [{"op": "insert"}]},
    {"ops": [{"op": "drop", "ids": "m0"}]}, {"ops": [{"op": "drop", "ids": ["nobody"]}]}, {"ops": [{"op": ["drop"]}]},
    {"ops": [{"op": "replace", "id": "m0", "part": 0, "block": "0" * 64, "with": None}]},
    {"ops": [{"op": "replace", "id": "m0", "part": -1, "block": "", "with": {}}]},
    {"ops": [{"op": "summarize", "ids": ["m0"], "summary": 5}]}, {"ops": [], "before": "many"}, {"ops": [], "budget": 1.5},
])  # fmt: skip
def test_what_is_no_plan_for_this_session_is_refused(data: Any) -> None:
    with pytest.raises(BadData, match="plan"):
        read(data, session([user("a")]))


# -- words ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "found"), [
    ("see src/app/main.py and tests", {"src/app/main.py"}), ("the quick brown fox", set()),
    ("call getUserName() or max_tokens", {"getUserName", "max_tokens"}), ("port 8080, id 4f2a9c", {"8080", "4f2a9c"}),
])  # fmt: skip
def test_names(text: str, found: set[str]) -> None:
    assert found <= words.names(text)
    assert found or not words.names(text)


@pytest.mark.parametrize("line", [
    "ERROR: step 7 failed", "a.py:3: error: bad", "TypeError: x is not a function", "FAILED tests/test_a.py",
    "fatal: not a git repository", "thread 'main' panicked at src/main.rs", "bash: foo: command not found",
    "cat: x: No such file or directory", "npm ERR! code 1", "Error", "java.lang.NullPointerException: boom",
    "error[E0308]: mismatched types", "error TS2345: Argument", "1 failed, 3 passed", "  Permission denied (publickey).",
])  # fmt: skip
def test_error_lines_are_seen(line: str) -> None:
    text = f"all is well\n{line}\nand so on"
    assert words.error_lines(text, text.split("\n")) == [1]


@pytest.mark.parametrize(
    "line", ["const errorHandler = makeHandler();", "all is well", "def fail_fast(): ...", "terror"]
)
def test_code_about_errors_is_no_error(line: str) -> None:
    assert words.error_lines(line, [line]) == []


def test_an_outline_is_made_of_the_messages_own_lines() -> None:
    messages = session([
        user("Never touch config/prod.yaml. Fix the login bug."), *asked("c", "bash", {"command": "make test"}, {"output": BIG}),
        model("Done: src/auth/login.py now checks the token."), user("thanks"), model("ok"),
    ]).messages  # fmt: skip
    text = outline(messages, 700)
    assert "Never touch config/prod.yaml" in text
    assert "src/auth/login.py now checks the token" in text
    assert "ERROR: step 19 of job_7 failed" in text
    assert text_tokens(COUNTER, text) < 850
    assert outline(messages, 700) == text

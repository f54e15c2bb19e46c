"""What a summary tells, and the newest turns that stay beside it."""

from __future__ import annotations

from typing import Any

import pytest

from codeh_history.filters.compact.lines import told as told_lines
from codeh_history.filters.compact.summary import is_figure, parsed
from codeh_history.session.ops import apply
from codeh_history.summaries.calls import Effects
from codeh_history.summaries.terse import terse
from compact.long import output
from compact.short import asked, plan, tokens
from histories import model, session, user


def summary(view: Any, budget: int, **fields: Any) -> str:
    return apply(view, plan(view, budget, **fields).ops).summaries[-1].text


def section(text: str, heading: str) -> list[str]:
    """The lines under a heading."""
    lines = text.split("\n")
    start = lines.index(f"{heading}:") + 1
    ends = [n for n, line in enumerate(lines) if n >= start and line.endswith(":") and line[0].isupper()]
    return lines[start : min(ends, default=len(lines))]


def working(calls: int) -> list[Any]:
    return [
        m
        for n in range(calls)
        for m in asked(f"c{n}", "bash", {"command": f"make t{n}"}, {"output": output(n, 30)})
    ]


@pytest.mark.parametrize("share", [0.5, 0.25, 0.1, 0.05])
def test_the_newest_turns_take_a_third_as_they_were(share: float) -> None:
    view = session([user("do it all"), *working(200), model("done"), user("and now?")])
    budget = int(tokens(view) * share)
    after = apply(view, plan(view, budget).ops)
    same = [
        one
        for one, other in zip(after.messages[::-1], view.messages[::-1], strict=False)
        if one.parts == other.parts
    ]
    assert tokens(view.with_messages(same)) >= 0.33 * budget


def test_a_large_result_among_them_keeps_its_ends() -> None:
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


def test_rare_words_come_before_common_ones() -> None:
    said = "The carburettor of the zeppelin leaked kerosene."
    plain = [f"And then we were there and it was like that again, {n} or so." for n in range(1, 60)]
    turns = [m for text in (*plain[:30], said, *plain[30:]) for m in (user("go on"), model(text))]
    view = session([*turns, user("and?")])
    assert said in summary(view, tokens(view) // 6)


def test_the_ledger_holds_the_newest_state_of_each_file() -> None:
    calls = [
        ("read_file", {"path": "src/a.py"}, {"output": "x"}), ("edit_file", {"path": "src/a.py"}, {"output": "ok"}),
        ("create_file", {"path": "src/b.py"}, {"output": "ok"}), ("read_file", {"path": "src/c.py"}, {"output": "x"}),
        ("write_file", {"path": "src/d.py"}, {"output": "ok"}), ("bash", {"command": "rm src/d.py"}, {"output": ""}),
        ("write_file", {"path": "src/e.py"}, {"error": "disk full"}), ("bash", {"command": "make a"}, {"error": "Error: boom 1"}),
        ("bash", {"command": "make b"}, {"error": "Error: boom 2"}), ("bash", {"command": "make b"}, {"output": "fine"}),
    ]  # fmt: skip
    done = [m for n, (name, args, result) in enumerate(calls) for m in asked(f"l{n}", name, args, result)]
    view = session([user("change the files"), *done, model("done"), *working(60), user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert section(text, "Files") == [
        "- created: src/b.py", "- written: src/a.py", "- deleted: src/d.py", "- read: src/c.py",
    ]  # fmt: skip
    failed = section(text, "What failed")
    assert "- `make a`: Error: boom 1" in failed
    assert "- `make b`: Error: boom 2 (passed later)" in failed


def test_commands_that_failed_alike_are_told_in_one_line_and_read_apart() -> None:
    how = "Error: timed out waiting for the condition"
    runs = [m for name in "ab" for m in asked(name, "bash", {"command": f"make {name}"}, {"error": how})]
    view = session([user("go"), *runs, *working(60), user("end")])
    text = summary(view, tokens(view) // 4)
    assert section(text, "What failed") == [f"- `make a`, `make b`: {how}"]
    done = Effects()
    assert list(parsed(text, done, 0))
    assert {what: said for what, (said, _) in done.failures.items()} == {"`make a`": how, "`make b`": how}


def test_a_later_summary_takes_the_earlier_one_in() -> None:
    first = [
        user("Never touch src/billing. Rename the parser."), *asked("w", "edit_file", {"path": "src/old.py"}, {"output": "ok"}),
        *asked("f", "bash", {"command": "make x"}, {"error": "Error: boom"}),
        model("We decided to keep SQLite because it needs no server."),
    ]  # fmt: skip
    view = session([*first, *working(40), user("more"), *working(20), user("end")])
    view = apply(view, plan(view, tokens(view) // 4).ops)
    assert len(view.summaries) == 1
    for share in (0.8, 0.7):
        view = apply(view, plan(view, int(tokens(view) * share)).ops)
        assert len(view.summaries) == 1
    text = view.summaries[0].text
    assert section(text, "Rules") == ["- Never touch src/billing."]
    assert "- Rename the parser." in section(text, "What was asked")
    assert section(text, "Decisions") == ["- We decided to keep SQLite because it needs no server."]
    assert "- written: src/old.py" in section(text, "Files")
    assert "- `make x`: Error: boom" in section(text, "What failed")


@pytest.mark.parametrize(("value", "lines"), [
    ({"order": "W591", "items": [{"name": "lamp", "price": 268.77}, {"name": "desk", "tags": ["a", 1]}]},
     ["order: W591", "name: lamp, price: 268.77", "name: desk, tags: a 1"]),
    ("def f():\n    return 1\n\n", ["def f():", "    return 1"]), ({"ok": True, "note": None}, ["ok: true"]), (None, []),
    ({"text": "one\ntwo\nthree"}, ["one", "two", "three"]), ([1, 2], ["1", "2"]),
])  # fmt: skip
def test_json_is_read_as_json_and_text_as_its_lines(value: Any, lines: list[str]) -> None:
    assert list(told_lines(value)) == lines


def test_pasted_imports_are_not_what_was_asked() -> None:
    paste = "\n".join(f"import module_{n} from './module_{n}.js';" for n in range(900))
    view = session(
        [
            user(f"Why does this not build?\n{paste}"),
            model("A cycle in module_7."),
            *working(60),
            user("end"),
        ]
    )
    text = summary(view, tokens(view) // 10)
    assert "Why does this not build?" in text
    assert text.count("import module_") < 5


@pytest.mark.parametrize(("sentence", "short"), [
    ("Um, so the, the old cell lasts, uh, eleven days.", "The old cell lasts eleven days."),
    ("Thanks, please just add a `please really` flag.", "Add a `please really` flag."),
    ("Äh, also ich denke, wir nehmen eigentlich Postgres.", "Wir nehmen Postgres."),
    ("好的，请不要修改 api.py。", "请不要修改 api.py。"), ("All 41 tests pass.", "All 41 tests pass."),
    ("Remove .json and write.json {pause} [laughter]", "Remove .json and write.json"), ("No.", "No."),
])  # fmt: skip
def test_terse(sentence: str, short: str) -> None:
    assert terse(sentence) == short


@pytest.mark.parametrize(("sentence", "tells"), [
    ("Measured: 68716 ms for the mailer.", True), ("It now costs €5 a month.", True), ("About 25 % of them were late.", True),
    ("The import runs at 02:30 on host db-7.", True), ("It stopped at record 18,204.", True), ("We meet on 2026-01-15 in Bonn.", True),
    ("Released v0.8.0 with all of that", False), ("use `343541` for the user's background", False),
    ("- `dimGray: 246` is `#949494` (lighter gray)", False), ("It has 25 of them now.", False), ("width = 18204 if wide else 9000", False),
    ("18204", False),
])  # fmt: skip
def test_a_sentence_that_tells_a_number(sentence: str, tells: bool) -> None:
    assert is_figure(sentence) == tells


def test_what_stands_before_a_colon_may_be_no_speaker() -> None:
    said = "Ok. Decision: the importer stays synchronous, as callers depend on it."
    talk = [m for n in range(20) for m in (user(f"number {n}?"), model("word " * 40))]
    view = session([user("TODO: find out why the mailer starts twice."), model(said), *talk, user("end")])
    text = summary(view, tokens(view) // 2)
    assert f"- {said.removeprefix('Ok. ')}" in section(text, "Decisions")
    assert section(text, "Open") == ["- TODO: find out why the mailer starts twice."]


def test_terse_leaves_tool_output_alone() -> None:
    log = "please really just print the zeppelin, you know"
    talk = [m for n in range(20) for m in (user(f"well, um, and number {n}?"), model("word " * 40))]
    view = session(
        [user("um, so, please look"), *asked("c", "bash", {}, {"output": log}), *talk, user("end")]
    )
    text = summary(view, tokens(view) * 2 // 3, terse=True)
    assert log in text.split("\n")
    assert "- look" in text.split("\n")


def test_a_picture_and_a_command_of_the_program_are_no_prompts() -> None:
    dropped = "'/var/folders/x/Screenshot 2025-11-21 at 01.27.21.png'\nany idea why the colors differ?"
    view = session([user(dropped), *working(30), user("/theme"), *working(30), user("go on then")])
    text = summary(view, tokens(view) // 5)
    assert section(text, "What was asked") == ["- any idea why the colors differ?"]
    assert "/theme" not in text


def test_a_symbol_is_named_without_what_it_hangs_on() -> None:
    code = "\n".join(f"value{n} = editor{n}.setBorderColor(theme.fg({n}), {n * 7})" for n in range(200))
    view = session(
        [user("read it"), *asked("c1", "read", {"path": "src/ui.ts"}, {"output": code}), *working(40)]
    )
    named = section(summary(view, tokens(view) // 6), "Names in files")
    assert any("src/ui.ts" in line and "setBorderColor" in line for line in named), named


def test_a_number_that_is_told_once_outlives_those_of_every_day() -> None:
    price = "The flight HAT{0} at {1}:00 costs ${2} in economy, it has {3} seats left."
    talk = [
        message
        for n in range(80)
        for message in (user(f"What about flight {n}?"), model(price.format(n, n % 24, 90 + n, n % 9)))
    ]
    talk[10] = user("The glacier validator handled 48213 rows per second.")
    view = session([*talk, user("and now?")])
    assert "48213 rows" in summary(view, tokens(view) // 4)


def test_an_open_end_of_a_prompt_is_told_once() -> None:
    asked_last = "It is still unclear whether the ledger parser needs a lock."
    view = session([user(asked_last), model("Noted."), *working(40), user("and now?")])
    assert summary(view, tokens(view) // 5).count(asked_last) == 1


def test_the_ledger_tells_a_file_once_and_what_was_done() -> None:
    calls = [
        ("read_file", {"path": "/home/me/shop/src/a.py"}, {"output": "x"}), ("bash", {"command": "sed -i s/x/y/ src/a.py"}, {"output": ""}),
        ("read_file", {"path": "README.md"}, {"output": "x"}), ("read_file", {"path": "/home/me/shop/README.md"}, {"output": "x"}),
        ("cancel_order", {"order": "W7"}, {"status": "cancelled", "order": "W7"}), ("get_order", {"order": "W8"}, {"status": "sent"}),
        ("bash", {"command": "make a"}, {"output": "x\nCommand exited with code 3"}), ("bash", {"command": "make b"}, {"exit_code": 3}),
        ("bash", {"command": "make c"}, {"exit_code": 3}), ("bash", {"command": "cat no.txt"}, {"error": "no.txt: No such file"}),
    ]  # fmt: skip
    done = [m for n, (name, args, result) in enumerate(calls) for m in asked(f"l{n}", name, args, result)]
    view = session([user("change the files"), *done, model("done"), *working(60), user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert section(text, "Files") == [
        "- written: /home/me/shop/src/a.py", "- read: README.md, /home/me/shop/README.md",
    ]  # fmt: skip
    assert section(text, "Done") == ["- cancel_order(order=W7) → status=cancelled"]
    assert section(text, "What failed") == [
        "- `make a`: Command exited with code 3", "- `make b`: exit 3", "- `make c`: exit 3", "- `cat no.txt`: no.txt: No such file",
    ]  # fmt: skip
    again = apply(view, plan(view, tokens(view) // 5).ops)
    again = again.with_messages([*again.messages, *session([*working(60), user("on")]).messages])
    assert "- cancel_order(order=W7) → status=cancelled" in section(
        summary(again, tokens(view) // 6), "Done"
    )


@pytest.mark.parametrize(("end", "later"), [
    ("Open question: does the theme watcher leak file handles? Somebody has to check.",
     "I checked the theme watcher: it leaks no file handles."),
    ("We still need to write tests for parsed.py at some point.", None),
])  # fmt: skip
def test_an_open_end_that_is_settled_later_is_open_no_more(end: str, later: str | None) -> None:
    written = asked("w", "write_file", {"path": "src/parsed.py"}, {"output": "ok"})
    first = [
        user(end),
        model("Noted."),
        user("It is unclear who owns the glacier exporter."),
        model("Yes."),
    ]
    for answer in ([], [user(later), model("Good.")] if later else written):
        view = session([*first, *working(20), *answer, *working(30), user("and now?")])
        told = section(summary(view, tokens(view) // 5), "Open")
        assert "- It is unclear who owns the glacier exporter." in told
        assert (f"- {end}" in told) == (not answer), told


def test_what_says_nothing_by_itself_is_no_open_end() -> None:
    talk = [user("does the selector need a debounce?"), model("I do not know yet.")]
    view = session([*talk, *working(50), user("and now?")])
    told = section(summary(view, tokens(view) // 5), "Open")
    assert told == ["- does the selector need a debounce?"]  # and not what nobody knows


@pytest.mark.parametrize(("question", "reply", "stands"), [
    ("Does the zeppelin need a carburettor?", "I do not know yet.", True), ("Who pays for the zeppelin?", "Go on.", True),
    ("Does the zeppelin need a carburettor?", "Yes, I think so.", False), ("Who pays for the zeppelin?", "The zeppelin is paid.", False),
    ("No zeppelin in Antwerp?", "Hm.", False), ("Have you seen the zeppelin in Antwerp?", "Hm.", False),
    ("Could you find out who pays for the zeppelin?", "Hm.", True), ("Wer bezahlt den Zeppelin?", "Hm.", True),
    ("What do they do?", "Hm.", False),
])  # fmt: skip
def test_a_question_that_nobody_takes_up_is_open(question: str, reply: str, stands: bool) -> None:
    view = session([user(question), model(reply), *working(50), user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert ("Open:" in text and question in "".join(section(text, "Open"))) == stands


def test_a_name_in_plain_words_is_worth_more_than_what_is_shouted() -> None:
    plain = "So we went there and then it was like that for them again, number {0} of it."
    told = "They took the boat to Trieste for it."
    turns = [
        m for n in range(60) for m in (user(f"Ann: {plain.format(n)}"), model("Bob: WHAT! Really? Yikes!"))
    ]
    turns[20:20] = [user(f"Ann: {told}"), model("Bob: Wonderful!")]
    text = summary(session([*turns, user("Ann: and?")]), tokens(session(turns)) // 8)
    assert told in text
    assert "Wonderful!" not in text
    assert text.count("WHAT!") <= 1


def test_the_frame_of_every_output_is_not_told() -> None:
    framed = "<context>\nOutput: {0}\nProcess Group PGID: {1}\n</context>"
    done = [
        m
        for n in range(60)
        for m in asked(
            f"c{n}", "bash", {"command": f"make t{n}"}, {"output": framed.format(output(n, 30), 29000 + n)}
        )
    ]
    view = session([user("do it all"), *done, user("and now?")])
    text = summary(view, tokens(view) // 5)
    assert "PGID" not in text
    assert "handle_" in text


def test_of_equal_rules_the_newest_is_told() -> None:
    older, newer = "I do not want travel insurance.", "No, I do not want any travel insurance."
    full = "It is full, and so is each of the {0} after it, as they said at desk {0}. "
    talk = [m for n in range(60) for m in (user(f"And flight {n}?"), model(full.format(n) * 3))]
    view = session([user(older), *talk[:60], user(newer), *talk[60:], user("end")])
    assert section(summary(view, tokens(view) // 5), "Rules") == [f"- {newer}"]


def test_where_all_are_named_nobody_is_the_user() -> None:
    words = "The zeppelin number {0} had a carburettor of brass, which leaked kerosene over crate {0}."
    turns = [
        m
        for n in range(60)
        for m in (user(f"Ann: {words.format(n)}"), model(f"Bob: {words.format(n + 60)}"))
    ]
    text = summary(session([*turns, user("Ann: and?")]), tokens(session(turns)) // 5)
    of_ann, of_bob = (text.count(f"{name}: ") for name in ("Ann", "Bob"))
    assert of_ann < 2 * of_bob, (of_ann, of_bob)


def test_a_picture_has_no_names() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" * 90}}
    shown = [
        m for n in range(30) for m in ({**user(f"what is on chart {n}?"), "parts": [picture]}, model("x"))
    ]
    view = session([*shown, *working(20), user("and?")])
    assert not any(
        "image/png" in line for line in section(summary(view, tokens(view) // 9), "Names in files")
    )

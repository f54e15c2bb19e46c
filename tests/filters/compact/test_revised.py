"""What only the whole history tells of a line: that it is settled, a frame, or said among equals."""

from __future__ import annotations

import pytest

from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.revised import revised
from codeh_history.filters.compact.worth import Words, Worth
from compact.long import output
from compact.short import asked, tokens
from compact.summarized import section, summary, working
from histories import model, session, user


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


def seen(lines: list[Line]) -> list[Line]:
    for place, line in enumerate(lines):
        line.place = place
    return revised(lines, Worth(Words(), lines))


END = "It is unclear whether the zeppelin needs a carburettor."


@pytest.mark.parametrize(
    ("later", "stays"),
    [
        (Line("The zeppelin needs no carburettor.", "said", 2), False), (Line("The zeppelin needs no carburettor?", "said", 2), True),
        (Line("The zeppelin is there.", "said", 2), True), (Line("The zeppelin needs no carburettor.", "gave", 2), True),
        (Line("The zeppelin needs no carburettor.", "said", 1), True), (Line("Still unclear: carburettor, zeppelin", "said", 2, topic="open"), True),
        (Line("src/zeppelin.py", "ledger", 2, label="written", topic="file"), True),
    ],
)  # fmt: skip
def test_an_open_end_is_settled_by_a_later_sentence_of_the_same(later: Line, *, stays: bool) -> None:
    first = seen([Line(END, "said", 1, topic="open"), later])[0]
    assert (first.topic == "open") is stays


@pytest.mark.parametrize(
    ("state", "stays"), [("created", False), ("written", False), ("deleted", False), ("read", True)]
)
def test_an_open_end_about_a_file_is_settled_when_that_changes(state: str, *, stays: bool) -> None:
    end = Line("We still have to write parsed.py for the zeppelin.", "said", 1, topic="open")
    file = Line("src/parsed.py", "ledger", 2, label=state, topic="file")
    assert (seen([end, file])[0].topic == "open") is stays


def test_an_end_that_tells_nothing_is_none_and_worth_less() -> None:
    end = Line("It is so.", "said", 1, topic="open")
    before = end.factor
    (found,) = seen([end])
    assert found.topic == ""
    assert found.factor < before


def test_what_outputs_begin_or_end_with_all_the_time_is_dull() -> None:
    outputs = [
        Line(text, "gave", n, label="`make`")
        for n in range(8)
        for text in ("Exit Code: 0", f"handle_{n}", f"took {n} s")
    ]
    before = outputs[0].factor
    found = seen(outputs)
    for number in range(8):
        code, _, took = found[3 * number : 3 * number + 3]
        assert code.factor < before
        assert took.factor < before  # the same, but for its number
    few = seen([Line("Exit Code: 0", "gave", n, label="`make`") for n in range(4)])
    assert {line.factor for line in few} == {before}


@pytest.mark.parametrize(("named", "kind"), [(0, "asked"), (1, "asked"), (2, "said"), (3, "said")])
def test_where_most_are_named_a_user_is_one_of_them(named: int, kind: str) -> None:
    lines = [
        Line("The zeppelin flies.", "asked", n, label="Ann" if n < named else "User") for n in range(3)
    ]
    assert {line.kind for line in seen(lines)} == {kind}

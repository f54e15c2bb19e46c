"""What only the whole history tells of a line: that it is settled, a frame, or said among equals."""

from __future__ import annotations

import pytest
from test_summary import section, summary, working

from compact.long import output
from compact.short import asked, tokens
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

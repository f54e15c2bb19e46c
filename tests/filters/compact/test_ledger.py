"""What calls came to: files by their newest state, what was done, what failed."""

import pytest

from codeh_history.filters.compact.choose import _newest
from codeh_history.filters.compact.lines import Line
from codeh_history.session.ops import apply
from codeh_history.session.pairing import pair
from codeh_history.summaries.ledger import Ledger
from compact.short import plan, section, summary, tokens, tool_call, working
from histories import model, session, user


def after_calls(calls):
    """A session of these calls, each with its result, and much work after them."""
    done = [m for n, call in enumerate(calls) for m in tool_call(f"l{n}", *call)]
    return session([user("change the files"), *done, model("done"), *working(60), user("and now?")])


def test_the_ledger_holds_the_newest_state_of_each_file():
    calls = [
        ("read_file", {"path": "src/a.py"}, {"output": "x"}), ("edit_file", {"path": "src/a.py"}, {"output": "ok"}),
        ("create_file", {"path": "src/b.py"}, {"output": "ok"}), ("read_file", {"path": "src/c.py"}, {"output": "x"}),
        ("write_file", {"path": "src/d.py"}, {"output": "ok"}), ("bash", {"command": "rm src/d.py"}, {"output": ""}),
        ("write_file", {"path": "src/e.py"}, {"error": "disk full"}), ("bash", {"command": "make a"}, {"error": "Error: boom 1"}),
        ("bash", {"command": "make b"}, {"error": "Error: boom 2"}), ("bash", {"command": "make b"}, {"output": "fine"}),
    ]  # fmt: skip
    view = after_calls(calls)
    text = summary(view, tokens(view) // 5)
    assert section(text, "Files") == [
        "- created: src/b.py", "- written: src/a.py", "- deleted: src/d.py", "- read: src/c.py",
    ]  # fmt: skip
    failed = section(text, "What failed")
    assert "- `make a`: Error: boom 1" in failed
    assert "- `make b`: Error: boom 2 (passed later)" in failed


def test_the_ledger_tells_a_file_once_and_what_was_done():
    calls = [
        ("read_file", {"path": "/home/me/shop/src/a.py"}, {"output": "x"}), ("bash", {"command": "sed -i s/x/y/ src/a.py"}, {"output": ""}),
        ("read_file", {"path": "README.md"}, {"output": "x"}), ("read_file", {"path": "/home/me/shop/README.md"}, {"output": "x"}),
        ("cancel_order", {"order": "W7"}, {"status": "cancelled", "order": "W7"}), ("get_order", {"order": "W8"}, {"status": "sent"}),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, {"output": "ok"}), ("update_plan", {"explanation": "next"}, {"output": "ok"}),
        ("bash", {"command": "make a"}, {"output": "x\nCommand exited with code 3"}), ("bash", {"command": "make b"}, {"exit_code": 3}),
        ("bash", {"command": "make c"}, {"exit_code": 3}), ("bash", {"command": "cat no.txt"}, {"error": "no.txt: No such file"}),
    ]  # fmt: skip
    view = after_calls(calls)
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


def test_a_call_without_a_result_did_nothing():
    open_call = model({"functionCall": {"id": "c", "name": "book_room", "args": {"room": 4}}})
    assert [*Ledger(pair(session([user("Book it."), open_call]).messages).calls).lines()] == []


@pytest.mark.parametrize("share", [2, 4, 8, 20])
def test_what_was_done_outlives_everything_else(share):
    turns = [user("Please book my trips. Never book a night flight.")]
    for n in range(12):
        turns += [
            user(f"And now the trip to town{n}, with {n} bags and a seat at the window of row {n}, please.")
        ]
        turns += tool_call(
            f"g{n}",
            "search_flight",
            {"to": f"town{n}"},
            {"output": "\n".join(f"flight{n}{i} at {i}:00" for i in range(40))},
        )
        turns += [
            model(
                f"There are forty flights to town{n}; the cheapest leaves at noon and has a stop in city{n}."
            )
        ]
    for n in (2, 5, 7):
        turns[n * 4 + 1 : n * 4 + 1] = tool_call(
            f"b{n}", "book_flight", {"flight": f"flight{n}"}, {"booking_id": f"HAT{n}"}
        )
    view = session([*turns, user("and now?")])
    text = summary(view, tokens(view) // share)
    assert section(text, "Done") == [
        f"- book_flight(flight=flight{n}) → booking_id=HAT{n}" for n in (2, 5, 7)
    ]


# -- lines by themselves --------------------------------------------------------------------------------


def read_back(kind, *lines):
    ledger = Ledger()
    for place, (label, text) in enumerate(lines):
        assert ledger.read_back(kind, label, text, place)
    return [text for _, _, text, _ in ledger.lines()]


def failure(command, error):
    view = session(tool_call("a", "bash", {"command": command}, {"error": error}))
    ((_, _, text, _),) = Ledger(pair(view.messages).calls).lines()
    return text


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["/home/me/shop/src/a.py", "src/a.py"], ["/home/me/shop/src/a.py"]), (["src/a.py", "/home/me/shop/src/a.py"], ["/home/me/shop/src/a.py"]),
        (["/home/me/shop/src/a.py", "./src/a.py"], ["/home/me/shop/src/a.py"]), (["/home/me/shop/a.py", "a.py"], ["/home/me/shop/a.py", "a.py"]),
        (["/home/me/shop/src/ba.py", "src/a.py"], ["/home/me/shop/src/ba.py", "src/a.py"]), (["~/shop/src/a.py", "src/a.py"], ["~/shop/src/a.py"]),
        (["src/a.py", "lib/a.py"], ["src/a.py", "lib/a.py"]), (["/x/src/a.py", "/y/src/a.py"], ["/x/src/a.py", "/y/src/a.py"]),
    ],
)  # fmt: skip
def test_a_file_called_by_its_whole_path_elsewhere_is_that_file(paths, expected):
    assert sorted(read_back("file", *(("written", path) for path in paths))) == sorted(expected)


HOW = "Error: the zeppelin is gone"


def test_a_failure_that_passed_later_says_so():
    turns = [
        turn
        for n, (command, result) in enumerate(
            [("make a", {"error": HOW}), ("make c", {"error": HOW}), ("make c", {"output": "ok"})]
        )
        for turn in tool_call(f"c{n}", "bash", {"command": command}, result)
    ]
    lines = Ledger(pair(session(turns).messages).calls).lines()
    assert [text for _, _, text, _ in lines] == [f"`make a`: {HOW}", f"`make c`: {HOW} (passed later)"]


def test_a_long_reason_keeps_its_beginning_and_its_end():
    line = failure("make", "the beginning " + "middle " * 18 + "the end")
    assert line.startswith("`make`: the beginning")
    assert line.endswith("the end")
    assert "…" in line


def test_a_long_command_is_cut_within_its_marks():
    assert failure("word " * 60, "Error: gone now, all of it").index("…`: Error") < 140


@pytest.mark.parametrize(
    "text", [f"`make b`: {HOW}", f"`make a`: {HOW} (passed later)", "read(a): no file", "`grep a: b`: exit 2"],
)  # fmt: skip
def test_a_line_of_an_earlier_ledger_is_read_back_as_it_is(text):
    assert read_back("failed", ("", text), ("", text)) == [text]


def test_what_fails_still_comes_first_and_what_only_looked_last():
    texts = ["`cat a`: no", "`make a`: no (passed later)", "`make b`: no"]
    lines = [Line("failed", "", text, "m", 1) for text in texts]
    assert [line.text for line in sorted(lines, key=_newest)] == texts[::-1]

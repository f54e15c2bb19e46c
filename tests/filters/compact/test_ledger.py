"""What calls came to: files by their newest state, what was done, what failed."""

import pytest

from codeh_history.session.ops import apply
from codeh_history.summaries.calls import Ledger
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


def test_a_failure_fits_a_small_summary_however_long():
    command = {"command": "make " + "target " * 60}
    view = after_calls([("bash", command, {"error": "Error: the user refused " + "this call " * 40})])
    assert section(summary(view, 900), "What failed")


def test_the_ledger_shows_files_actions_and_failures():
    calls = [
        ("read_file", {"path": "/home/me/shop/src/a.py"}, {"output": "x"}), ("edit_file", {"path": "/home/me/shop/src/a.py"}, {"output": ""}),
        ("read_file", {"path": "README.md"}, {"output": "x"}), ("read_file", {"path": "/home/me/shop/README.md"}, {"output": "x"}),
        ("cancel_order", {"order": "W7"}, {"status": "cancelled", "order": "W7"}), ("get_order", {"order": "W8"}, {"status": "sent"}),
        ("send_mail", {"to": "Ann", "copy": False, "cc": [], "bcc": None}, {"state": True}), ("send_mail", {"to": ""}, {"output": "ok"}), ("cancel_order", {"order": "W5", "dry_run": True}, {"output": "ok"}),
        ("TaskUpdate", {"taskId": "3", "status": "completed"}, {"output": "ok"}), ("update_plan", {"explanation": "next"}, {"output": "ok"}),
        ("bash", {"command": "make a"}, {"output": "x\nCommand exited with code 3"}), ("bash", {"command": "make b"}, {"exit_code": 3}),
        ("bash", {"command": "make c"}, {"exit_code": 3}), ("bash", {"command": "cat no.txt"}, {"error": "no.txt: No such file"}),
    ]  # fmt: skip
    view = after_calls(calls)
    text = summary(view, tokens(view) // 5)
    assert section(text, "Files") == [
        "- written: /home/me/shop/src/a.py", "- read: README.md, /home/me/shop/README.md",
    ]  # fmt: skip
    assert section(text, "Done") == [
        "- cancel_order(order=W7) → status=cancelled", "- send_mail(to=Ann, copy=false) → state=true",
    ]  # fmt: skip
    assert section(text, "What failed") == [
        "- `make a`: x", "- `make b`: exit 3", "- `make c`: exit 3", "- `cat no.txt`: no.txt: No such file",
    ]  # fmt: skip
    again = apply(view, plan(view, tokens(view) // 5).ops)
    again = again.with_messages([*again.messages, *session([*working(60), user("on")]).messages])
    assert "- cancel_order(order=W7) → status=cancelled" in section(
        summary(again, tokens(view) // 6), "Done"
    )


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


HOW = "Error: the zeppelin is gone"


@pytest.mark.parametrize(
    "text", [f"`make b`: {HOW}", f"`make a`: {HOW} (passed later)", "read(a): no file", "`grep a: b`: exit 2"],
)  # fmt: skip
def test_a_line_of_an_earlier_ledger_is_read_back_as_it_is(text):
    ledger = Ledger()
    for place in range(2):
        ledger.read_back("failed", "", text, place)
    assert [text for _, _, text, _ in ledger.lines()] == [text]

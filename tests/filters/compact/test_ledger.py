"""What calls came to: files by their newest state, what was done, what failed."""

from __future__ import annotations

from test_summary import section, summary, working

from codeh_history.filters.compact.summary import parsed
from codeh_history.session.ops import apply
from codeh_history.summaries.calls import Effects
from compact.short import asked, plan, tokens
from histories import model, session, user


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

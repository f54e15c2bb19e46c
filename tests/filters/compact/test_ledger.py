"""What calls came to: files by their newest state, what was done, what failed."""

import pytest

from codeh_history.filters.compact.choose import _newest
from codeh_history.filters.compact.extract import ledger, read_back
from codeh_history.filters.compact.lines import Line
from codeh_history.filters.compact.summary import Entry
from codeh_history.session.ops import apply
from codeh_history.summaries.calls import Effects
from compact.short import asked, plan, tokens
from compact.summarized import section, summary, working
from histories import model, session, user


def test_the_ledger_holds_the_newest_state_of_each_file():
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


def test_the_ledger_tells_a_file_once_and_what_was_done():
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


@pytest.mark.parametrize("share", [2, 4, 8, 20])
def test_what_was_done_outlives_everything_else(share):
    turns = [user("Please book my trips. Never book a night flight.")]
    for n in range(12):
        turns += [
            user(f"And now the trip to town{n}, with {n} bags and a seat at the window of row {n}, please.")
        ]
        turns += asked(
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
        turns[n * 4 + 1 : n * 4 + 1] = asked(
            f"b{n}", "book_flight", {"flight": f"flight{n}"}, {"booking_id": f"HAT{n}"}
        )
    view = session([*turns, user("and now?")])
    text = summary(view, tokens(view) // share)
    assert section(text, "Done") == [
        f"- book_flight(flight=flight{n}) → booking_id=HAT{n}" for n in (2, 5, 7)
    ]


# -- lines by themselves --------------------------------------------------------------------------------


def effects(*touched, failed=()):
    done = Effects()
    for place, (path, state) in enumerate(touched):
        done.touch(path, state, place)
    for place, (what, how) in enumerate(failed):
        done.fail(what, how, place, passed=False)
    return done


def failures(*failed):
    return [line.text for line in ledger(effects(failed=failed)) if line.kind == "failed"]


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
    lines = ledger(effects(*((path, "written") for path in paths)))
    assert sorted(line.text for line in lines) == sorted(expected)
    assert {line.label for line in lines} == {"written"}


HOW = "Error: the zeppelin is gone"


def test_what_passed_later_is_said_so_and_told_apart():
    done = effects(failed=[("`make a`", HOW), ("`make b`", HOW)])
    done.fail("`make c`", HOW, 3, passed=True)
    assert [line.text for line in ledger(done)] == [
        f"`make a`: {HOW}", f"`make b`: {HOW}", f"`make c`: {HOW} (passed later)",
    ]  # fmt: skip


def test_a_long_reason_keeps_its_beginning_and_its_end():
    (line,) = failures(("`make`", "the beginning " + "middle " * 50 + "the end"))
    assert line.startswith("`make`: the beginning")
    assert line.endswith("the end")
    assert len(line) < 200


def test_a_long_command_is_cut_within_its_marks():
    (line,) = failures(("`" + "word " * 60 + "`", "Error: gone now, all of it"))
    assert line.index("…`: Error") < 140


@pytest.mark.parametrize(
    "text", [f"`make b`: {HOW}", f"`make a`: {HOW} (passed later)", "read(a): no file", "`grep a: b`: exit 2"],
)  # fmt: skip
def test_a_line_of_an_earlier_ledger_is_read_back(text):
    done = Effects()
    assert read_back(Entry("failed", "", text, "m"), done, 0)
    assert [line.text for line in ledger(done)] == [text]


def test_what_fails_still_comes_first_and_what_only_looked_last():
    texts = ["`cat a`: no", "`make a`: no (passed later)", "`make b`: no"]
    lines = [Line("failed", "", text, "m", 1) for text in texts]
    assert [line.text for line in sorted(lines, key=_newest)] == texts[::-1]

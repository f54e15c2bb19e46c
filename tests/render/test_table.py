"""Columns, bars, changes and budgets as a table."""

import os
import re

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.render import changes, table
from codeh_history.render.changes import explain, labelled, tables
from codeh_history.session.ops import drop, insert, replace, summarize
from strategies import view_of


def test_separated_columns():
    rows = [["a", None, 3, ["x", "y"]], ["tab\there", "new\nline", 0, []]]
    assert table.separated(rows) == b"a\t\t3\tx,y\ntab\\there\tnew\\nline\t0\t\n"


def shown(width, *rows, flexible=1):
    out = table.aligned(["id", "size", "title"], rows, width=width, colour=False, flexible=flexible)
    return [
        line.rstrip() for line in out.decode().replace("\x1b[1m", "").replace("\x1b[0m", "").splitlines()
    ]


def test_on_a_terminal_columns_are_aligned_numbers_to_the_right():
    assert shown(60, ["a", 7, "Short"], ["longer", 12345, "A title"]) == [
        "id       size  title", "a           7  Short", "longer  12345  A title",
    ]  # fmt: skip


@pytest.mark.parametrize("width", range(20, 60, 4))
def test_the_last_column_is_cut_and_no_other(width):
    heading, line = shown(width, ["longer", 12345, "A title of many words that goes on"])
    assert heading.startswith("id       size  title")
    assert line.startswith("longer  12345  A")
    assert max(len(heading), len(line)) <= max(width, len(heading))
    assert line.endswith("goes on" if width >= 49 else "…")


def test_a_wide_first_column_gets_its_own_line():
    lines = shown(24, ["a-very-long-identifier", 7, "The title"])
    assert lines == ["id", "  size  title", "a-very-long-identifier", "     7  The title"]


def test_a_narrow_terminal_wraps():
    assert shown(8, ["a-long-identifier", 7, "T"])[1].startswith("a-long-identifier     7  T")


def test_control_characters_are_made_visible():
    line = shown(60, ["a", 1, "\x1b[31mred"])[1]
    assert "\x1b" not in line
    assert line.endswith("red")


def test_bars():
    shown = table.bars({"role": {"user": 999, "model": 1, "none": 0}, "tool": {}}, {}).decode()
    assert [line.split("\t")[:4] for line in shown.splitlines()] == [
        ["role", "user", "999", "100%"], ["role", "model", "1", "0%"], ["role", "none", "0", "0%"],
    ]  # fmt: skip
    assert [len(line.split("\t")[4]) for line in shown.splitlines()] == [40, 1, 0]


@pytest.mark.parametrize(
    ("amount", "whole", "length", "share"),
    [(0, 10, 0, "0%"), (1, 1000, 1, "0%"), (5, 10, 20, "50%"), (10, 10, 40, "100%"), (0, 0, 0, "0%"), (999, 1000, 40, "100%")],
)  # fmt: skip
def test_a_bar_shows_its_share_and_a_nonzero_share_is_visible(amount, whole, length, share):
    assert table.share(amount, whole) == share
    if whole:
        assert table.length(amount, whole) == length


def test_shares_may_be_of_more_than_the_sum():
    assert table.bars({"spent": {"a": 25}}, {"spent": 100}).decode().split("\t")[3] == "25%"


@pytest.mark.parametrize("width", [33, 50, 80, 200])
def test_on_a_terminal_no_line_is_longer_than_it_is_wide(width):
    groups = {
        "role": {"user": 123456, "a name that is very long indeed, longer than a line": 7},
        "none": {},
        "tool": {"ls": 1},
    }
    lines = re.sub(
        r"\x1b\[[0-9;]*m", "", table.drawn_bars(groups, {}, width=width, colour=True).decode()
    ).splitlines()
    assert max(map(len, lines)) <= width
    assert [line[:7] for line in lines if line.startswith("by ")] == ["by role", "by tool"]
    assert "123,456" in "".join(lines)


KINDS = {"a": "user", "b": "codeh", "c": "tool", "d": "user"}
VIEW = view_of([
    {"type": "message", "id": id, "kind": kind, "role": "model" if kind == "codeh" else "user",
     "parts": [{"text": f"text of\n{id}"}]}
    for id, kind in KINDS.items()
])  # fmt: skip


def test_changes_of_one_reason_are_one_row_with_their_first_message():
    ops = [
        replace("c", 0, "x", None, "large"), drop(["d"], "old"), replace("b", 0, "x", None, "large"),
        replace("b", 1, "y", None, "large"), insert("a", {"parts": []}, "answer"), summarize(["a", "s1"], "text"),
        summarize(["s2"], "text"),
    ]  # fmt: skip
    assert changes.rows(VIEW, ops) == [
        ("edit", 2, "large", ":2 model text of b"),
        ("drop", 1, "old", ":4 user text of d"),
        ("add", 1, "answer", ":1 user text of a"),
        ("summarise", 3, "", ":1 user text of a"),
    ]
    assert changes.rows(VIEW, ops[-1:]) == [("summarise", 1, "", "summary")]
    assert changes.rows(VIEW, []) == []


def test_a_long_table_says_how_much_it_leaves_out():
    read, write = os.pipe()
    with open(write, "wb") as pipe:
        changes.draw(Env({}, stdout=pipe.fileno()), ("a", "b"), [(n, n) for n in range(changes.MOST + 3)])
    with open(read) as drawn:
        lines = drawn.read().splitlines()
    assert len(lines) == changes.MOST + 1
    assert lines[-1] == "and 3 more\t"


def test_a_table_without_rows_has_no_heading_either(monkeypatch):
    master, slave = os.openpty()
    monkeypatch.setattr(changes, "rich_wanted", lambda _: True)
    changes.draw(Env({}, stdout=slave), ("kind", "secrets"), [])
    os.write(slave, b"end\n")
    assert os.read(master, 100) == b"end\r\n"
    os.close(slave)
    os.close(master)


REPORT = {
    "session": "s", "counter": "approx", "budget": 1000, "before": 3000, "after": 900,
    "spent": {"prompts": 600, "answers": 300, "tools": 0},
    "let_go": {"results": {"parts": 1200, "tokens": 2000}, "images": {"parts": 1, "tokens": 100}},
    "largest": [{"n": 3, "part": 0, "what": "result", "name": "ls", "text": "a.py", "tokens": 500}],
}  # fmt: skip


def explained(tmp_path, report, *, json):
    with (tmp_path / "err").open("wb") as err:
        env = Env({}, stderr=err.fileno())
        env.quiet = True  # it was asked for
        explain(env, report, json=json)
    return (tmp_path / "err").read_text()


def test_json_is_complete_and_on_one_line(tmp_path):
    printed = explained(tmp_path, REPORT, json=True)
    assert printed.count("\n") == 1
    assert orjson.loads(printed) == REPORT


def test_in_a_pipe_each_amount_is_a_line(tmp_path):
    rows = [line.split("\t") for line in explained(tmp_path, REPORT, json=False).splitlines()]
    assert rows[:4] == [["counter", "approx"], ["budget", "1000"], ["before", "3000"], ["after", "900"]]
    assert [row[:4] for row in rows[4:]] == [
        ["spent", "prompts", "600", "60%"], ["spent", "answers", "300", "30%"], ["spent", "free", "100", "10%"],
        ["let go", "results (1,200)", "2000", "95%"], ["let go", "images (1)", "100", "5%"],
        ["largest", ":3.0 result ls: a.py", "500", "56%"],
    ]  # fmt: skip


def test_without_a_budget_there_is_no_free_share(tmp_path):
    report = {**REPORT, "budget": None, "let_go": {}, "largest": []}
    groups, wholes = tables(report)
    assert groups["spent"] == {"prompts": 600, "answers": 300}
    assert wholes["spent"] == 900
    assert "budget" not in explained(tmp_path, report, json=False)
    over, _ = tables({**REPORT, "after": 1100})
    assert "free" not in over["spent"]


@pytest.mark.parametrize(
    ("part", "label"),
    [
        ({"n": 12, "part": 0, "what": "result", "name": "ls", "text": "a"}, ":12.0 result ls: a"),
        ({"n": 1, "part": 2, "what": "text", "id": "m1", "text": "hi"}, ":1.2 text: hi"),
        ({"what": "summary", "id": "s1", "text": "x"}, "summary s1: x"), ({"what": "system", "text": ""}, "system"),
        ({"what": "tool", "name": "ls"}, "tool ls"), ({"n": 1, "part": 0, "what": "image", "name": None}, ":1.0 image"),
    ],
)  # fmt: skip
def test_large_parts_are_named_by_their_place(part, label):
    assert labelled(part) == label

"""What a message says, as lines: sentences of what was said, whole lines of what tools took and gave."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from codeh_history.filters.compact.extent import Extent
from codeh_history.filters.compact.line import Line
from codeh_history.filters.compact.lines import BRIEF, Memo, Reader, beginning, brief, pieces, plainly
from codeh_history.filters.compact.lines import told as told_lines
from codeh_history.filters.compact.units import Joined
from codeh_history.session.model import Message
from compact.long import output
from compact.planted import called, said
from compact.recorded import records
from compact.short import asked, tokens
from compact.summarized import summary
from histories import call, model, result, session, tool, user
from strategies import view_of


@pytest.mark.parametrize(("value", "lines"), [
    ({"order": "W591", "items": [{"name": "lamp", "price": 268.77}, {"name": "desk", "tags": ["a", 1]}]},
     ["order: W591", "name: lamp, price: 268.77", "name: desk, tags: a 1"]),
    ("def f():\n    return 1\n\n", ["def f():", "    return 1"]), ({"ok": True, "note": None}, ["ok: true"]), (None, []),
    ({"text": "one\ntwo\nthree"}, ["one", "two", "three"]), ([1, 2], ["1", "2"]),
])  # fmt: skip
def test_json_is_read_as_json_and_text_as_its_lines(value: Any, lines: list[str]) -> None:
    assert list(told_lines(value)) == lines


@pytest.mark.parametrize(("text", "most", "left"), [
    ("Read it. Then say so.", 30, "Read it. Then say so."), ("Read it. Then say so.", 15, "Read it. "),
    ("Read all of it. Then say", 20, "Read all of it. "), ("Ok. change the theme everywhere", 20, "Ok. change the..."),
    ("one line\nanother, and more", 16, "one line\n"), ("everything, or nothing", 13, "everything..."),
    ("\u8bf7\u8bfb\u5b83\u3002\u7136\u540e", 5, "\u8bf7\u8bfb\u5b83\u3002"), ("abcdefghij", 4, "abcd..."), ("abc", 0, ""),
])  # fmt: skip
def test_where_not_all_is_read_no_sentence_ends_in_its_midst(text: str, most: int, left: str) -> None:
    assert beginning(text, most) == left


def test_of_a_huge_history_old_prompts_are_told_in_whole_words_and_without_their_pictures() -> None:
    wish = ", and ".join(f"please make the colours of panel {name} equal" for name in "abcdefghijklmnop")
    prompts = [f"'/tmp/Screenshot 2025 {number}.png'\n\n{wish} {number}" for number in range(900)]
    talk = [m for prompt in prompts for m in (user(prompt), model("word " * 500))]
    text = summary(session([*talk, user("end")]), 20_000)
    told = [line.removeprefix("User: ") for line in text.splitlines() if "please make" in line]
    assert told
    assert all(
        line.endswith("...") and wish.startswith((f"{line[:-3]} ", f"{line[:-3]},")) for line in told
    )
    assert "Screenshot" not in text


def test_terse_leaves_tool_output_alone() -> None:
    log = "please really just print the zeppelin, you know"
    talk = [m for n in range(20) for m in (user(f"well, um, and number {n}?"), model("word " * 40))]
    view = session(
        [user("um, so, please look"), *asked("c", "bash", {}, {"output": log}), *talk, user("end")]
    )
    text = summary(view, tokens(view) * 2 // 3, terse=True)
    assert log in text.split("\n")
    assert "- look" in text.split("\n")


class Cut(Extent):
    """The same number of characters of each part."""

    def __init__(self, most: int, *, whole: bool) -> None:
        self._most, self.whole = most, whole

    def of(self, number: int) -> list[int]:
        return [self._most]


def test_a_part_is_read_again_where_more_or_less_of_it_is_told() -> None:
    talk = [said("user", output(1, 9)), *called("c", "bash", {"command": "ls"}, {"output": output(2, 40)}),
            said("codeh", "First. " * 9 + "\nThat is decided: we use it.")]  # fmt: skip
    messages = view_of(records(talk)).messages
    memo: Memo = {}
    for whole, terse in product((True, False), repeat=2):
        for most in (90, 400, 10**6, 10**5, 400, 90, 0, 400):
            cut = Cut(most, whole=whole)
            assert read(messages, cut, memo, terse=terse) == read(messages, cut, {}, terse=terse)


def read(messages: list[Message], extent: Extent, memo: Memo, *, terse: bool) -> list[list[object]]:
    costs = [[100] * len(message.parts) for message in messages]
    joined = Joined()
    joined.extend(messages)
    reader = Reader(messages, joined.calls, costs, extent, memo, terse=terse)
    lines = [one for number in range(len(messages)) for one in reader.lines(number)]
    found = [[getattr(one, name) for name in Line.__slots__] for one in lines]
    for one in lines:
        one.place, one.features = 7, frozenset("x")  # as whoever chooses among them does
    return found


@pytest.mark.parametrize(
    ("args", "label"),
    [
        ({"command": "make test"}, "`make test`"), ({"path": "/home/me/src/a.py"}, "src/a.py"), ({"query": "x", "n": 1}, "tool x"), ({"n": 1, "name": "b"}, "tool b"),
        ({}, "tool "), (None, "tool "), ({"deep": {"a": 1}}, "tool "), ({"n": 7}, "tool 7"),
    ],
)  # fmt: skip
def test_a_call_is_labelled_by_its_command_its_file_or_an_argument(args: Any, label: str) -> None:
    assert brief("tool", args) == label.strip()


def test_a_label_is_short() -> None:
    assert len(brief("bash", {"command": "word " * 40})) <= BRIEF + 2
    assert len(brief("tool", {"query": "word " * 40})) <= BRIEF


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ({"text": "a b\nc"}, ["a", "b", "c"]), ({"text": "hm", "thought": True}, []),
        (call("f", args={"a": [1, {"b": "x y"}], "c": None, "d": True}), ["1", "x", "y", "true"]),
        (result("f", response={"output": "p q"}), ["p", "q"]), ({"inlineData": {"mimeType": "image/png", "data": "abc"}}, []), ({"functionCall": {"name": "f"}}, []),
    ],
)  # fmt: skip
def test_the_words_of_a_part(part: Any, found: list[str]) -> None:
    assert pieces(part) == found


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"a": {"b": 1}, "c": 2}, ["c: 2", "b: 1"]), ({"a": [{"b": 1}]}, ["b: 1"]), ({"a": [1] * 9}, ["1"] * 9), ({"a": [1] * 8}, ["a: 1 1 1 1 1 1 1 1"]),
        ({"a": None}, []), ({f"k{n}": "x" * 90 for n in range(3)}, ["k0: " + "x" * 90 + ", k1: " + "x" * 90, "k2: " + "x" * 90]),
        ({"a": "x" * 201}, ["x" * 201]), ("ab\nabc\n", ["abc"]), (7, ["7"]), (False, ["false"]), ({}, []),
    ],
)  # fmt: skip
def test_an_object_is_told_in_as_few_lines_as_are_not_too_long(value: Any, lines: list[str]) -> None:
    assert list(told_lines(value)) == lines


def test_what_the_model_said_is_told_line_by_line() -> None:
    found = [
        (line.text, line.row, line.kind, line.label) for line in plainly(" One. Two.\n\n  Three.", 4, 0.3)
    ]
    assert found == [("One. Two.", 0, "said", "Model"), ("Three.", 2, "said", "Model")]


def reading(*messages: Any, whole: bool = True, most: int = 10**6) -> list[tuple[str, str, str]]:
    shown = session([*messages]).messages
    joined = Joined()
    joined.extend(shown)
    costs = [[100] * len(message.parts) for message in shown]
    cut = Cut(most, whole=whole)
    cut.of = lambda number: [most] * len(shown[number].parts)  # type: ignore[method-assign]
    reader = Reader(shown, joined.calls, costs, cut, {})
    return [
        (line.text, line.kind, line.label) for number in range(len(shown)) for line in reader.lines(number)
    ]


def test_a_message_is_read_part_by_part() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    found = reading(
        user("Read the parser of logs.", image), model({"text": "Thinking of it.", "thought": True}, "I will read it.", call("read", "c", {"path": "src/a.py"})),
        tool(result("read", "c", {"output": "import os\nclass Parser:"})), user("# IDE Context\nopen: b.py"),
    )  # fmt: skip
    texts = [text for text, _, _ in found]
    assert ("Read the parser of logs.", "asked", "User") in found
    assert ("I will read it.", "said", "Model") in found
    assert ("class Parser:", "gave", "src/a.py") in found
    assert any(label == "File" for _, _, label in found)
    assert not any("Thinking" in text or "b.py" in text for text in texts)
    assert not any(text == "path: src/a.py" for text in texts)  # its label says so


def test_of_a_part_that_is_not_read_to_its_end_no_line_is_cut() -> None:
    lines = "\n".join(f"line {n} of it" for n in range(50))
    found = reading(*asked("c", "bash", {"command": "ls"}, {"output": lines}), most=100)
    given = [text for text, kind, _ in found if kind == "gave"]
    assert 0 < len(given) < 50
    assert given[:-1] == lines.split("\n")[: len(given) - 1]
    assert reading(user("Why?"), most=0) == []

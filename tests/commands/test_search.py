"""What `search` finds is what `show` shows, however it reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.commands.search import matches as searching
from codeh_history.commands.search.matches import Hit
from codeh_history.sandbox import Pattern
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.store import read
from codeh_history.store.resolve import Target
from plain_logs import plain_files

QUIET = Env(stderr=99)
PATTERNS = ["hello", "e", "H", "grep", "save", "# IDE", "b.c", "^$", "a", "System", r"\bx\b"]


def found(path: Path, pattern: str, flags: int = 0, **limits: int) -> list[Hit]:
    return list(searching.hits(QUIET, Target(str(path), ""), Pattern(pattern, "", flags), **limits))


def expected(path: Path, pattern: str, flags: int = 0) -> list[Hit]:
    view = fold(read.read_log(path.read_bytes()))
    title = view.meta.get("title")
    titles = [title] if isinstance(title, str) and title else []
    return [
        Hit(path.stem, None, 0, "title", text) for text in titles if re.search(pattern, text, flags)
    ] + [
        Hit(path.stem, message.id, number, message.role or message.kind, line)
        for number, message in enumerate(view.messages, 1)
        for line in searching.matching(message, Pattern(pattern, "", flags))
    ]


@given(
    data=some.files_of() | plain_files(), pattern=st.sampled_from(PATTERNS), flags=st.sampled_from([0, re.IGNORECASE]),
    big=st.booleans(), most=st.sampled_from([-1, 1, 9]),
)  # fmt: skip
def test_it_equals_the_fold(
    data: bytes, pattern: str, flags: int, big: bool, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    limits = {"big": 0 if big else 1 << 20, "most": most}
    assert found(path, pattern, flags, **limits) == expected(path, pattern, flags)


def message(*parts: Any, kind: str = "codeh", role: str | None = "model") -> Message:
    return Message("m", kind, role, None, {}, own=list(parts), parts=list(parts))


def call(name: str, args: Any) -> Any:
    return {"functionCall": {"id": "c1", "name": name, "args": args}}


def result(response: Any) -> Any:
    return {"functionResponse": {"id": "c1", "name": "f", "response": response}}


@pytest.mark.parametrize(
    ("part", "pattern", "lines"),
    [
        ({"text": "one\ntwo\nno"}, "o", ["one", "two", "no"]),
        ({"text": "one\ntwo"}, "^t", ["two"]),
        ({"text": "deep", "thought": True}, "deep", ["deep"]),
        (call("grep", {"pattern": "sky"}), "grep", ['grep {"pattern":"sky"}']),
        (call("grep", {"pattern": "sky"}), "sky", ['grep {"pattern":"sky"}']),
        (call("write", {"text": "a\nb c\nb"}), "^b", ["b c", "b"]),
        (call("grep", {}), "c1", []),
        (result({"output": "x\ny"}), "y", ["y"]),
        (result({"error": "x\ny"}), "x$", ["x"]),
        (result({"output": "x", "rows": [1, {"k": "needle"}]}), "needle", ['{"output":"x","rows":[1,{"k":"needle"}]}']),
        (result({"rows": ["a\nneedle z"]}), "^needle", ["needle z"]),
        ({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}, "image|hello|aGV", []),
    ],
)  # fmt: skip
def test_matching_lines(part: Any, pattern: str, lines: list[str]) -> None:
    assert list(searching.matching(message(part), Pattern(pattern, ""))) == lines


def test_pending_text_is_searched() -> None:
    pending = message()
    pending.own, pending.pending = None, [{"text": "half"}]
    assert list(searching.matching(pending, Pattern("half", ""))) == ["half"]


@pytest.mark.parametrize(
    ("text", "pattern", "may"),
    [
        ('{"text":"hello"}', "hello", True),
        ('{"text":"hello"}', "absent", False),
        ('{"text":"\\u0068ello"}', "hello", True),
        ('{"blockIds":["x"]}', "hello", True),
        (
            '{"type":"delta","parts":[{"text":"he"}]}{"type":"delta","parts":[{"text":"llo"}]}',
            "hello",
            True,
        ),
        ('{"text":"x"}', "a.c", True),
        ('{"n":1e5}', "100000", True),
        ('{"n":1e5}', "1e5", True),
        ('{"a": "b"}', "a:b", True),
        ('{"text":"x"}', " x", True),
        ('{"text":"x"}', "", True),
    ],
)
def test_a_file_is_left_out_only_if_nothing_can_match(
    text: str, pattern: str, may: bool, tmp_path: Path
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    assert searching.may_match(str(path), Pattern(pattern, "")) is may
    assert searching.may_match(str(path), Pattern(pattern, "", re.IGNORECASE))


def test_a_literal_is_found_across_pieces(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    for at in range(12):
        path.write_text(" " * at + "needle" + " " * 9)
        assert searching.may_match(str(path), Pattern("needle", ""), step=5)
    path.write_text(" " * 30)
    assert not searching.may_match(str(path), Pattern("needle", ""), step=5)


@pytest.mark.parametrize("most", [-1, 10])
def test_hits_come_by_number_where_streams_interleave(most: int, tmp_path: Path) -> None:
    said = {"type": "message", "kind": "user", "parts": [{"text": "x"}]}
    records = [
        {"type": "open", "id": "a", "kind": "codeh"}, {**said, "id": "b"}, {"type": "open", "id": "c", "kind": "codeh"},
        {**said, "id": "d"}, {"type": "commit", "of": "c", "parts": [{"text": "x"}]},
        {"type": "commit", "of": "a", "parts": [{"text": "x"}]}, {"type": "open", "id": "e", "kind": "codeh"},
        {**said, "id": "f"}, {"type": "delta", "of": "e", "parts": [{"text": "x"}]},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"".join(orjson.dumps(r) + b"\n" for r in records))
    assert [(hit.n, hit.id) for hit in found(path, "x", big=0, most=most)] == [
        (n, id) for n, id in enumerate("abcdef", 1)
    ]

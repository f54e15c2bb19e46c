"""What `search` finds is what `show` shows, and which lines of a session match."""

import errno
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as some
from codeh_history.base.env import Env
from codeh_history.base.patterns import LimitedPattern
from codeh_history.commands.search import MOST
from codeh_history.commands.search import matches as searching
from codeh_history.session.fold import fold
from codeh_history.session.model import Message
from codeh_history.store import read
from codeh_history.store.resolve import Target
from histories import call, result
from in_process import run_in_process
from plain_logs import plain_files
from support import run
from terminal_output import on_terminal

QUIET = Env(stderr=99)
ALONE = {"before": [], "after": [], "apart": True}  # a line without context
PATTERNS = ["hello", "e", "H", "grep", "save", "# IDE", "b.c", "^$", "a", "System", r"\bx\b"]


def hits_of(path, pattern, flags=0):
    sessions = searching.Sessions(QUIET, {str(path): Target(str(path), "")}, False, None, [])
    return list(searching.hits(sessions, LimitedPattern(pattern, "", flags), None, 0))


def expected(path, pattern, flags=0):
    view = fold(read.read_log(path.read_bytes()))
    title = view.meta.get("title")
    titles = [title] if isinstance(title, str) and title else []
    return [
        {"session": path.stem, "id": None, "n": 0, "kind": "title", "text": text, **ALONE}
        for text in titles
        if re.search(pattern, text, flags)
    ] + [
        {"session": path.stem, "id": message.id, "n": number, "kind": message.kind, **lines}
        for number, message in enumerate(view.messages, 1)
        for lines in searching.matching(
            searching.items_of(message), LimitedPattern(pattern, "", flags), "m"
        )
    ]


@given(
    data=some.files_of() | plain_files(), pattern=st.sampled_from(PATTERNS), flags=st.sampled_from([0, re.IGNORECASE]),
)  # fmt: skip
def test_search_equals_the_fold(data, pattern, flags, tmp_path_factory):
    path = tmp_path_factory.mktemp("s") / "s.jsonl"
    path.write_bytes(data)
    assert hits_of(path, pattern, flags) == expected(path, pattern, flags)


def matching(message, pattern):
    return searching.matching(searching.items_of(message), LimitedPattern(pattern, ""), "m")


def message(*parts, kind="codeh", role="model"):
    return Message("m", kind, role, None, {}, own=list(parts), parts=list(parts))


@pytest.mark.parametrize(
    ("part", "pattern", "lines"),
    [
        ({"text": "one\ntwo\nno"}, "o", ["one", "two", "no"]),
        ({"text": "one\ntwo"}, "^t", ["two"]),
        ({"text": "Is it blue?\r\nOr grey?"}, r"\?\r?$", ["Is it blue?", "Or grey?"]),
        ({"text": "deep", "thought": True}, "deep", ["deep"]),
        (call("grep", "c1", {"pattern": "sky"}), "grep", ['grep {"pattern":"sky"}']),
        (call("grep", "c1", {"pattern": "sky"}), "sky", ['grep {"pattern":"sky"}']),
        (call("write", "c1", {"text": "a\nb c\nb"}), "^b", ["b c", "b"]),
        (call("grep", "c1", {}), "c1", []),
        (call("grep", "c1", "cut off"), "grep", ['grep "cut off"']),
        (result("f", "c1", {"output": "x\ny"}), "y", ["y"]),
        (result("f", "c1", {"error": "x\ny"}), "x$", ["x"]),
        (result("f", "c1", {"output": "x", "rows": [1, {"k": "needle"}]}), "needle", ['{"output":"x","rows":[1,{"k":"needle"}]}']),
        (result("f", "c1", {"rows": ["a\nneedle z"]}), "^needle", ["needle z"]),
        ({"inlineData": {"mimeType": "image/png", "data": "aGVsbG8="}}, "image|hello|aGV", []),
    ],
)  # fmt: skip
def test_matching_lines(part, pattern, lines):
    assert [hit["text"] for hit in matching(message(part), pattern)] == lines


def test_pending_text_is_searched():
    pending = message()
    pending.own, pending.pending = None, [{"text": "half"}]
    assert [lines["text"] for lines in matching(pending, "half")] == ["half"]


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
        ('{"text":"x"}', "x ", True),
        ('{"text":"x"}', '"', True),
        ('{"text":"x"}', "ü", True),
        ('{"text":"x"}', r"\[", True),
        ('{"text":"x"}', "", True),
        ('{"text":"one two words"}', "two words", True),
        ('{"text":"one two"}', "two words", False),
        ('{"text":"a-b_c"}', "a-b_c", True),
    ],
)
def test_a_file_is_skipped_only_if_nothing_can_match(text, pattern, may, tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    assert searching.may_match(str(path), LimitedPattern(pattern, "")) is may
    assert searching.may_match(str(path), LimitedPattern(pattern, "", re.IGNORECASE))


def test_hits_come_by_number_where_streams_interleave(tmp_path):
    message = {"type": "message", "kind": "user", "parts": [{"text": "x"}]}
    records = [
        {"type": "open", "id": "a", "kind": "codeh"}, {**message, "id": "b"}, {"type": "open", "id": "c", "kind": "codeh"},
        {**message, "id": "d"}, {"type": "commit", "of": "c", "parts": [{"text": "x"}]},
        {"type": "commit", "of": "a", "parts": [{"text": "x"}]}, {"type": "open", "id": "e", "kind": "codeh"},
        {**message, "id": "f"}, {"type": "delta", "of": "e", "parts": [{"text": "x"}]},
    ]  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(some.encode(records))
    assert [(hit["n"], hit["id"]) for hit in hits_of(path, "x")] == [*enumerate("abcdef", 1)]


@pytest.mark.parametrize(
    ("places", "around", "shown"),
    [
        ([2], 0, ["c"]), ([2], 1, ["b", "c", "d"]), ([0], 2, ["a", "b", "c"]), ([6], 9, list("abcdefg")),
        ([1, 2], 1, ["a", "b", "c", "d"]), ([1, 4], 1, ["a", "b", "c", "d", "e", "f"]), ([0, 5], 1, ["a", "b", "--", "e", "f", "g"]),
    ],
)  # fmt: skip
def test_lines_around_matches_are_shown_once(places, around, shown):
    printed = []
    for lines in searching.with_context("abcdefg", places, around):
        printed += ["--"] if lines["apart"] and printed else []
        printed += [*lines["before"], lines["text"], *lines["after"]]
    assert printed == shown


def searched(*argv):
    return run("search", *argv).out.decode().splitlines()


def test_the_limit_holds_and_a_terminal_has_a_smaller_default(home):
    run("append", "-s", "demo", "-m", "\n".join(f"line {n}" for n in range(300)))
    assert searched("-n", "2", "line") == ["demo:1:user: line 0", "demo:1:user: line 1"]
    assert len(searched("line")) == 300
    shown = on_terminal("search", "line").splitlines()
    assert len(shown) == MOST + 1
    assert shown[-1] == f"codeh-history: more than {MOST} matches; pass -n N for more"
    assert len(on_terminal("search", "-n", "250", "line").splitlines()) == 250
    assert len(on_terminal("search", "--jsonl", "line", columns=999).splitlines()) == 300


def test_a_named_session_that_cannot_be_read_is_an_io_error(home, monkeypatch):  # 2026-11-27
    def fail(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied", "demo.jsonl")

    run_in_process("append", "-s", "demo", "-m", "hello")
    monkeypatch.setattr(searching, "view_of", fail)
    assert run_in_process("search", "hello", "demo").code == 74
    assert run_in_process("search", "hello").code == 65

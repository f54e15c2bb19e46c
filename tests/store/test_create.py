"""New sessions: a free id much like what was asked for, never over anything that is there, whole or not at all."""

from pathlib import Path

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import BadData
from codeh_history.store import create

HEADER = b'{ "type":"session", "version":1, "id":"old", "later":[1] }\n'
LINE = b'{"type":"message","id":"a","kind":"user","role":"user","parts":[{"text":"x"}]}\n'


@pytest.fixture
def env(home):
    (home / "sessions").mkdir(parents=True)
    return Env({"CODEH_HOME": str(home), "CODEH_NOW": "2026-01-02T03:04:05Z"})


@pytest.mark.parametrize(
    ("like", "id"),
    [
        ("demo", "demo-2"), ("new", "new"), ("/x/my chat.jsonl", "my-chat"), ("grün!", "gr-n"), ("--x--", "x"),
        ("con", "session"), ("", "session"), ("日本", "session"), ("n" * 200, "n" * 100), ("empty", "empty"),
        ("a.b", "a-b"), ("linked", "linked-2"),
    ],
)  # fmt: skip
def test_a_free_id_is_much_like_what_was_asked_for(env, home, like, id):
    (home / "sessions" / "demo.jsonl").write_bytes(LINE)
    (home / "sessions" / "empty.jsonl").touch()
    (home / "sessions" / "linked.jsonl").symlink_to("nowhere")
    assert create.free_path(env, None, like) == str(home / "sessions" / f"{id}.jsonl")


def test_the_number_goes_on_to_the_first_that_is_free(env, home):
    for name in ("demo", "demo-2", "demo-4"):
        (home / "sessions" / f"{name}.jsonl").write_bytes(LINE)
    assert create.free_path(env, None, "demo").endswith("/demo-3.jsonl")


def test_one_that_is_asked_for_by_name_is_that_or_refused(env, home):
    (home / "sessions" / "demo.jsonl").write_bytes(LINE)
    assert create.free_path(env, "new", "demo") == str(home / "sessions" / "new.jsonl")
    with pytest.raises(BadData, match=r"demo.jsonl: exists already; choose another id$"):
        create.free_path(env, "demo", "x")
    with pytest.raises(BadData, match=r"ends in .jsonl$"):
        create.free_path(env, "x.json", "x")


def test_a_session_is_begun_with_its_parent_and_its_lines(env, home, tmp_path):
    parent = {"session": "p", "at": "m"}
    path = home / "sessions" / "s.jsonl"
    assert create.session(env, str(path), lambda _: LINE, parent=parent) == "s" == env.stored
    first, rest = path.read_bytes().split(b"\n", 1)
    assert rest == LINE
    assert orjson.loads(first)["parent"] == parent
    outside = str(tmp_path / "s.jsonl")
    assert create.session(env, outside, lambda _: LINE) == outside
    assert b"parent" not in Path(outside).read_bytes()


@pytest.mark.parametrize("made", ["session", "copied"])
def test_nothing_is_written_over_one_that_came_meanwhile(env, home, made):
    path = home / "sessions" / "s.jsonl"
    path.write_bytes(HEADER + LINE)
    make = {
        "session": lambda: create.session(env, str(path), lambda _: LINE),
        "copied": lambda: create.copied(env, str(path), HEADER + LINE * 2, renamed=False),
    }[made]
    with pytest.raises(BadData, match=r"exists already"):
        make()
    assert path.read_bytes() == HEADER + LINE


def test_a_copy_has_the_same_bytes_and_a_new_name_changes_its_first_line_alone(env, home):
    path = home / "sessions" / "s.jsonl"
    create.copied(env, str(path), HEADER + LINE + b"{torn", renamed=False)
    assert path.read_bytes() == HEADER + LINE + b"{torn"
    path.unlink()
    create.copied(env, str(path), HEADER + LINE, renamed=True)
    first, rest = path.read_bytes().split(b"\n", 1)
    assert orjson.loads(first) == {"type": "session", "version": 1, "id": "s", "later": [1]}
    assert rest == LINE


def test_a_copy_of_lines_without_a_header_gets_one(env, home):
    path = home / "sessions" / "s.jsonl"
    create.copied(env, str(path), LINE, renamed=True)
    first, rest = path.read_bytes().split(b"\n", 1)
    assert orjson.loads(first)["id"] == "s"
    assert rest == LINE


def test_what_is_something_else_is_not_copied(env, home):
    with pytest.raises(BadData, match=r"not a session"):
        create.copied(env, str(home / "sessions" / "s.jsonl"), b"a diary\n", renamed=True)
    assert not list((home / "sessions").iterdir())

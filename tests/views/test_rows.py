"""Rows are remembered only while their files stay what they were."""

import os
from pathlib import Path

import orjson
import pytest

import support
from codeh_history.base.env import Env
from codeh_history.store import cache
from codeh_history.views import rows as remembering

MUCH = remembering.MUCH


@pytest.fixture
def paths(home):
    """Three settled files, as if of sessions."""
    (home / "sessions").mkdir(parents=True)
    found = [home / "sessions" / f"s{n}.jsonl" for n in range(3)]
    for path in found:
        path.write_text("one")
    return [str(path) for path in found]


@pytest.fixture(autouse=True)
def _young(monkeypatch):
    """Files are settled however young, and remembered however small."""
    monkeypatch.setattr(cache, "SETTLED", -1e9)
    monkeypatch.setattr(remembering, "MUCH", 0)


def asked(home, paths, *, problem=False):
    """Which files were counted, and the rows."""
    counted = []

    def row_of(path):
        counted.append(os.path.basename(path))
        extra = {"problem": "x"} if problem else {}
        return {"id": "s", "path": path, "text": Path(path).read_text(), **extra}

    rows = remembering.cached_rows(Env({"CODEH_HOME": str(home)}), paths, row_of)
    assert [row["path"] for row in rows] == paths
    return counted, rows


def test_only_what_changed_is_counted_again(home, paths):
    assert asked(home, paths)[0] == ["s0.jsonl", "s1.jsonl", "s2.jsonl"]
    assert asked(home, paths)[0] == []
    with Path(paths[1]).open("a") as file:
        file.write("!")
    counted, rows = asked(home, paths)
    assert counted == ["s1.jsonl"]
    assert [row["text"] for row in rows] == ["one", "one!", "one"]


def test_problems_and_removed_files_are_not_remembered(home, paths):
    asked(home, paths, problem=True)
    assert len(asked(home, paths)[0]) == 3
    asked(home, paths[:1])
    with Path(paths[0]).open("a") as file:
        file.write("!")
    asked(home, paths[:1])
    assert asked(home, paths[:1])[0] == []
    assert asked(home, paths)[0] == ["s1.jsonl", "s2.jsonl"]


def test_a_small_home_has_no_such_cache(home, monkeypatch):
    monkeypatch.setattr(remembering, "MUCH", MUCH)
    support.run("append", "-s", "demo", "-m", "x")
    assert support.run("list").code == 0
    assert not (home / "cache").exists()


def test_a_large_home_lists_the_same_twice(home):
    (home / "sessions").mkdir(parents=True)
    for number in range(remembering.MANY + 10):
        message = {"type": "message", "id": f"m{number}", "kind": "user", "parts": [{"text": "x"}]}
        line = orjson.dumps(message) + b"\n"
        path = home / "sessions" / f"s{number:05}.jsonl"
        path.write_bytes(line * (number % 3) + (b"no json\n" if number % 100 == 7 else b""))
        os.utime(path, (1_700_000_000, 1_700_000_000))
    first, second = support.run("list", "--jsonl"), support.run("list", "--jsonl")
    assert first.code == second.code == 0
    assert len(first.lines) == remembering.MANY + 10
    assert (first.out, first.err) == (second.out, second.err)


@pytest.mark.parametrize(("size", "times"), [(10, 2), (MUCH // 2, 1)])
def test_2026_11_23_a_few_large_sessions_were_read_whole_again_and_again(home, size, times, monkeypatch):
    """`list` of forty coding sessions took as long as reading all that is in them, each time."""
    monkeypatch.setattr(remembering, "MUCH", MUCH)
    asked = []
    paths = [str(home / name) for name in ("one", "two")]
    home.mkdir()
    for path in paths:
        Path(path).write_bytes(bytes(size))
    for _ in range(2):
        env = Env({"CODEH_HOME": str(home)})
        remembering.cached_rows(env, paths, lambda path: {"at": asked.append(path)})
    assert asked == paths * times

"""Two copies of one file that git or `cat` joined: read as their union, made clean by `repair`, and synced."""

import shutil
import subprocess

import pytest

from codeh_history.session.records import lines_of
from inside import inside, lay
from support import lines
from syncing import HEADER, message, opened, record

BASE = (
    HEADER + message("a", "a") + opened("s") + record(type="commit", of="s", ts="x", parts=[{"text": "s"}])
)
MINE = message("b", "b", 2)
THEIRS = message("c", "c", 4) + record(type="meta", ts="x", set={"title": "t"})


def cat(place, mine, theirs):
    return mine + theirs


def merged(how):
    def merge(place, mine, theirs):
        for name, data in (("base", BASE), ("mine", mine), ("theirs", theirs)):
            (place / name).write_bytes(data)
        argv = ["git", "merge-file", "-p", *how.split(), "mine", "base", "theirs"]
        return subprocess.run(argv, cwd=place, capture_output=True, check=False).stdout

    return merge


@pytest.fixture(
    params=[cat, merged("--union"), merged("-q")], ids=["cat", "git, union", "git, conflict markers"]
)
def joined(request, tmp_path):
    if request.param is not cat and shutil.which("git") is None:
        pytest.skip("git is missing")
    data = request.param(tmp_path, BASE + MINE, BASE + THEIRS)
    assert b'"c"' in data
    return data


def test_it_reads_as_the_union(joined, tmp_path):
    lay(tmp_path / "home", joined, "demo")
    shown = inside("show", "demo", "--jsonl", home=tmp_path / "home").lines
    assert [item["id"] for item in shown] == ["a", "s", "b", "c"]


def test_repair_makes_it_clean(joined, tmp_path):
    home = tmp_path / "home"
    lay(home, joined, "demo")
    whole = tmp_path / "whole.jsonl"
    assert inside("repair", "demo", "--output", str(whole), home=home).code == 0
    assert inside("verify", str(whole), home=home).code == 0
    ids = [item.get("id") for item in lines(whole)]
    assert len(set(ids)) == len(ids)
    shown = [inside("show", name, "--jsonl", home=home).lines for name in ("demo", str(whole))]
    assert [item["id"] for item in shown[0]] == [item["id"] for item in shown[1]]


def test_the_copies_take_it_when_they_are_synced(joined, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    lay(one, joined, "demo")
    path = lay(two, BASE + MINE, "demo")
    for _ in range(2):
        assert inside("sync", f"dir:{two / 'sessions'}", home=one).code == 0
    assert set(lines_of(BASE + MINE + THEIRS)) <= set(lines_of(path.read_bytes()))
    assert [item.stem for item in path.parent.iterdir()] == ["demo"]

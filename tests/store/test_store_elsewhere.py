"""Sessions outside the home that name blocks are remembered, so that `gc` removes no block that they need."""

import os
from pathlib import Path

import pytest

from codeh_history.base.env import Env
from codeh_history.store import elsewhere

REF = b'{"type":"ref","blockIds":["x"]}\n'


@pytest.fixture
def env(home):
    (home / "sessions").mkdir(parents=True)
    (home / "trash").mkdir()
    return Env({"CODEH_HOME": str(home)})


def test_only_what_lies_outside_and_names_blocks_is_remembered_once(env, tmp_path):
    outside = str(tmp_path / "s.jsonl")
    elsewhere.add(env, os.path.join(env.home, "sessions", "s.jsonl"), REF)
    elsewhere.add(env, os.path.join(env.home, "trash", "s.jsonl"), REF)
    elsewhere.add(env, outside, b'{"type":"message","parts":[]}\n')
    assert elsewhere.recorded(env) == []
    assert not (Path(env.home) / "elsewhere").exists()
    for _ in range(2):
        elsewhere.add(env, outside, REF)
        elsewhere.add(env, "postgres://h/d/s", REF)
        elsewhere.add(env, "postgres://h/d/t", REF)
    assert elsewhere.recorded(env) == [outside, "postgres://h/d"]


def test_a_file_is_remembered_by_its_real_name(env, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path / "home" / "sessions")
    elsewhere.add(env, str(tmp_path / "link" / "s.jsonl"), REF)
    assert elsewhere.recorded(env) == []
    (tmp_path / "real").mkdir()
    (tmp_path / "other").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    elsewhere.add(env, "other/s.jsonl", REF)
    assert elsewhere.recorded(env) == [str((tmp_path / "real" / "s.jsonl").resolve())]


def test_any_name_that_a_file_may_have_comes_back(env, tmp_path):
    names = ["a\nb.jsonl", "ü.jsonl", os.fsdecode(b"\xff.jsonl"), " .jsonl"]
    found = [os.path.join(os.path.realpath(tmp_path), name) for name in names]
    for path in found:
        elsewhere.add(env, path, REF)
    assert elsewhere.recorded(env) == found
    elsewhere.forget(env, found[1:3])
    assert elsewhere.recorded(env) == [found[0], found[3]]
    elsewhere.forget(env, [])
    elsewhere.forget(env, found)
    assert elsewhere.recorded(env) == []


def test_the_list_never_gets_shorter_so_that_whoever_reads_it_meanwhile_finds_whole_names(env, tmp_path):
    """A reader takes no lock: it must never see the end of an old name behind a new one."""
    long, short = (os.path.join(os.path.realpath(tmp_path), name) for name in ("long" * 20, "s"))
    elsewhere.add(env, long, REF)
    size = (Path(env.home) / "elsewhere").stat().st_size
    elsewhere.forget(env, [long])
    elsewhere.add(env, short, REF)
    assert (Path(env.home) / "elsewhere").stat().st_size == size
    assert elsewhere.recorded(env) == [short]
    assert (Path(env.home) / "elsewhere").stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_followed(env, tmp_path):
    (tmp_path / "theirs").write_bytes(b"")
    (Path(env.home) / "elsewhere").symlink_to(tmp_path / "theirs")
    with pytest.raises(OSError, match=r"symbolic links"):
        elsewhere.add(env, str(tmp_path / "s.jsonl"), REF)
    assert (tmp_path / "theirs").read_bytes() == b""

"""Sessions outside the home that name blocks are remembered, so that `gc` removes no block that they need."""

import os
from pathlib import Path

import pytest

from codeh_history.store import outside


def test_only_what_lies_outside_and_names_blocks_is_remembered_once(env, tmp_path):
    path = str(tmp_path / "s.jsonl")
    (tmp_path / "home" / "trash").mkdir()
    outside.add(env, os.path.join(env.home, "sessions", "s.jsonl"))
    outside.add(env, os.path.join(env.home, "trash", "s.jsonl"))
    assert outside.recorded(env) == []
    assert not (Path(env.home) / "elsewhere").exists()
    for _ in range(2):
        outside.add(env, path)
        outside.add(env, "postgres://h/d/s")
        outside.add(env, "postgres://h/d/t")
    assert outside.recorded(env) == [path, "postgres://h/d"]


def test_a_file_is_remembered_by_its_real_name(env, tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path / "home" / "sessions")
    outside.add(env, str(tmp_path / "link" / "s.jsonl"))
    assert outside.recorded(env) == []
    (tmp_path / "real").mkdir()
    (tmp_path / "other").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    outside.add(env, "other/s.jsonl")
    assert outside.recorded(env) == [str((tmp_path / "real" / "s.jsonl").resolve())]


def test_any_valid_file_name_is_recorded_and_returned(env, tmp_path):
    names = ["a\nb.jsonl", "ü.jsonl", os.fsdecode(b"\xff.jsonl"), " .jsonl"]
    paths = [os.path.join(os.path.realpath(tmp_path), name) for name in names]
    for path in paths:
        outside.add(env, path)
    assert outside.recorded(env) == paths
    outside.forget(env, paths[1:3])
    assert outside.recorded(env) == [paths[0], paths[3]]
    outside.forget(env, [])
    outside.forget(env, paths)
    assert outside.recorded(env) == []


def test_the_list_never_gets_shorter_so_that_whoever_reads_it_meanwhile_finds_whole_names(env, tmp_path):
    """A reader takes no lock: it must never see the end of an old name behind a new one."""
    long, short = (os.path.join(os.path.realpath(tmp_path), name) for name in ("long" * 20, "s"))
    outside.add(env, long)
    size = (Path(env.home) / "elsewhere").stat().st_size
    outside.forget(env, [long])
    outside.add(env, short)
    assert (Path(env.home) / "elsewhere").stat().st_size == size
    assert outside.recorded(env) == [short]
    assert (Path(env.home) / "elsewhere").stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_followed(env, tmp_path):
    (tmp_path / "theirs").write_bytes(b"")
    (Path(env.home) / "elsewhere").symlink_to(tmp_path / "theirs")
    with pytest.raises(OSError, match=r"symbolic links"):
        outside.add(env, str(tmp_path / "s.jsonl"))
    assert (tmp_path / "theirs").read_bytes() == b""

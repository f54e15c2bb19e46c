"""Whether a session is there, how long it is, and whether it has changed."""

import os
from pathlib import Path

import pytest

from codeh_history.store import state


def longer(path):
    path.write_bytes(b"abc")


def same_length(path):
    path.write_bytes(b"zz")
    os.utime(path, ns=(5, 5))


def old_time(path):
    """Other bytes of the same length, and the time put back to what it was."""
    before = path.stat()
    path.write_bytes(b"zz")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def other_file(path):
    before = path.stat()
    path.with_suffix(".new").write_bytes(b"ab")
    os.utime(path.with_suffix(".new"), ns=(before.st_atime_ns, before.st_mtime_ns))
    path.with_suffix(".new").rename(path)


@pytest.mark.parametrize("change", [longer, same_length, old_time, other_file, Path.unlink])
def test_no_change_goes_unnoticed(tmp_path, change):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"ab")
    os.utime(path, ns=(1, 1))
    before = state.stamp_of(str(path))
    assert before is not None
    assert before[1] == 2
    assert state.stamp_of(str(path)) == before
    change(path)
    assert state.stamp_of(str(path)) != before


def test_sessions_that_are_not_there_have_none(tmp_path):
    (tmp_path / "a").write_bytes(b"ab")
    paths = [str(tmp_path / "a"), str(tmp_path / "b")]
    found = state.stamps_of(paths)
    assert list(found) == paths
    assert found[paths[0]] == state.stamp_of(paths[0])
    assert found[paths[1]] is None
    assert state.stamps_of([]) == {}
    assert list(state.passing(paths)) == paths
    assert list(state.passing([])) == []


def test_only_a_file_has_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    os.mkfifo(tmp_path / "fifo")
    sizes = [state.size_of(str(tmp_path / name)) for name in ("a", "none", "fifo", ".")]
    assert sizes == [3, 0, 0, 0]

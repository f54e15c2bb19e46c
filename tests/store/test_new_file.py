"""A new file for another program: whole or not at all, for its owner alone, never over what is there."""

import errno
import os
import stat

import pytest

from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store import new_file


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_its_folders_are_for_their_owner_alone(tmp_path):
    before = os.umask(0)
    try:
        new_file.write(str(tmp_path / "a" / "b" / "c.jsonl"), b"x\n", folders=True)
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "b" / "c.jsonl").read_bytes() == b"x\n"
    assert mode(tmp_path / "a" / "b" / "c.jsonl") == 0o600
    assert mode(tmp_path / "a") == mode(tmp_path / "a" / "b") == 0o700
    assert os.listdir(tmp_path / "a" / "b") == ["c.jsonl"]


@pytest.mark.parametrize("kind", ["file", "empty", "folder", "link", "dangling"])
def test_what_is_there_is_left_as_it_is(tmp_path, kind):
    path = tmp_path / "c.jsonl"
    other = tmp_path / "other"
    if kind == "folder":
        path.mkdir()
    elif kind in ("link", "dangling"):
        path.symlink_to(other)
        if kind == "link":
            other.write_bytes(b"old")
    else:
        path.write_bytes(b"old" if kind == "file" else b"")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(BadData, match="already exists; not overwritten"):
        new_file.write(str(path), b"new")
    assert sorted(os.listdir(tmp_path)) == before
    assert kind != "file" or path.read_bytes() == b"old"


def test_nothing_is_left_of_what_cannot_be_written(tmp_path):
    with pytest.raises(InputOutput, match="nothing was written"):
        new_file.write(str(tmp_path / "no" / "c.jsonl"), b"x")
    (tmp_path / "plain").write_bytes(b"")
    with pytest.raises(InputOutput):
        new_file.write(str(tmp_path / "plain" / "c.jsonl"), b"x", folders=True)
    assert os.listdir(tmp_path) == ["plain"]


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
def test_where_there_are_no_hard_links_it_is_written_all_the_same_and_never_over_another(
    tmp_path, monkeypatch, code
):
    def refused(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refused)  # as FAT does
    path = tmp_path / "c.jsonl"
    new_file.write(str(path), b"new")
    assert (path.read_bytes(), mode(path), os.listdir(tmp_path)) == (b"new", 0o600, ["c.jsonl"])
    with pytest.raises(BadData, match="already exists; not overwritten"):
        new_file.write(str(path), b"newer")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"new", ["c.jsonl"])

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(InputOutput, match="nothing was written"):
        new_file.write(str(tmp_path / "d.jsonl"), b"x")
    assert os.listdir(tmp_path) == ["c.jsonl"]

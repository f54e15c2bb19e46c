"""Directories and files of ours: for their owner alone under any umask, and never over what is there."""

import os
import stat

import pytest

from codeh_history.base import folders


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o077, 0o777])
def _umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_what_is_made_is_for_its_owner_alone_under_any_umask(tmp_path):
    before = len(os.listdir("/dev/fd"))
    folders.ensure_dir(str(tmp_path / "a/b/c"))
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3
    found = folders.write_new(str(tmp_path / "a/f"), b"text")
    assert mode(tmp_path / "a/f") == 0o600 == stat.S_IMODE(found.st_mode)
    assert (tmp_path / "a/f").read_bytes() == b"text"
    assert found.st_size == 4
    assert len(os.listdir("/dev/fd")) == before


def test_what_goes_while_a_folder_is_looked_through_hides_nothing_else(tmp_path):
    for name in "abcd":
        (tmp_path / name).touch()
    found = folders.entries(str(tmp_path), bool)
    first, _ = next(found)
    gone = "a" if first.name != "a" else "b"
    (tmp_path / gone).unlink()
    assert {first.name, *(entry.name for entry, _ in found)} == {*"abcd"} - {gone}
    assert list(folders.entries(str(tmp_path / "none"), bool)) == []


def test_a_directory_that_is_there_stays_as_it_is(tmp_path):
    tmp_path.chmod(0o755)
    folders.ensure_dir(str(tmp_path))
    folders.ensure_dir("")
    assert not folders.make_dir(str(tmp_path))
    assert mode(tmp_path) == 0o755
    assert folders.make_dir(str(tmp_path / "new"))


@pytest.mark.parametrize("there", ["file", "link", "dangling"])
def test_a_new_file_is_never_written_over_anything_nor_through_a_link(tmp_path, there):
    (tmp_path / "file").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        folders.write_new(str(tmp_path / there), b"ours")
    assert (tmp_path / "file").read_bytes() == b"theirs"
    assert not (tmp_path / "nowhere").exists()


def test_temporary_names_stand_beside_their_file_hidden_and_differ(tmp_path):
    names = {folders.temporary(str(tmp_path / "s.jsonl")) for _ in range(20)}
    assert len(names) == 20
    for name in names:
        assert os.path.dirname(name) == str(tmp_path)
        assert os.path.basename(name).startswith(".s.jsonl.")
        assert name.endswith(folders.SUFFIX)


def test_all_is_written_however_little_is_taken_at_a_time(monkeypatch):
    taken = []

    def little(_fd, data):
        taken.append(bytes(data[:3]))
        return len(taken[-1])

    monkeypatch.setattr(os, "write", little)
    folders.write(7, b"eight by")
    assert b"".join(taken) == b"eight by"


def test_a_folder_that_cannot_be_synced_is_named_and_a_file_that_is_gone_is_no_error(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        folders.sync_dir(str(tmp_path / "none"))
    assert error.value.filename == str(tmp_path / "none")
    folders.remove(str(tmp_path / "none"))
    (tmp_path / "f").touch()
    folders.remove(str(tmp_path / "f"))
    assert not (tmp_path / "f").exists()

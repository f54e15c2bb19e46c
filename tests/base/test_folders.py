"""Files and directories are private and never overwritten; locks end with their owner, and signals unwind the program."""

import ctypes
import fcntl
import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager

import pytest

from codeh_history.base import folders, locks
from support import environ


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o000, 0o077, 0o777])
def _umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("_umask")
def test_created_files_are_private_under_any_umask(tmp_path):
    before = len(os.listdir("/dev/fd"))
    folders.ensure_dir(str(tmp_path / "a/b/c"))
    assert [mode(tmp_path / name) for name in ("a", "a/b", "a/b/c")] == [0o700] * 3
    os.close(folders.create(str(tmp_path / "a/f")))
    assert mode(tmp_path / "a/f") & 0o077 == 0
    assert len(os.listdir("/dev/fd")) == before


def test_entry_removed_during_a_scan_hides_no_other(tmp_path):
    for name in "abcd":
        (tmp_path / name).touch()
    entries = folders.entries(str(tmp_path), bool)
    first, _ = next(entries)
    gone = "a" if first.name != "a" else "b"
    (tmp_path / gone).unlink()
    assert {first.name, *(entry.name for entry, _ in entries)} == {*"abcd"} - {gone}
    assert list(folders.entries(str(tmp_path / "none"), bool)) == []


def test_existing_directory_is_unchanged(tmp_path):
    tmp_path.chmod(0o755)
    folders.ensure_dir(str(tmp_path))
    folders.ensure_dir("")
    assert not folders.make_dir(str(tmp_path))
    assert mode(tmp_path) == 0o755
    assert folders.make_dir(str(tmp_path / "new"))


@pytest.mark.parametrize("name", ["file", "link", "dangling"])
def test_new_file_overwrites_nothing_and_follows_no_link(tmp_path, name):
    (tmp_path / "file").write_bytes(b"theirs")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        folders.create(str(tmp_path / name))
    assert (tmp_path / "file").read_bytes() == b"theirs"
    assert not (tmp_path / "nowhere").exists()


def test_short_writes_are_continued(monkeypatch):
    taken = []

    def little(_fd, data):
        taken.append(bytes(data[:3]))
        return len(taken[-1])

    monkeypatch.setattr(os, "write", little)
    folders.write(7, b"eight by")
    assert b"".join(taken) == b"eight by"


def test_directory_sync_errors_are_named_and_missing_files_ignored(tmp_path):
    folders.sync_dir(str(tmp_path / "none"))  # removed in the meantime
    folders.remove(str(tmp_path / "none"))
    (tmp_path / "f").touch()
    with pytest.raises(NotADirectoryError) as error:
        folders.sync_dir(str(tmp_path / "f"))
    assert error.value.filename == str(tmp_path / "f")
    folders.remove(str(tmp_path / "f"))
    assert not (tmp_path / "f").exists()


@contextmanager
def child(fork=os.fork):
    """A fork of this process that does nothing, for the length of the block."""
    ready, theirs = os.pipe()
    pid = fork()
    if not pid:
        os.write(theirs, b".")
        signal.pause()
        os._exit(0)
    try:
        os.read(ready, 1)
        yield pid
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(ready)
        os.close(theirs)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a"
    path.touch()
    return path


def is_free(path):
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def locked(path):
    fd = os.open(path, os.O_RDWR)
    locks.lock(fd, fcntl.LOCK_EX)
    return fd


@pytest.mark.parametrize("fork", [os.fork, ctypes.PyDLL(None).fork])  # the second tells Python nothing
def test_child_does_not_hold_a_released_lock(fork, path):
    fd = locked(path)
    with child(fork):
        assert not is_free(path)
        locks.close(fd)
        assert is_free(path)


def test_child_does_not_release_the_parents_lock(path):
    fd = locked(path)
    with child():
        pass
    assert not is_free(path)
    locks.close(fd)


def test_child_does_not_hold_the_lock_of_a_killed_parent(path):
    ready, theirs = os.pipe()
    parent = os.fork()
    if not parent:
        locked(path)
        with child() as pid:
            os.write(theirs, str(pid).encode())
            signal.pause()
    orphan = int(os.read(ready, 16))
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    try:
        assert is_free(path)
    finally:
        os.kill(orphan, signal.SIGKILL)
        os.close(ready)
        os.close(theirs)


CODE = """
import sys, time
from codeh_history.base.errors import Interrupted
from codeh_history.base.env import unwind
unwind()
try:
    print("ready", flush=True)
    {wait}
except Interrupted as end:
    print("closed", end.exit_code, flush=True)
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signal_closes_files_and_sets_the_exit_code(number, code):
    command = [sys.executable, "-c", CODE.format(wait="time.sleep(60)")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ()) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.stdout.read() == f"closed {code}\n".encode()


def test_nohup_ignores_sighup():
    code = CODE.format(wait="import os, signal; os.kill(os.getpid(), signal.SIGHUP); print('goes on')")
    command = ["/bin/sh", "-c", 'trap "" HUP; exec "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(command, capture_output=True, env=environ(), check=True)
    assert done.stdout == b"ready\ngoes on\n"

"""Blocks as files: whole, private, never through a link, and none is collected that was just relied upon."""

import fcntl
import os
import subprocess
import sys
import time

import pytest

from blocks.stored import ONE, block
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput
from codeh_history.store.blocks import directory as directory_module
from codeh_history.store.blocks import fetch, open_store


@pytest.fixture
def root(tmp_path):
    return tmp_path / "blocks"


@pytest.fixture
def directory(root):
    return open_store(Env({"CODEH_HOME": str(root.parent)}))


def path_of(root, id):
    return root / id[:2] / id


def test_a_link_in_the_way_is_replaced_and_what_it_names_untouched(root, directory, tmp_path):
    victim = tmp_path / "victim"
    path = path_of(root, ONE[0])
    for link in (os.symlink, os.link):
        victim.write_bytes(ONE[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        link(victim, path)
        directory.mset(dict([ONE]))
        assert not path.is_symlink()
        assert path.stat().st_nlink == 1
        assert fetch([directory], [ONE[0]]) == dict([ONE])
        assert victim.read_bytes() == ONE[1]
        path.unlink()
        victim.unlink()


def test_a_link_is_not_read(root, directory, tmp_path):
    (tmp_path / "victim").write_bytes(ONE[1])
    path_of(root, ONE[0]).parent.mkdir(parents=True)
    path_of(root, ONE[0]).symlink_to(tmp_path / "victim")
    with pytest.raises(BadData, match=r"symbolic link"):
        directory.mget([ONE[0]])


def test_a_shard_that_is_a_link_is_refused(root, directory, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    root.mkdir()
    (root / ONE[0][:2]).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadData, match=r"symbolic link"):
        directory.mset(dict([ONE]))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_fifo_and_a_folder_in_the_way_neither_hang_nor_crash(root, directory):
    path = path_of(root, ONE[0])
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(BadData, match=r"altered"):
        fetch([directory], [ONE[0]])
    directory.mset(dict([ONE]))
    assert fetch([directory], [ONE[0]]) == dict([ONE])
    path.unlink()
    path.mkdir()
    for use in (lambda: directory.mget([ONE[0]]), lambda: directory.mset(dict([ONE]))):
        with pytest.raises(InputOutput, match=r"directory"):
            use()


@pytest.mark.parametrize("count", [3, 300])
def test_one_block_that_cannot_be_written_fails_all(root, directory, count):
    many = dict(block(b'{"text":"%d"}' % number) for number in range(count))
    path_of(root, list(many)[count // 2]).mkdir(parents=True)
    with pytest.raises(InputOutput, match=r"directory.*nothing refers to what was written"):
        directory.mset(many)
    files = [path for path in root.rglob("*") if path.is_file()]
    assert all(many[path.name] == path.read_bytes() for path in files)
    path_of(root, list(many)[count // 2]).rmdir()
    directory.mset(many)
    assert fetch([directory], list(many)) == many


def test_a_root_that_cannot_be_is_an_error_that_names_it(tmp_path):
    (tmp_path / "file").write_text("")
    store = open_store(Env({"CODEH_HOME": str(tmp_path), "CODEH_BLOCKS": str(tmp_path / "file")}))
    for use in (lambda: store.mset(dict([ONE])), lambda: store.mget([ONE[0]])):
        with pytest.raises(InputOutput, match=str(tmp_path / "file")):
            use()


def held(root, how):
    """Whether somebody else's lock on the store keeps this one out."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def test_storing_and_collecting_blocks_exclude_each_other(root, directory, monkeypatch):
    """From the write of a block to the sync of its name; from the look at its age to its end."""
    id, data = block(b'{"text":"one"}')
    seen = []

    def watched(owner, name):
        done = getattr(owner, name)

        def watch(*args, **more):
            seen.append((name, held(root, fcntl.LOCK_EX), held(root, fcntl.LOCK_SH)))
            return done(*args, **more)

        monkeypatch.setattr(owner, name, watch)

    watched(directory_module, "replace_file")
    watched(directory_module, "sync_dir")
    directory.mset({id: data})
    assert seen == [("replace_file", True, False), *[("sync_dir", True, False)] * 2]  # others may store too
    os.utime(path_of(root, id), (0, 0))
    seen.clear()
    watched(directory_module.os, "unlink")
    assert directory.delete([id], time.time()) == 1
    assert seen == [("unlink", True, True)]


def test_the_name_of_a_block_is_synced_though_another_wrote_it(root, directory, monkeypatch):
    """Whoever wrote it may have been killed before its sync: told that it is stored, it must be durable."""
    id, data = block(b'{"text":"one"}')
    directory.mset({id: data})
    synced = []
    monkeypatch.setattr(directory_module, "sync_dir", synced.append)
    directory.mset({id: data})
    assert synced == [str(root / id[:2])]


WRITER = """
import hashlib, sys
from codeh_history.store.blocks import open_store
from codeh_history.base.env import Env
store = open_store(Env({"CODEH_HOME": sys.argv[1]}))
for number in range(int(sys.argv[2])):
    data = b'{"text":"%d"}' % number
    store.mset({hashlib.sha256(data).hexdigest(): data})
"""


def test_many_writers_and_a_collector_at_once(root, directory):
    """Blocks that are old and unused go, but none that a writer was told is stored."""
    many = dict(block(b'{"text":"%d"}' % number) for number in range(60))
    directory.mset(many)
    for id in many:
        os.utime(path_of(root, id), (0, 0))
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(root.parent), "60"]) for _ in range(3)]
    before = time.time() - 3600
    while any(writer.poll() is None for writer in writers):
        directory.delete(list(many), before)
        time.sleep(0.001)  # the lock is not fair: leave it to the writers
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert fetch([directory], list(many)) == many

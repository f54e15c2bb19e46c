"""One table of promises for all block stores."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import postgres_server
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.blocks import STORES, fetch, open_store
from codeh_history.blocks import directory as directory_module
from codeh_history.blocks.protocol import BlockStore, is_block_id
from helpers.memory_store import MemoryStore
from postgres_server import FAST, Cluster

Alter = Callable[[str, bytes | None], None]


def block(data: bytes) -> tuple[str, bytes]:
    return hashlib.sha256(data).hexdigest(), data


ONE, TWO, ODD = block(b'{"text":"one"}'), block(b'{"text":"two"}'), block('{"text":"é\u2028"}'.encode())
NONE = hashlib.sha256(b"never stored").hexdigest()


class Case:
    """A store, what it was opened with, and how to change what it holds behind its back."""

    def __init__(self, store: BlockStore, alter: Alter) -> None:
        self.store = store
        self.alter = alter


def _memory(request: pytest.FixtureRequest) -> Case:
    store = MemoryStore()

    def alter(id: str, data: bytes | None) -> None:
        if data is None:
            del store.held[id]
        else:
            store.held[id] = data

    return Case(store, alter)


def _directory(request: pytest.FixtureRequest) -> Case:
    root = request.getfixturevalue("tmp_path") / "blocks"
    store = open_store(Env({"CODEH_HOME": str(root.parent), "CODEH_BLOCKS": str(root)}))

    def alter(id: str, data: bytes | None) -> None:
        path = root / id[:2] / id
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)

    return Case(store, alter)


def _redis(request: pytest.FixtureRequest) -> Case:
    url = request.getfixturevalue("redis_url")
    server = request.getfixturevalue("shared_redis")
    store = open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))

    def alter(id: str, data: bytes | None) -> None:
        key = f"default:block:{id}"
        server.send("DEL", key) if data is None else server.send("SET", key, data.decode("latin-1"))

    return Case(store, alter)


def _postgres(request: pytest.FixtureRequest) -> Case:
    import psycopg

    url = request.getfixturevalue("cluster").database(f"b{random.getrandbits(60)}")
    store = open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))

    def alter(id: str, data: bytes | None) -> None:
        with psycopg.connect(url) as connection:
            if data is None:
                connection.execute("DELETE FROM codeh_blocks WHERE id = %s", [id])
            else:
                connection.execute("UPDATE codeh_blocks SET data = %s WHERE id = %s", [data, id])

    return Case(store, alter)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    yield from postgres_server.cluster(*FAST)


CASES = {"memory": _memory, "directory": _directory, "redis": _redis, "postgres": _postgres}


@pytest.fixture(
    params=[
        pytest.param(name, marks=postgres_server.needed if name == "postgres" else ()) for name in CASES
    ]
)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param](request)


def test_what_was_set_is_there_and_nothing_else(case: Case) -> None:
    store = case.store
    assert store.mget([ONE[0]]) == {}
    store.mset(dict([ONE, TWO, ODD]))
    assert store.mget([ONE[0], NONE, ODD[0]]) == dict([ONE, ODD])
    assert fetch([store], [TWO[0], ONE[0], TWO[0]]) == dict([ONE, TWO])
    assert store.sizes([ONE[0], NONE]) == {ONE[0]: len(ONE[1])}
    store.mset({})
    assert fetch([store], []) == {}


def test_the_same_content_is_stored_once(case: Case) -> None:
    case.store.mset(dict([ONE]))
    case.store.mset(dict([ONE, TWO]))
    assert case.store.stale(time.time() + 1000).keys() == {ONE[0], TWO[0]}


def test_a_view_of_memory_is_stored_like_bytes(case: Case) -> None:
    large = block(b'{"text":"' + b"x" * 3_000_000 + b'"}')
    case.store.mset({large[0]: memoryview(bytearray(large[1]))})
    assert fetch([case.store], [large[0]]) == dict([large])


def test_many_blocks_at_once(case: Case) -> None:
    many = dict(block(b'{"text":"%d"}' % number) for number in range(2500))
    case.store.mset(many)
    assert fetch([case.store], list(many)) == many


@pytest.mark.parametrize("new", [b"", b'{"text":"onE"}', b'{"text":"one"} ', b'{"text":"on'])
def test_an_altered_block_is_never_given_back_and_a_new_write_heals_it(case: Case, new: bytes) -> None:
    case.store.mset(dict([ONE, TWO]))
    case.alter(ONE[0], new)
    with pytest.raises(BadData, match=f"{ONE[0]} in .* is altered"):
        fetch([case.store], [TWO[0], ONE[0]])
    assert fetch([case.store], [TWO[0], ONE[0]], lost={}) == dict([TWO])
    case.store.mset(dict([ONE]))
    assert fetch([case.store], [ONE[0]]) == dict([ONE])


def test_each_byte_of_a_block_counts_in_every_store(case: Case) -> None:
    id, data = block(b'{"text":"counted"}')
    case.store.mset({id: data})
    for at in range(len(data)):
        case.alter(id, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(BadData, match=f"{id} in .* is altered"):
            fetch([case.store], [id])


def test_a_missing_block_is_named_with_its_store(case: Case) -> None:
    case.store.mset(dict([ONE, TWO]))
    case.alter(ONE[0], None)
    with pytest.raises(BadData) as raised:
        fetch([case.store], [ONE[0], TWO[0]])
    assert ONE[0] in str(raised.value)
    assert case.store.name in str(raised.value)
    assert fetch([case.store], [ONE[0], TWO[0]], lost={}) == dict([TWO])


@pytest.mark.parametrize(
    "id", ["../../etc/passwd", "", "0" * 63, "0" * 65, "A" * 64, "0" * 63 + "\n", "g" * 64]
)
def test_what_is_no_block_id_never_gets_to_a_store(case: Case, id: str) -> None:
    assert not is_block_id(id)
    asked: list[str] = []
    real = case.store.mget
    case.store.mget = lambda ids: asked.extend(ids) or real(ids)  # type: ignore[method-assign]
    with pytest.raises(BadData, match="no block id"):
        fetch([case.store], [id, ONE[0]])
    assert fetch([case.store], [id, ONE[0]], lost={}) == {}
    assert set(asked) == {ONE[0]}


def test_only_what_was_not_written_lately_is_stale_and_deleted(case: Case) -> None:
    store = case.store
    store.mset(dict([ONE, TWO]))
    assert store.stale(time.time() - 60) == {}
    assert store.delete([ONE[0]], time.time() - 60) == 0
    assert store.stale(time.time() + 60) == {ONE[0]: len(ONE[1]), TWO[0]: len(TWO[1])}
    assert store.delete([ONE[0], NONE], time.time() + 60) == 1
    assert store.mget([ONE[0], TWO[0]]) == dict([TWO])


def test_every_store_of_the_table_is_tested() -> None:
    opened = {type(_opened(f"{name}://h/0" if name else "/tmp/x")).__name__ for name in STORES}
    tested = {"DirectoryStore", "RedisStore", "PostgresStore"}
    assert opened <= tested


def _opened(url: str) -> BlockStore:
    if url.startswith("redis"):
        pytest.importorskip("redis")
    if url.startswith("postgres"):
        pytest.importorskip("psycopg")
    return open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))


# -- by URL -------------------------------------------------------------------------------------------


def test_the_default_is_a_directory_of_the_home(tmp_path: Path) -> None:
    store = open_store(Env({"CODEH_HOME": str(tmp_path)}))
    assert (store.name, store.shared) == (f"{tmp_path}/blocks", False)
    assert open_store(Env({"CODEH_HOME": str(tmp_path), "CODEH_BLOCKS": "file:///x/y"})).name == "/x/y"


def test_an_unknown_scheme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Usage, match="no store for s3://"):
        open_store(Env({"CODEH_HOME": str(tmp_path), "CODEH_BLOCKS": "s3://bucket"}))


# -- the directory ------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blocks"


@pytest.fixture
def directory(root: Path) -> BlockStore:
    return open_store(Env({"CODEH_HOME": str(root.parent)}))


def path_of(root: Path, id: str) -> Path:
    return root / id[:2] / id


@pytest.mark.parametrize("umask", [0, 0o022, 0o777])
def test_blocks_are_private_under_any_umask(root: Path, directory: BlockStore, umask: int) -> None:
    before = os.umask(umask)
    try:
        directory.mset(dict([ONE]))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path_of(root, ONE[0]).stat().st_mode) == 0o600
    assert {stat.S_IMODE(p.stat().st_mode) for p in (root, path_of(root, ONE[0]).parent)} == {0o700}
    assert sorted(p.name for p in path_of(root, ONE[0]).parent.iterdir()) == [ONE[0]]


def test_a_link_in_the_way_is_replaced_and_what_it_names_untouched(
    root: Path, directory: BlockStore, tmp_path: Path
) -> None:
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


def test_a_link_is_not_read(root: Path, directory: BlockStore, tmp_path: Path) -> None:
    (tmp_path / "victim").write_bytes(ONE[1])
    path_of(root, ONE[0]).parent.mkdir(parents=True)
    path_of(root, ONE[0]).symlink_to(tmp_path / "victim")
    with pytest.raises(BadData, match="symbolic link"):
        directory.mget([ONE[0]])


def test_a_shard_that_is_a_link_is_refused(root: Path, directory: BlockStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    root.mkdir()
    (root / ONE[0][:2]).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BadData, match="symbolic link"):
        directory.mset(dict([ONE]))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_fifo_and_a_folder_in_the_way_neither_hang_nor_crash(root: Path, directory: BlockStore) -> None:
    path = path_of(root, ONE[0])
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(BadData, match="regular file"):
        directory.mget([ONE[0]])
    directory.mset(dict([ONE]))
    assert fetch([directory], [ONE[0]]) == dict([ONE])
    path.unlink()
    path.mkdir()
    with pytest.raises(BadData, match="regular file"):
        directory.mget([ONE[0]])
    with pytest.raises(InputOutput, match="directory"):
        directory.mset(dict([ONE]))


@pytest.mark.parametrize("count", [3, 300])
def test_one_block_that_cannot_be_written_fails_all(root: Path, directory: BlockStore, count: int) -> None:
    many = dict(block(b'{"text":"%d"}' % number) for number in range(count))
    path_of(root, list(many)[count // 2]).mkdir(parents=True)
    with pytest.raises(InputOutput, match=r"directory.*nothing refers to what was written"):
        directory.mset(many)
    files = [path for path in root.rglob("*") if path.is_file()]
    assert all(many[path.name] == path.read_bytes() for path in files)
    path_of(root, list(many)[count // 2]).rmdir()
    directory.mset(many)
    assert fetch([directory], list(many)) == many


def test_a_root_that_cannot_be_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = open_store(Env({"CODEH_HOME": str(tmp_path), "CODEH_BLOCKS": str(tmp_path / "file")}))
    for use in (lambda: store.mset(dict([ONE])), lambda: store.mget([ONE[0]])):
        with pytest.raises(InputOutput, match=str(tmp_path / "file")):
            use()


def held(root: Path, how: int) -> bool:
    """Whether somebody else's lock on the store keeps this one out."""
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def test_no_collector_works_while_blocks_are_stored_nor_the_other_way_round(
    root: Path, directory: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the look whether a block is there to the sync of its name; from the look at its age to its end."""
    id, data = block(b'{"text":"one"}')
    seen: list[tuple[str, bool, bool]] = []

    def watched(owner: object, name: str) -> None:
        done = getattr(owner, name)

        def watch(*given: object, **more: object) -> object:
            seen.append((name, held(root, fcntl.LOCK_EX), held(root, fcntl.LOCK_SH)))
            return done(*given, **more)

        monkeypatch.setattr(owner, name, watch)

    watched(type(directory), "_holds")
    watched(directory_module, "sync_dir")
    directory.mset({id: data})
    assert seen == [("_holds", True, False), *[("sync_dir", True, False)] * 2]  # others may store too
    os.utime(path_of(root, id), (0, 0))
    seen.clear()
    watched(directory_module.os, "unlink")
    assert directory.delete([id], time.time()) == 1
    assert seen == [("unlink", True, True)]


def test_the_name_of_a_block_is_synced_though_another_wrote_it(
    root: Path, directory: BlockStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wrote it may have been killed before its sync: told that it is stored, it must be durable."""
    id, data = block(b'{"text":"one"}')
    directory.mset({id: data})
    synced: list[str] = []
    monkeypatch.setattr(directory_module, "sync_dir", synced.append)
    directory.mset({id: data})
    assert synced == [str(root / id[:2])]


WRITER = """
import hashlib, sys
from codeh_history.blocks import open_store
from codeh_history.base.env import Env
store = open_store(Env({"CODEH_HOME": sys.argv[1]}))
for number in range(int(sys.argv[2])):
    data = b'{"text":"%d"}' % number
    store.mset({hashlib.sha256(data).hexdigest(): data})
"""


def test_many_writers_and_a_collector_at_once(root: Path, directory: BlockStore) -> None:
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

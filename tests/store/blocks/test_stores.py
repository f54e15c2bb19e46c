"""One table of promises for all block stores."""

import hashlib
import time

import pytest

import postgres_server
from blocks.stored import ODD, ONE, TWO, block
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, Usage
from codeh_history.store.blocks import STORES, fetch, open_store, sizes
from codeh_history.store.blocks.protocol import is_block_id
from helpers.memory_store import MemoryStore

NONE = hashlib.sha256(b"never stored").hexdigest()


class Case:
    """A store, what it was opened with, and how to change what it holds behind its back."""

    def __init__(self, store, alter):
        self.store = store
        self.alter = alter


def _memory(request):
    store = MemoryStore()

    def alter(id, data):
        if data is None:
            del store.held[id]
        else:
            store.held[id] = data

    return Case(store, alter)


def _directory(request):
    root = request.getfixturevalue("tmp_path") / "blocks"
    store = open_store(Env({"CODEH_HOME": str(root.parent), "CODEH_BLOCKS": str(root)}))

    def alter(id, data):
        path = root / id[:2] / id
        if data is None:
            path.unlink()
        else:
            path.write_bytes(data)

    return Case(store, alter)


def _redis(request):
    url = request.getfixturevalue("redis_url")
    server = request.getfixturevalue("shared_redis")
    store = open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))

    def alter(id, data):
        key = f"default:block:{id}"
        server.send("DEL", key) if data is None else server.send("SET", key, data.decode("latin-1"))

    return Case(store, alter)


def _postgres(request):
    import psycopg

    url = request.getfixturevalue("cluster").emptied()
    store = open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))

    def alter(id, data):
        with psycopg.connect(url) as connection:
            if data is None:
                connection.execute("DELETE FROM codeh_blocks WHERE id = %s", [id])
            else:
                connection.execute("UPDATE codeh_blocks SET data = %s WHERE id = %s", [data, id])

    return Case(store, alter)


CASES = {"memory": _memory, "directory": _directory, "redis": _redis, "postgres": _postgres}


@pytest.fixture(
    params=["memory", "directory", "redis", pytest.param("postgres", marks=postgres_server.needed)]
)
def case(request):
    return CASES[request.param](request)


def test_what_was_set_is_there_and_nothing_else(case):
    store = case.store
    assert store.mget([ONE[0]]) == {}
    store.mset(dict([ONE, TWO, ODD]))
    assert store.mget([ONE[0], NONE, ODD[0]]) == dict([ONE, ODD])
    assert fetch([store], [TWO[0], ONE[0], TWO[0]]) == dict([ONE, TWO])
    assert store.sizes([ONE[0], NONE]) == {ONE[0]: len(ONE[1])}
    store.mset({})
    assert fetch([store], []) == {}


def test_a_view_of_memory_is_stored_like_bytes(case):
    large = block(b'{"text":"' + b"x" * 3_000_000 + b'"}')
    case.store.mset({large[0]: memoryview(bytearray(large[1]))})
    assert fetch([case.store], [large[0]]) == dict([large])


def test_many_blocks_at_once(case):
    many = dict(block(b'{"text":"%d"}' % number) for number in range(2500))
    case.store.mset(many)
    assert fetch([case.store], list(many)) == many


@pytest.mark.parametrize("new", [b"", b'{"text":"onE"}', b'{"text":"one"} ', b'{"text":"on'])
def test_an_altered_block_is_never_given_back_and_a_new_write_heals_it(case, new):
    case.store.mset(dict([ONE, TWO]))
    case.alter(ONE[0], new)
    with pytest.raises(BadData, match=rf"{ONE[0]} in .* is altered"):
        fetch([case.store], [TWO[0], ONE[0]])
    assert fetch([case.store], [TWO[0], ONE[0]], lost={}) == dict([TWO])
    case.store.mset(dict([ONE]))
    assert fetch([case.store], [ONE[0]]) == dict([ONE])


def test_each_byte_of_a_block_counts_in_every_store(case):
    id, data = block(b'{"text":"counted"}')
    case.store.mset({id: data})
    for at in range(len(data)):
        case.alter(id, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(BadData, match=rf"{id} in .* is altered"):
            fetch([case.store], [id])


def test_a_missing_block_is_named_with_its_store(case):
    case.store.mset(dict([ONE, TWO]))
    case.alter(ONE[0], None)
    with pytest.raises(BadData) as raised:
        fetch([case.store], [ONE[0], TWO[0]])
    assert ONE[0] in str(raised.value)
    assert case.store.name in str(raised.value)
    assert fetch([case.store], [ONE[0], TWO[0]], lost={}) == dict([TWO])


@pytest.mark.parametrize(
    "id",
    ["../../etc/passwd", f"../{'0' * 61}", "", "0" * 63, "0" * 65, "A" * 64, "0" * 63 + "\n", "0" * 63 + "٣", "g" * 64],
)  # fmt: skip
def test_an_invalid_block_id_never_reaches_a_store(case, id):
    assert not is_block_id(id)
    requested = []
    real = case.store.mget
    case.store.mget = lambda ids: requested.extend(ids) or real(ids)  # type: ignore[method-assign]
    with pytest.raises(BadData, match=r"not a block id"):
        fetch([case.store], [id, ONE[0]])
    assert fetch([case.store], [id, ONE[0]], lost={}) == {}
    assert set(requested) == {ONE[0]}
    assert sizes([case.store], [id]) == {}
    assert not any(map(is_block_id, (None, 7, [ONE[0]])))


def test_only_what_was_not_written_lately_is_stale_and_deleted(case):
    store = case.store
    store.mset(dict([ONE]))
    store.mset(dict([ONE, TWO]))
    assert store.stale(time.time() - 60) == {}
    assert store.delete([ONE[0]], time.time() - 60) == 0
    assert store.stale(time.time() + 60) == {ONE[0]: len(ONE[1]), TWO[0]: len(TWO[1])}
    assert store.delete([ONE[0], NONE], time.time() + 60) == 1
    assert store.mget([ONE[0], TWO[0]]) == dict([TWO])


def test_every_store_of_the_table_is_tested():
    opened = {type(_opened(f"{name}://h/0" if name else "/tmp/x")).__name__ for name in STORES}
    tested = {"DirectoryStore", "RedisStore", "PostgresStore"}
    assert opened <= tested


def _opened(url):
    if url.startswith("redis"):
        pytest.importorskip("redis")
    if url.startswith("postgres"):
        pytest.importorskip("psycopg")
    return open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))


# -- by URL -------------------------------------------------------------------------------------------


def test_an_unknown_scheme_is_refused(tmp_path):
    with pytest.raises(Usage, match=r"no store for s3://"):
        open_store(Env({"CODEH_HOME": str(tmp_path), "CODEH_BLOCKS": "s3://bucket"}))

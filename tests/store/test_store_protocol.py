"""What every store promises (`store/protocol.py`), tried on each."""

import json
import random
import threading
from functools import partial

import orjson
import pytest

import postgres_server
from codeh_history.base.errors import BadData
from codeh_history.store import log, postgres, read, replace, stores
from codeh_history.store.locked import field
from synced import HEAD, LINE, ODD


@pytest.fixture(params=["dir", pytest.param("postgres", marks=postgres_server.needed)])
def store(request, env, tmp_path):
    if request.param == "dir":
        return stores.Files(env, str(tmp_path / "store"))
    return postgres.named(request.getfixturevalue("cluster").database(f"a{random.getrandbits(60)}"))


@pytest.mark.parametrize("data", ODD)
def test_what_is_created_is_read_byte_for_byte(store, data):
    assert store.stamps() == {}
    store.create("a", data)
    assert store.read("a") == data
    assert store.read("a", 5) == data[5:]
    assert read.read_bytes(store.path("a")) == data
    assert [(id, stamp.size) for id, stamp in store.stamps().items()] == [("a", len(data))]
    with pytest.raises(BadData, match="already exists"):
        store.create("a", data)


def test_a_builder_that_fails_stores_nothing(store, env):
    def build(_):
        raise BadData("no")

    store.create("a", HEAD)
    with pytest.raises(BadData):
        replace.replace(env, store.path("a"), build)
    for id in ("a", "b"):
        with pytest.raises(BadData):
            log.append(env, store.path(id), build, create=id == "b")
    assert store.read("a") == HEAD
    assert list(store.stamps()) == ["a"]


def test_a_replaced_log_has_another_stamp_though_it_is_as_long(store):
    store.create("a", HEAD + LINE)
    before = store.stamps()["a"]
    assert store.swap("a", HEAD + LINE, HEAD + LINE.replace(b"m1", b"m2"))
    assert store.read("a") == HEAD + LINE.replace(b"m1", b"m2")
    assert store.stamps()["a"] != before
    assert not store.swap("a", HEAD + LINE, HEAD)


def test_many_writers_leave_whole_lines_in_one_order(store, env):
    store.create("a", HEAD)

    def work(writer):
        for number in range(20):
            line = b'{"type":"meta","set":{"%d":%d}}\n' % (writer, number)
            log.append(env, store.path("a"), lambda _, line=line: line)

    threads = [threading.Thread(target=work, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = store.read("a").splitlines()[1:]
    assert len(lines) == len(set(lines)) == 80
    for writer in range(4):
        own = [line for line in lines if b'"%d":' % writer in line]
        assert own == sorted(own, key=lambda line: int(line.rsplit(b":")[-1].rstrip(b"}")))


@pytest.mark.parametrize("write", [orjson.dumps, json.dumps, partial(json.dumps, ensure_ascii=False)])
def test_a_field_is_found_as_any_program_writes_it(write):
    for char in map(chr, [*range(0x180), 0x2028, 0xD7FF, 0xFFFD, 0x1F600]):
        data = write({"key": f"a{char}b"})
        line = data.encode() if isinstance(data, str) else data
        assert field("key", f"a{char}b").search(line), line
        assert b"\\u" in line or not field("key", f"a{char}c").search(line)
    assert field("key", "a/b").search(rb'{"key" :\t"a\/b"}'.replace(rb"\t", b"\t"))

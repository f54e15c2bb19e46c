"""What every store promises (`store/protocol.py`), tried on each."""

import json
import os
import threading
from functools import partial

import orjson
import pytest

import postgres_server
from codeh_history.base.env import Env
from codeh_history.base.errors import BadData, InputOutput, Usage
from codeh_history.store import log, postgres, read, stores
from codeh_history.store.locked import field
from codeh_history.store.stores import Files, stamps_in
from synced import HEAD, LINE, ODD


@pytest.fixture(params=["dir", pytest.param("postgres", marks=postgres_server.needed)])
def store(request, env, tmp_path):
    if request.param == "dir":
        return Files(env, str(tmp_path / "store"))
    return postgres.named(request.getfixturevalue("cluster").emptied())


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
        log.replace(env, store.path("a"), build)
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


# -- stores by URL; files in a folder ---------------------------------------------------------------------


def test_a_server_is_named_without_its_password():
    pytest.importorskip("psycopg")
    env = Env({"CODEH_HOME": "/h", "CODEH_STORE": "postgresql://me:secret@host:1/db"})
    assert stores.chosen(env).name == "postgres://host:1/db"
    assert stores.chosen(env).path("x") == "postgres://host:1/db/x"


@pytest.mark.parametrize("url", ["dir:", "/folder", "s3://x", "dir"])
def test_what_names_no_store_is_exit_2(url):
    with pytest.raises(Usage, match=r"^CODEH_STORE: expected dir:PATH or postgres://…$"):
        stores.chosen(Env({"CODEH_STORE": url}))


def test_only_sessions_are_listed_in_the_order_of_their_ids(tmp_path):
    names = "b.jsonl a-2.jsonl a.jsonl old.json .hidden.jsonl con.jsonl c.jsonl.tmp .jsonl".split()
    for name in (*names, "a b.jsonl"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.jsonl").mkdir()
    os.mkfifo(tmp_path / "fifo.jsonl")
    (tmp_path / "link.jsonl").symlink_to("b.jsonl")
    (tmp_path / "nowhere.jsonl").symlink_to("none")
    stamps = Files(Env({}), str(tmp_path)).stamps()
    assert list(stamps) == ["a", "a-2", "b", "link"]
    assert stamps["a"].size == 1
    assert stamps["b"] == stamps["link"]


def test_no_folder_is_an_empty_one_and_one_that_cannot_be_read_is_named(tmp_path):
    assert stamps_in(str(tmp_path / "none"), ".jsonl") == {}
    (tmp_path / "f").touch()
    with pytest.raises(InputOutput, match=r"/f: Not a directory$"):
        stamps_in(str(tmp_path / "f"), ".jsonl")


def test_2026_11_23_other_links_that_lead_nowhere_are_not_followed(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert stamps_in(str(tmp_path), ".jsonl") == {}
    (tmp_path / "a.jsonl").symlink_to("a.jsonl")
    with pytest.raises(InputOutput, match=f"^{tmp_path}: Too many levels of symbolic links"):
        stamps_in(str(tmp_path), ".jsonl")

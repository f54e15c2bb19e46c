"""Stores by URL; of files in a folder, which are sessions."""

import os

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput, Usage
from codeh_history.store import stores
from codeh_history.store.stores import Files, stamps_in


def test_a_server_is_named_without_its_password():
    pytest.importorskip("psycopg")
    env = Env({"CODEH_HOME": "/h", "CODEH_STORE": "postgresql://me:secret@host:1/db"})
    assert stores.chosen(env).name == "postgres://host:1/db"
    assert stores.chosen(env).path("x") == "postgres://host:1/db/x"


@pytest.mark.parametrize("url", ["dir:", "/folder", "s3://x", "dir"])
def test_what_names_no_store_is_exit_2(url):
    with pytest.raises(Usage, match=r"^CODEH_STORE: dir:PATH or postgres://… expected$"):
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

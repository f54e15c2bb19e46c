"""Stores by URL."""

from __future__ import annotations

import os

import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import Usage
from codeh_history.store import stores


def test_the_store_is_the_one_that_is_named_else_the_homes_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/user")
    assert stores.chosen(Env({"CODEH_HOME": "/h"})).name == "/h/sessions"
    assert stores.chosen(Env({"CODEH_HOME": "/h", "CODEH_STORE": "dir:/w"})).name == "/w"
    assert stores.at(Env({}), "dir:~/s").name == "/user/s"
    assert stores.at(Env({}), "dir:rel").path("x") == os.path.join("rel", "x.jsonl")


def test_a_server_is_named_without_its_password() -> None:
    pytest.importorskip("psycopg")
    found = stores.at(Env({}), "postgres://me:secret@host:1/db")
    assert found.name == "postgres://host:1/db"
    assert found.path("x") == "postgres://host:1/db/x"
    env = Env({"CODEH_HOME": "/h", "CODEH_STORE": "postgresql://me:secret@host:1/db"})
    assert stores.chosen(env).name == "postgres://host:1/db"


@pytest.mark.parametrize("url", ["", "dir:", "/folder", "s3://x"])
def test_what_names_no_store_is_exit_2(url: str) -> None:
    with pytest.raises(Usage, match=r"^no store: dir:PATH or postgres://… expected$"):
        stores.at(Env({}), url)

"""What only a database shows: what is said when it is away, who waits for it, and in how many queries."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

import postgres_server
from codeh_history.base.env import Env
from codeh_history.store import postgres, stores
from conftest import Program
from postgres_server import Cluster

pytestmark = postgres_server.needed
SECRET = "pass-word-7f3a"
STORES = Path(__file__).parents[2] / "docs" / "stores.md"


def command_of(error: str) -> list[str]:
    """The words of the command that an error says stores what is kept."""
    return re.search(r"`codeh-history (.*?)`", error)[1].split()


def test_a_prompt_outlives_a_server_that_is_away(run: Program, tmp_path: Path) -> None:
    away = Program(tmp_path / "home", f"postgres://user:{SECRET}@127.0.0.1:1/none")
    for words, stdin in (
        (("append", "-s", "demo", "-m", "Hello"), ""),
        (("append", "-s", "demo"), "Hello"),
        (("append", "-s", "demo", "-m", "Hello", "--key", "k"), ""),
        (("ask", "-s", "demo", "--to", "ollama", "--model", "m", "--via", "cat"), "Hello"),
    ):
        done = away(*words, stdin=stdin)
        assert done.code == 75, done
        assert SECRET not in done.err
        again = run(*command_of(done.err))
        assert again.code == 0, again
    assert run("show", "demo", "--jsonl").out.count("Hello") == 4
    seeded = away("append", "-s", "demo", "-m", "Seeded", CODEH_ID_SEED="x")
    assert (seeded.code, run(*command_of(seeded.err)).code) == (75, 0)
    answer = away("append", "-s", "demo", "--from", "text", stdin="The answer")
    assert answer.code == 75
    assert Path(command_of(answer.err)[-1]).read_text() == "The answer"


@pytest.mark.parametrize("url", [
    f"postgres://u:{SECRET}@127.0.0.1:1/d", f"postgres://u:%{SECRET}@h/d", f"postgres://u:{SECRET}@h:port/d",
    f"postgres://h/d?pasword={SECRET}", f"postgres://u@127.0.0.1:1/d?password={SECRET}", f"postgrs://u:{SECRET}@h/d",
])  # fmt: skip
def test_no_message_holds_the_password(url: str, tmp_path: Path) -> None:
    run = Program(tmp_path / "home", url)
    for words in (("list",), ("append", "-s", "demo", "-m", "x"), ("store", "init"), ("show", "demo")):
        done = run(*words)
        assert done.code in {2, 75}
        assert SECRET not in done.out + done.err


def test_a_database_without_tables_says_what_makes_them(cluster: Cluster, tmp_path: Path) -> None:
    cluster.sql("CREATE DATABASE empty")
    run = Program(tmp_path / "home", cluster.url("empty"))
    assert "store init" in run("list").err
    assert run("store", "init").code == 0
    assert run("store", "init").err.endswith("the tables are there\n")
    assert run("append", "-s", "demo", "-m", "x").code == 0
    cluster.sql("UPDATE codeh_schema SET version = 99", "empty")
    assert "newer" in run("list").err


def test_tables_are_made_by_many_at_once(cluster: Cluster) -> None:
    cluster.sql("CREATE DATABASE race")
    code = f"from codeh_history.store.postgres import schema; schema.make({cluster.url('race')!r}, 'URL')"
    made = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [one.wait() for one in made] == [0] * 4


def test_a_session_path_is_a_file_and_the_trash_is_at_home(run: Program, tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    assert run("append", "-s", str(file), "-m", "in a file").code == 0
    assert "in a file" in file.read_text()
    assert run("list").out == ""
    run("append", "-s", "demo", "-m", "Hello")
    before = run("export", "demo", "--to", "contents").out
    assert run("rm", "demo").code == 0
    assert len(list((run.home / "trash").iterdir())) == 1
    assert run("show", "demo").code == 3
    assert run("rm", "--restore", "demo").code == 0
    assert run("export", "demo", "--to", "contents").out == before
    assert not (run.home / "sessions").exists()
    assert list((run.home / "trash").iterdir()) == []


def test_who_follows_is_woken(run: Program) -> None:
    run("append", "-s", "demo", "-m", "first")
    store = stores.chosen(Env(run.environ()))
    assert not store.wait("demo", 0)
    writer = subprocess.Popen(
        [run._program, "append", "-s", "demo", "-m", "second"], env=run.environ(), stdout=-3
    )
    assert store.wait("demo", 60)
    assert writer.wait() == 0
    assert b"second" in store.read("demo")


def test_many_sessions_are_listed_in_two_queries(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from codeh_history import main

    store = postgres.named(url)
    for number in range(30):
        store.create(f"s{number}", b'{"type":"session","version":1,"id":"s"}\n')
    asked: list[str] = []
    execute, stream = psycopg.Connection.execute, psycopg.Cursor.stream
    monkeypatch.setattr(
        psycopg.Connection,
        "execute",
        lambda self, query, *a, **k: asked.append(query) or execute(self, query, *a, **k),
    )
    monkeypatch.setattr(
        psycopg.Cursor,
        "stream",
        lambda self, query, *a, **k: asked.append(query) or stream(self, query, *a, **k),
    )
    for words in (["list"], ["usage"], ["search", "x"]):
        asked.clear()
        with (tmp_path / "out").open("wb") as out:
            env = Env({"CODEH_HOME": str(tmp_path / "home"), "CODEH_STORE": url}, stdout=out.fileno())
            assert main.run(words, env) in {0, 1}
        assert len([query for query in asked if "codeh_lines" in query]) == 1, asked
        assert len([query for query in asked if "codeh_sessions" in query]) == 1, asked


def test_a_reader_and_a_worker_need_no_more_rights_than_they_use(
    cluster: Cluster, url: str, tmp_path: Path
) -> None:
    database = url.rpartition("/")[2]
    run = Program(tmp_path / "home", url)
    run("append", "-s", "demo", "-m", "Hello")
    for role in ("reader", "worker"):
        cluster.sql(f"CREATE ROLE {role} LOGIN")
        for right in re.findall(rf"^GRANT .* TO {role};", STORES.read_text(), re.MULTILINE):
            cluster.sql(right, database)
    reader = Program(tmp_path / "home", url.replace("postgres@", "reader@"))
    assert reader("show", "demo").code == 0
    refused = reader("append", "-s", "demo", "-m", "x")
    assert refused.code == 74
    assert "permission denied" in refused.err
    worker = Program(tmp_path / "home", url.replace("postgres@", "worker@"))
    for words in (
        ("append", "-s", "demo", "-m", "x"),
        ("append", "-s", "new", "-m", "x"),
        ("undo", "-s", "demo"),
    ):
        assert worker(*words).code == 0, words


def test_gc_keeps_the_blocks_that_sessions_on_a_server_name(run: Program, tmp_path: Path) -> None:
    run("append", "-s", "demo", "-m", "x" * 9000)
    run("persist", "demo", "-i")
    (block,) = (run.home / "blocks").glob("??/*")
    old = 1_600_000_000
    os.utime(block, (old, old))
    assert run("gc", "--yes").code == 0
    assert block.exists()
    here = Program(tmp_path / "home", f"dir:{tmp_path / 'files'}")
    refused = here("gc", "--yes")
    assert refused.code == 74
    assert "set CODEH_STORE" in refused.err
    run("rm", "demo")
    run("gc", "--yes", "--trash", "0s")
    assert not block.exists()


def test_blocks_lie_beside_the_sessions(run: Program) -> None:
    run("append", "-s", "demo", "-m", "x" * 9000)
    more = {"CODEH_BLOCKS": run.url}
    assert run("persist", "demo", "-i", **more).code == 0
    assert b"x" * 100 not in postgres.named(run.url).read("demo")
    assert "x" * 9000 in run("last", "demo", **more).out
    missing = run("last", "demo", CODEH_BLOCKS="postgres://127.0.0.1:1/none", CODEH_STORE=run.url)
    assert "postgres://127.0.0.1:1/none" in missing.err

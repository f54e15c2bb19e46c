"""Sessions in Postgres are listed in two queries, and who waits for one is woken."""

import subprocess

import psycopg

import postgres_server
from codeh_history.base.env import Env
from codeh_history.store import begun, postgres, stores

pytestmark = postgres_server.needed


def test_who_follows_is_woken(run):
    run("append", "-s", "demo", "-m", "first")
    store = stores.chosen(Env(run.environ()))
    assert not store.wait("demo", 0)
    writer = subprocess.Popen(
        [run._program, "append", "-s", "demo", "-m", "second"], env=run.environ(), stdout=-3
    )
    assert store.wait("demo", 60)
    assert writer.wait() == 0
    assert b"second" in store.read("demo")


def test_many_sessions_are_listed_in_two_queries(url, tmp_path, monkeypatch):
    from codeh_history import main

    store = postgres.named(url)
    for number in range(30):
        store.create(f"s{number}", b'{"type":"session","version":1,"id":"s"}\n')
    asked = []
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


def test_the_newest_session_begun_here_is_found(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = postgres.named(url)
    line = '{"type":"session","version":1,"id":"s","created":"%s","cwd":"%s"}\n'
    for number in range(9):
        store.create(f"here-{number}", (line % (f"2026-01-0{number + 1}", tmp_path)).encode())
        store.create(f"there-{number}", (line % (f"2026-01-0{number + 1}", "/elsewhere")).encode())
    env = Env({"CODEH_STORE": url, "CODEH_HOME": str(tmp_path)})
    assert begun.newest(env) == store.path("here-8")
    store.create("later", (line % ("2026-01-08", tmp_path)).encode())  # stored last, begun before
    assert begun.newest(env) == store.path("here-8")
    assert not begun.lately(env)

"""Sessions in Postgres: their tables, lists, appends, and who is woken."""

import subprocess
import sys

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import postgres_server
from codeh_history.base.env import Env
from codeh_history.base.errors import NotFound
from codeh_history.store import begun, log, postgres, stores
from codeh_history.store import postgres as rows
from codeh_history.store.blocks.protocol import batches
from postgres_server import Program
from synced import HEAD, LINE, ODD

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


def test_many_sessions_are_listed_in_few_queries(url, tmp_path, monkeypatch):
    from codeh_history import main

    store = postgres.named(url)
    for number in range(30):
        store.create(f"s{number}", b'{"type":"session","version":1,"id":"s"}\n')
    queries = []
    execute = psycopg.Connection.execute

    def ask(self, query, *more, **how):
        queries.append(query)
        return execute(self, query, *more, **how)

    monkeypatch.setattr(psycopg.Connection, "execute", ask)
    for words in (["list"], ["usage"], ["search", "x"]):
        queries.clear()
        with (tmp_path / "out").open("wb") as out:
            env = Env({"CODEH_HOME": str(tmp_path / "home"), "CODEH_STORE": url}, stdout=out.fileno())
            assert main.run(words, env) in {0, 1}
        assert len([query for query in queries if "codeh_lines" in query]) == 1, queries
        assert len([query for query in queries if "codeh_sessions" in query]) <= 3, queries


def test_sessions_are_read_together_up_to_a_bound(url, monkeypatch):
    store = postgres.named(url)
    sizes = {f"s{number}": 1000 * number for number in range(1, 6)}
    for id, size in sizes.items():
        store.create(id, b"x" * size)
    monkeypatch.setattr(postgres, "batches", lambda sizes: batches(sizes, 6000))
    together = []
    for id in store.loaded_together([*sizes, "gone"]):
        together.append(sorted(store._local.together))
        assert len(store.read(id)) == sizes.get(id, 0)
    assert together == [["gone", "s1", "s2", "s3"]] * 4 + [["s4"], ["s5"]]
    assert store._local.together == {}


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
    assert not begun.recently_used(env)


def test_a_database_without_tables_says_what_makes_them(cluster, tmp_path):
    cluster.sql("CREATE DATABASE empty")
    run = Program(tmp_path / "home", cluster.url("empty"))
    assert "store init" in run("list").err
    assert run("store", "init").code == 0
    assert run("store", "init").err.endswith("tables are up to date\n")
    assert run("append", "-s", "demo", "-m", "x").code == 0
    cluster.sql("UPDATE codeh_schema SET version = 99", "empty")
    assert "newer" in run("list").err


def test_tables_are_made_by_many_at_once(cluster):
    cluster.sql("CREATE DATABASE race")
    code = f"from codeh_history.store.postgres import schema; schema.make({cluster.url('race')!r}, 'URL')"
    processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait() for process in processes] == [0] * 4


@postgres_server.needed
@pytest.mark.parametrize("data", ODD)
def test_a_line_is_added_to_rows_as_to_a_file(data, cluster, tmp_path):
    env = Env({"CODEH_HOME": str(tmp_path / "home")})
    keyed = LINE.replace(b'"parts"', b'"key":"k","parts"')
    kept = []
    database = postgres.named(cluster.emptied())
    for store in (stores.Files(env, str(tmp_path / "store")), database):
        store.create("a", data)
        for lines in (LINE, LINE + LINE, keyed, LINE, keyed, LINE[:-1], LINE, b"\n", b""):
            log.append(env, store.path("a"), lambda _, lines=lines: lines, header=lambda: HEAD)
        kept.append(store.read("a"))
        with pytest.raises(NotFound):
            log.append(env, store.path("b"), lambda _: LINE)
    assert kept[0] == kept[1]
    assert kept[0].count(LINE) >= 5


KEYED = LINE.replace(b'"parts"', b'"key":"k","parts"')


@given(
    lines=st.lists(st.sampled_from([LINE, KEYED, KEYED.replace(b'"k"', b'"l"'), b"\n", b"x\n"]), max_size=8),
    torn=st.booleans(), number=st.integers(0, 3), start=st.integers(0, 9),
)  # fmt: skip
def test_rows_are_the_lines_with_the_place_of_each_and_a_key_once(lines, torn, number, start):
    data = b"".join(lines)[: -1 if torn else None]
    new = list(rows.Row("postgres://h/d/s", "s")._rows(data, number, start))
    assert b"".join(line for *_, line in new) == data
    assert [row[1] for row in new] == list(range(number, number + len(new)))
    assert [data[row[2] - start :].startswith(row[4]) for row in new] == [True] * len(new)
    keys = [key for *_, key, _ in new if key is not None]
    assert len(keys) == len(set(keys))
    if not torn:
        assert set(keys) == {b"k" if b'"k"' in line else b"l" for line in lines if b'"key"' in line}


def test_of_a_session_of_which_nothing_is_known_there_is_nothing():
    row = rows.Row("postgres://h/d/s", "s", header=lambda: HEAD)
    assert (row.read(), list(row.lines_with_key("k"))) == (b"", [])
    assert (row.created, row.offset) == (True, len(HEAD))
    assert not row.has("m1")


def test_a_channel_has_a_name_of_its_own_however_long_the_id():
    names = {rows.channel(id) for id in ("a", "b", "a" * 128)}
    assert len(names) == 3
    assert max(map(len, names)) < 64
    assert rows.edition() != rows.edition()

"""The tables of a database: made once, by whoever comes first, and known by their version."""

import subprocess
import sys

import postgres_server
from postgres_program import Program

pytestmark = postgres_server.needed


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
    made = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [one.wait() for one in made] == [0] * 4

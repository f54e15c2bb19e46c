"""Blocks in Postgres lie beside the sessions or by themselves."""

import postgres_server
from codeh_history.store import postgres

pytestmark = postgres_server.needed


def test_blocks_lie_beside_the_sessions(run):
    run("append", "-s", "demo", "-m", "x" * 9000)
    more = {"CODEH_BLOCKS": run.url}
    assert run("persist", "demo", "-i", **more).code == 0
    assert b"x" * 100 not in postgres.named(run.url).read("demo")
    assert "x" * 9000 in run("last", "demo", **more).out
    missing = run("last", "demo", CODEH_BLOCKS="postgres://127.0.0.1:1/none", CODEH_STORE=run.url)
    assert "postgres://127.0.0.1:1/none" in missing.err

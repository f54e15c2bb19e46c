"""What only a database shows: what is said when it is away, who waits for it, and in how many queries."""

import os
import re
import subprocess
import time
from pathlib import Path

import postgres_server
import support
from postgres_server import Program

pytestmark = postgres_server.needed
STORES = Path(__file__).parents[2] / "docs" / "stores.md"


def test_a_session_path_is_a_file_and_the_trash_is_at_home(run, tmp_path):
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


def test_a_reader_and_a_worker_need_no_more_rights_than_they_use(cluster, url, tmp_path):
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
    for line in ("append -s demo -m x", "append -s new -m x", "undo -s demo"):
        assert worker(*line.split()).code == 0, line


READING = (
    "show demo", "show dem", "status", "list", "search Hello", "stats demo", "verify demo", "usage", "last demo",
    "payload demo --to gemini", "curate demo", "compact demo --max-items 1", "redact demo", "export demo --to html",
    "expand :1 -s demo", "fork -s ./x.jsonl --into ./y.jsonl",
)  # fmt: skip


def test_a_role_with_select_alone_reads(cluster, url, tmp_path):
    """On the sessions and their lines; not on the table that says how old the tables are, nor on blocks."""
    owner = Program(tmp_path / "home", url)
    owner("append", "-s", "demo", "-m", "Hello")
    cluster.sql("CREATE ROLE looker LOGIN")
    cluster.sql("GRANT SELECT ON codeh_sessions, codeh_lines TO looker", url.rpartition("/")[2])
    looker = Program(tmp_path / "other", url.replace("postgres@", "looker@"))
    (tmp_path / "x.jsonl").write_text('{"role":"user","parts":[{"text":"a file"}]}\n')
    for words in READING:
        done = looker(*words.replace("./", f"{tmp_path}/").split())
        assert done.code == 0, (words, done.err)
    files = Program(tmp_path / "third", f"dir:{tmp_path / 'files'}")
    assert files("sync", looker.url).code == 0
    assert (tmp_path / "files" / "demo.jsonl").exists()
    assert looker("append", "-s", "demo", "-m", "x").code == 74


def test_gc_keeps_the_blocks_that_sessions_on_a_server_name(run, tmp_path):
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


def test_a_stream_whose_session_is_removed_is_kept(run):
    process = support.start(
        "append", "-s", "demo", "--stream", env=run.environ(), home=run.home, bufsize=0,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    process.stdin.write(b"Hello")
    until = time.monotonic() + 30
    while "Hello" not in run("show", "demo").out:
        assert time.monotonic() < until
    assert run("rm", "demo").code == 0
    assert run("append", "-s", "demo", "-m", "another").code == 0
    _, err = process.communicate(b", you")
    (file,) = (run.home / "unsent").iterdir()
    assert (process.returncode, file.read_text(), str(file) in err.decode()) == (3, "Hello, you", True)
    assert "Hello" not in run("show", "demo").out

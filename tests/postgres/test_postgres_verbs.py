"""What only a database shows: what is said when it is away, who waits for it, and in how many queries."""

import os
import re
import subprocess
import time
from pathlib import Path

import postgres_server
import support
from codeh_history.store import postgres
from postgres_server import SECRET, Program

pytestmark = postgres_server.needed
STORES = Path(__file__).parents[2] / "docs" / "stores.md"


def test_session_path_is_a_file_and_trash_is_local(run, tmp_path):
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


def test_documented_grants_suffice(cluster, url, tmp_path):
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


def test_select_only_role_can_read(cluster, url, tmp_path):
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


def test_gc_keeps_blocks_of_sessions_on_a_server(run, tmp_path):
    run("append", "-s", "demo", "-m", "x" * 9000)
    run("persist", "demo", "-i")
    (block,) = (run.home / "blocks").glob("??/*")
    old = 1_600_000_000
    os.utime(block, (old, old))
    assert run("gc", "--yes").code == 0
    assert block.exists()
    files = Program(tmp_path / "home", f"dir:{tmp_path / 'files'}")
    refused = files("gc", "--yes")
    assert refused.code == 74
    assert "set CODEH_STORE" in refused.err
    run("rm", "demo")
    (run.home / "elsewhere").unlink()
    assert run("rm", "--restore", "demo").code == 0
    assert files("gc", "--yes").code == 74
    run("rm", "demo")
    run("gc", "--yes", "--trash", "0s")
    assert not block.exists()


def test_stream_of_a_removed_session_is_kept(run):
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


def test_blocks_are_stored_beside_the_sessions(run):
    run("append", "-s", "demo", "-m", "x" * 9000)
    more = {"CODEH_BLOCKS": run.url}
    assert run("persist", "demo", "-i", **more).code == 0
    assert b"x" * 100 not in postgres.named(run.url).read("demo")
    assert "x" * 9000 in run("last", "demo", **more).out
    missing = run("last", "demo", CODEH_BLOCKS="postgres://127.0.0.1:1/none", CODEH_STORE=run.url)
    assert "postgres://127.0.0.1:1/none" in missing.err


def command_of(error):
    """The words of the command that an error says stores what is kept."""
    return re.search(r"`codeh-history (.*?)`", error)[1].split()


def test_prompt_survives_an_unreachable_server(run, tmp_path):
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

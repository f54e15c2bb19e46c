"""What still holds a secret after its session was redacted, and what of that is removed."""

from base64 import b64encode

import orjson

from codeh_history.session.records import block_of
from secret_examples import HALVES, SECRET, SECRETS, delta, opened, redacted, user, written
from support import run


def test_redact_names_remaining_copies_only(tmp_path):
    """Other sessions, forks among them, the trash, and blocks."""
    secret = SECRETS["npm-token"]
    run("append", "-s", "s", "-m", f"my token is {secret}", home=tmp_path)
    run("append", "-s", "harmless", "-m", "hello", home=tmp_path)
    run("append", "-s", "other", "-m", f"it was {secret}", home=tmp_path)
    for old, new in [("s", "child"), ("child", "grandchild"), ("s", "gone"), ("s", "clean")]:
        run("fork", old, "--into", new, home=tmp_path)
    run("rm", "gone", home=tmp_path)
    run("redact", "clean", "-i", "--yes", home=tmp_path)
    run("persist", "s", "-i", "--all", home=tmp_path)
    err = run("redact", "s", "-i", "--yes", home=tmp_path).err.decode()
    assert [line.partition(" is still in ")[2] for line in err.splitlines() if "still in" in line] == [
        "session child", "session grandchild", "session other", "trash gone.1.jsonl",
        "1 block (gc removes those that no session needs, after 7 days)",
    ]  # fmt: skip
    assert secret not in err
    again = run("redact", "s", "-i", "--yes", home=tmp_path)
    assert again.code == 0
    assert b"still in" not in again.err


def test_caches_of_list_and_search_are_removed(tmp_path):
    written(tmp_path, user("a", SECRET))
    run("search", "--words", "secret", home=tmp_path)
    (cache,) = (tmp_path / "cache").iterdir()
    assert redacted(tmp_path).code == 0
    assert not cache.exists()


def test_orphan_blocks_and_other_files_are_named(tmp_path):
    path = written(tmp_path, user("a", SECRET))
    block = orjson.dumps({"text": f"orphan {SECRET}"})
    id = block_of(orjson.loads(block))
    shard = tmp_path / "blocks" / id[:2]
    shard.mkdir(parents=True)
    (shard / id).write_bytes(block)
    (shard / f".{id}.0a1b2c3d.tmp").write_bytes(block[:60])
    others = "s.jsonl.bak", ".s.jsonl.0a1b2c3d.tmp"  # the latter of a killed command
    for name in others:
        (path.parent / name).write_bytes(path.read_bytes())
    result = redacted(tmp_path)
    assert result.code == 1
    assert b"still in 1 block" in result.err
    assert f"{id}.0a1b2c3d.tmp\n".encode() in result.err
    assert all(f"{name}\n".encode() in result.err for name in others)
    assert SECRET.encode() not in result.err


def test_fork_with_the_secret_in_pieces_or_a_file_is_named(tmp_path):
    """In deltas, and as base64 of a text file, at each of its three places."""
    written(tmp_path, user("a", SECRET))
    written(tmp_path, opened("m"), delta("m", HALVES[0]), delta("m", HALVES[1]), session="pieces")
    for at in range(3):
        data = b64encode(b"x" * at + SECRET.encode() + b" and more").decode()
        written(
            tmp_path,
            user("a", parts=[{"inlineData": {"mimeType": "text/plain", "data": data}}]),
            session=f"file{at}",
        )
    result = redacted(tmp_path)
    assert result.code == 1
    for name in ("pieces", "file0", "file1", "file2"):
        assert f"session {name}\n".encode() in result.err


def test_fork_with_the_secret_across_a_read_boundary_is_named(tmp_path):
    written(tmp_path, user("a", SECRET))
    other = written(tmp_path, session="other")
    with other.open("ab") as file:
        file.write(b" " * ((1 << 20) - file.tell() - 10) + SECRET.encode() + b"\n")
    assert b"session other\n" in redacted(tmp_path).err

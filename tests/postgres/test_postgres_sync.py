"""`sync` between homes and a database: the same laws, writers and all."""

import pytest

import postgres_server
from in_process import run_in_process, run_ok
from synced import doubled, sessions

pytestmark = postgres_server.needed


def sync(home, url, *more, env=None):
    return run_ok("sync", url, *more, home=home, env=env)


def say(home, text, **env):
    run_ok("append", "-s", "demo", "-m", text, "-q", home=home, env=env)


def test_two_homes_sync_through_a_database(tmp_path, url):
    one, two = tmp_path / "one", tmp_path / "two"
    say(one, "first")
    for home in (one, two):
        sync(home, url)
    assert sessions(one) == sessions(two)
    say(two, "early")
    say(one, "late")
    run_in_process("set", "-s", "demo", "title=t", home=two)
    run_ok("redact", "demo", "-i", "--yes", home=one)
    for home in (one, two, one):
        sync(home, url)
    assert sessions(one) == sessions(two)
    assert len(sessions(one)) == 2
    assert sync(one, url).err == sync(two, url).err == b""
    for name, data in sessions(one).items():
        run_ok("show", name, "--jsonl", home=one, env={"CODEH_STORE": url})
        assert list(doubled(name, data)) == []


def test_redacted_content_leaves_the_database(tmp_path, url):
    one = tmp_path / "one"
    secret = "sk-ant-api03-" + "Ab3" * 31 + "AA"
    say(one, secret)
    sync(one, url)
    assert secret in run_in_process("show", "demo", home=tmp_path, env={"CODEH_STORE": url}).text
    run_in_process("redact", "demo", "-i", "--yes", home=one)
    assert b"what was redacted" in sync(one, url).err
    assert secret not in run_in_process("show", "demo", home=tmp_path, env={"CODEH_STORE": url}).text


def test_database_and_directory(tmp_path, url):
    """The home's own store is the database; the other one is the folder."""
    env = {"CODEH_STORE": url}
    say(tmp_path / "one", "in the database", **env)
    assert b"new, 2 lines to" in sync(tmp_path / "one", f"dir:{tmp_path / 'folder'}", env=env).err
    sync(tmp_path / "two", f"dir:{tmp_path / 'folder'}")
    say(tmp_path / "two", "from a file")
    for home, more in ((tmp_path / "two", {}), (tmp_path / "one", env)):
        sync(home, f"dir:{tmp_path / 'folder'}", env=more)
    assert "from a file" in run_in_process("show", "demo", home=tmp_path, env=env).text
    assert run_in_process("sync", url, home=tmp_path / "one", env=env).code == 2  # with itself


def test_unreachable_server_is_named_without_its_password(tmp_path):
    done = run_in_process("sync", "postgres://me:swordfish@127.0.0.1:1/x", home=tmp_path)
    assert done.code == 75
    assert b"swordfish" not in done.err


def test_a_hostile_database_cannot_name_a_file_outside_the_home(tmp_path, url):
    one, two = tmp_path / "one", tmp_path / "deep" / "two"
    say(one, "first")
    sync(one, url)
    say(two, "mine")
    columns = {"codeh_sessions": "edition, lines, bytes, plain, torn, changed, listened"}
    columns |= {"codeh_lines": "number, start, key, line"}
    names = ["../../../evil", str(tmp_path / "absolute"), "a$(touch b)"]
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(url, autocommit=True) as database:
        for table, others in columns.items():
            own = "session" if table == "codeh_lines" else "id"
            copied = f"INSERT INTO {table} ({own}, {others}) SELECT %s, {others} FROM {table} WHERE {own} = 'demo'"
            for name in names:
                database.execute(copied, [name])
    sync(two, url)
    assert {path.parent.name for path in tmp_path.rglob("*.jsonl")} == {"sessions"}
    assert not [path for path in tmp_path.rglob("*") if path.stem in ("evil", "absolute")]
    assert "touch" not in run_in_process("list", home=tmp_path, env={"CODEH_STORE": url}).text

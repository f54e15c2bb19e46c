"""Redis as a block store: workspaces, passwords, TLS, time-outs, round trips."""

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import orjson
import pytest

from blocks.stored import BIG, ODD, ONE
from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput, Usage
from codeh_history.store.blocks import fetch, open_store
from in_process import run_in_process, run_ok, write_session
from redis_server import Server, free_port, needs_redis
from support import session_path


def redis_store(url, **environ):
    return open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url, **environ}))


def test_workspaces_keep_apart(redis_url, shared_redis):
    team, default = redis_store(redis_url, CODEH_WORKSPACE="team-a"), redis_store(redis_url)
    team.mset(dict([ONE]))
    assert default.mget([ONE[0]]) == {}
    assert team.mget([ONE[0]]) == dict([ONE])
    assert shared_redis.send("EXISTS", f"team-a:block:{ONE[0]}") == ":1"
    assert default.stale(time.time() + 1000) == {}
    assert team.stale(time.time() + 1000).keys() == {ONE[0]}


@pytest.mark.parametrize("name", ["a b", "*", "a:b", "../x", "_x"])
def test_a_workspace_is_a_plain_name(name):
    with pytest.raises(Usage, match="CODEH_WORKSPACE"):
        redis_store("redis://127.0.0.1:1/0", CODEH_WORKSPACE=name)


@pytest.mark.parametrize(
    "options", ["decode_responses=True", "encoding=utf-16", "protocol=3", "protocol=2", "db=1"]
)
def test_options_of_the_client_change_no_block(redis_url, options):
    store = redis_store(f"{redis_url}?{options}&socket_timeout=5")
    store.mset(dict([ONE, ODD]))
    assert fetch([store], [ONE[0], ODD[0]]) == dict([ONE, ODD])
    assert store.sizes([ODD[0]]) == {ODD[0]: len(ODD[1])}
    assert store.stale(time.time() + 1000).keys() >= {ONE[0]}
    assert store.delete([ONE[0], ODD[0]], time.time() + 1000) == 2


PASSWORD = "s3cr3t-p%40ss"


@pytest.mark.parametrize(
    "url",
    [
        "redis://user:PASSWORD@127.0.0.1:1/0",
        "rediss://:PASSWORD@127.0.0.1:1/0?socket_timeout=1",
        "redis://user:PASSWORD@127.0.0.1:1/0?password=PASSWORD",
        "redis://user:PASSWORD@127.0.0.1:port/0",
        "redis://user:PASSWORD@[::1/0",
        "redis://127.0.0.1:1/0?nonsense=PASSWORD",
        f"redis://{'x' * 70}.invalid/0",
    ],
)
def test_a_store_that_is_down_is_named_without_its_password(url):
    pytest.importorskip("redis")
    with pytest.raises((InputOutput, Usage)) as raised:
        redis_store(url.replace("PASSWORD", PASSWORD)).mset(dict([ONE]))
    assert "s3cr3t" not in str(raised.value)
    assert "redis" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_password_is_an_error_without_it(tmp_path):
    needs_redis()
    server = Server(tmp_path, "--requirepass", "right-horse")
    server.start()
    try:
        host = f"127.0.0.1:{server.port}/0"
        redis_store(f"redis://:right-horse@{host}").mset(dict([ONE]))
        for url in (f"redis://{host}", f"redis://:right-horse@{host}"):
            password = "right-horse" if "right" not in url else "wrong-horse"
            assert fetch([redis_store(url, CODEH_BLOCKS_PASSWORD=password)], [ONE[0]]) == dict([ONE])
        for url in (f"redis://:wrong-horse@{host}", f"redis://{host}"):
            with pytest.raises(InputOutput) as raised:
                redis_store(url, CODEH_BLOCKS_PASSWORD="bad-horse").mget([ONE[0]])
            assert "horse" not in str(raised.value)
            assert host in str(raised.value)
    finally:
        server.kill()


def test_tls_is_used_and_certificates_are_checked(tmp_path):
    needs_redis()
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine")
    key, cert, port = tmp_path / "key.pem", tmp_path / "cert.pem", free_port()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    server = subprocess.Popen(
        ["redis-server", "--bind", "127.0.0.1", "--port", "0", "--tls-port", str(port), "--save", "", "--tls-cert-file", cert,
         "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no"],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        store = redis_store(f"rediss://localhost:{port}/0?ssl_ca_certs={cert}")
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                store.mset(dict([ONE]))
                break
            except InputOutput:
                if server.poll() is not None:
                    pytest.skip("this redis-server has no TLS")
                time.sleep(0.05)
        assert fetch([store], [ONE[0]]) == dict([ONE])
        with pytest.raises(InputOutput, match="certificate"):
            redis_store(f"rediss://localhost:{port}/0").mget([ONE[0]])
    finally:
        server.kill()
        server.wait()


def test_a_server_that_never_answers_is_given_up():
    pytest.importorskip("redis")
    with server(lambda _: None) as url, pytest.raises(InputOutput, match=r"(?i)timeout"):
        redis_store(url).mget([ONE[0]])


def test_without_the_package_it_says_what_to_install(tmp_path):
    hidden = tmp_path / "redis.py"
    hidden.write_text("raise ImportError('hidden')")
    done = subprocess.run(
        [sys.executable, "-m", "codeh_history", "hydrate", "-"],
        input=b'{"type":"ref","id":"a","kind":"user","role":"user","blockIds":["%s"]}\n' % ONE[0].encode(),
        capture_output=True, check=False,
        env={
            **os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
            "CODEH_BLOCKS": "redis://127.0.0.1:1/0",
        },
    )  # fmt: skip
    assert done.returncode == 2
    assert b"pip install 'codeh-history[redis]'" in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_one_mset_stores_and_one_mget_reads(home, redis_url):
    """As the server counts them; a second persist asks it for nothing."""
    env = {"CODEH_BLOCKS": redis_url}
    for number in range(5):
        run_ok("append", "-s", "demo", "-m", f"{BIG} {number}")
    before = session_path(home, "demo").read_bytes()
    assert calls(redis_url, lambda: run_ok("persist", "demo", "-i", env=env)) == {"mset": 1}
    assert calls(redis_url, lambda: run_ok("persist", "demo", "-i", env=env)) == {}
    for argv in (["show", "demo"], ["export", "demo"], ["hydrate", "demo"]):
        assert calls(redis_url, lambda argv=argv: run_ok(*argv, env=env)) == {"mget": 1}
    assert calls(redis_url, lambda: run_ok("hydrate", "demo", "-i", env=env)) == {"mget": 1}
    assert session_path(home, "demo").read_bytes() == before


def calls(url, run):
    """The commands a server was asked for meanwhile, greetings aside."""
    import redis

    client = redis.Redis.from_url(url)
    client.config_resetstat()
    run()
    stats = client.info("commandstats")
    counts = {name.removeprefix("cmdstat_"): stat["calls"] for name, stat in stats.items()}
    greetings = ("hello", "client", "config", "info", "select", "auth")
    return {name: count for name, count in counts.items() if not name.startswith(greetings)}


@pytest.fixture
def cut_off(home, tmp_path, own_redis):
    """A session of one large message in a store that is down now, and one small message."""
    env = {"CODEH_BLOCKS": own_redis.url}
    run_ok("append", "-s", "demo", "-m", BIG, env=env)
    run_ok("persist", "demo", "-i", env=env)
    run_ok("append", "-s", "demo", "--role", "model", "-m", "small", env=env)
    (tmp_path / "large.txt").write_text("x" * 70_000)
    own_redis.kill()
    return home, env


@pytest.mark.parametrize(
    "argv",
    [
        ["show"], ["payload", "--to", "gemini"], ["export"], ["hydrate"], ["hydrate", "-i"], ["persist", "--all"],
        ["persist", "-i", "--all"], ["compact", "--max-chars", "9"], ["redact", "-i", "--yes"],
        ["payload", "--to", "gemini", "--persist"], ["append", "-m", "see", "--attach", "LARGE"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_without_its_store_a_command_fails_and_loses_nothing(cut_off, tmp_path, own_redis, argv):
    home, env = cut_off
    argv = [str(tmp_path / "large.txt") if word == "LARGE" else word for word in argv]
    before = session_path(home, "demo").read_bytes()
    failed = run_in_process(*argv, "-s", "demo", home=home, env=env)
    assert (failed.code, failed.out) == (74, b"")
    assert own_redis.url.encode() in failed.err
    assert failed.err.count(b"\n") == 1
    assert session_path(home, "demo").read_bytes() == before
    own_redis.start()
    assert run_in_process(*argv, "-s", "demo", home=home, env=env).code in (0, 5, 65)
    assert BIG.encode() in run_ok("export", "demo", home=home, env=env).out


def test_what_needs_no_block_needs_no_store(cut_off):
    home, env = cut_off
    for argv in (
        ["append", "-m", "next"], ["append", "-m", "again", "--key", "k"], ["append", "-m", "again", "--key", "k"],
        ["undo"], ["update", ":2", "-m", "smaller"], ["persist", "-i"], ["list"], ["set", "title=x"],
    ):  # fmt: skip
        named = [] if argv == ["list"] else ["-s", "demo"]
        assert run_in_process(*argv, *named, home=home, env=env).code in (0, 1), argv


# -- servers that break off or answer nonsense: exit 74, and never a traceback ------------------------------


@contextmanager
def server(answer):
    """The URL of a server that answers whatever it is asked so."""

    def serve(listening):
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    while connection.recv(1 << 16):
                        answer(connection)
                except OSError:
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}/0?socket_timeout=0.2"
        listening.shutdown(socket.SHUT_RDWR)


ANSWERS = [
    b"nonsense\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"+OK\r\n", b":1\r\n", b"$-1\r\n", b"*-1\r\n", b"*0\r\n",
    b"*2\r\n$1\r\na\r\n$1\r\nb\r\n", b"$3\r\nabcdef\r\n", b"$x\r\n", b"*x\r\n", b":x\r\n",
    b"$99999999999999999999\r\nx", b"*99999999999\r\n", b"*1\r\n" * 5000, b"\r\n", b"\0", b"*1\r\n$2\r\n\xff\xfe\r\n",
    b"-\xff\xfe\r\n", b"%1\r\n+a\r\n+b\r\n", b"$2\r\n{}",
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: repr(answer[:20]))
def test_a_malformed_answer_is_an_error_not_a_bug(answer):
    def once(connection):
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)

    with server(once) as url:
        store = redis_store(url)
        for use in (
            lambda: store.mget([ONE[0]]), lambda: store.mset(dict([ONE])), lambda: store.sizes([ONE[0]]),
            lambda: store.stale(0), lambda: store.delete([ONE[0]], 0), lambda: store.foreign([ONE[0]], [""]),
        ):  # fmt: skip
            try:
                result = use()
            except InputOutput as error:
                assert str(error).startswith("redis://127.0.0.1")  # noqa: PT017
            else:
                assert not result or answer in SENSIBLE
    if answer not in SENSIBLE:
        with server(once) as url, pytest.raises(InputOutput):
            redis_store(url).mset(dict([ONE]))


SENSIBLE = (b":1\r\n", b"+OK\r\n")  # to some command


def test_what_commands_say_of_a_server_that_answers_nonsense(home):
    ref = {"type": "ref", "id": "a", "kind": "user", "role": "user", "blockIds": [ONE[0]], "flowId": "f"}
    records = ({"type": "session", "version": 1, "id": "s"}, ref)
    write_session(home, b"".join(orjson.dumps(record) + b"\n" for record in records))
    with server(lambda connection: connection.sendall(b"*x\r\n")) as url:
        for argv in (["hydrate", "s"], ["show", "s"], ["gc", "--shared"]):
            done = run_in_process(*argv, env={"CODEH_BLOCKS": url})
            assert (done.code, done.out) == (74, b"")
            assert b"not a reply of a Redis server" in done.err

"""A Redis server killed with kill -9 while a session is persisted: nothing is lost, nothing is doubled."""

import socket
import subprocess
import threading

import orjson
import pytest

from blocks.stored import BIG
from in_process import run_ok
from support import run, session_path, start


class Proxy:
    """Between a client and a server, which it kills at a point of what the client sends.

    The point is a number of bytes that still get there, or `answer`: all gets there, and the answer to it
    is lost.
    """

    def __init__(self, server, point):
        self.server = server
        self.point = point
        self.sent = 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self.listening.getsockname()[1]}/0"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self):
        client, _ = self.listening.accept()
        self.listening.close()
        with client, socket.create_connection(("127.0.0.1", self.server.port)) as upstream:
            back = threading.Thread(target=self._back, args=(client, upstream), daemon=True)
            back.start()
            while data := client.recv(1000):
                if isinstance(self.point, int) and self.sent + len(data) > self.point:
                    upstream.sendall(data[: self.point - self.sent])
                    self.server.kill()
                    client.shutdown(socket.SHUT_RDWR)
                    return
                upstream.sendall(data)
                self.sent += len(data)
            back.join()

    def _back(self, client, upstream):
        while data := _received(upstream):
            if self.point == "answer" and self.sent > MANY:
                self.server.kill()
                client.shutdown(socket.SHUT_RDWR)
                return
            client.sendall(data)


def _received(connection):
    try:
        return connection.recv(1000)
    except OSError:
        return b""


COUNT = 20
MANY = COUNT * len(BIG) // 2  # bytes beyond all greetings


@pytest.mark.parametrize("point", [0, 10, 1_000, 9_000, MANY, COUNT * len(BIG), "answer"])
def test_a_server_killed_at_any_point(home, own_redis, point):
    before = with_texts(home, [BIG + str(number) for number in range(COUNT)])
    proxy = Proxy(own_redis, point)
    failed = run("persist", "demo", "-i", home=home, env={"CODEH_BLOCKS": proxy.url})
    assert (failed.code, failed.out) == (74, b"")
    assert proxy.url.encode() in failed.err
    assert failed.err.count(b"\n") == 1
    assert own_redis.process is None
    assert session_path(home, "demo").read_bytes() == before
    own_redis.start()
    stored = own_redis.send("DBSIZE")
    assert stored == (f":{COUNT}" if point == "answer" else ":0")
    nothing_lost_nothing_doubled(home, {"CODEH_BLOCKS": own_redis.url}, own_redis, before, COUNT)


def test_a_server_killed_while_it_stores(home, own_redis):
    """Some blocks are there already: they are found again, not stored twice."""
    env = {"CODEH_BLOCKS": own_redis.url}
    texts = [str(number) + "x" * 9_000_000 for number in range(3)]
    before = with_texts(home, texts)
    persisting = start("persist", "demo", "-i", home=home, env=env, stderr=subprocess.DEVNULL)
    while persisting.poll() is None and own_redis.send("DBSIZE") == ":0":
        pass
    own_redis.kill()
    assert persisting.wait() in (0, 74)
    if persisting.returncode == 74:
        assert session_path(home, "demo").read_bytes() == before
    own_redis.start()
    nothing_lost_nothing_doubled(home, env, own_redis, before, len(texts))


def with_texts(home, texts):
    messages = b"".join(orjson.dumps({"role": "user", "parts": [{"text": text}]}) + b"\n" for text in texts)
    run_ok("append", "-s", "demo", "--jsonl", home=home, stdin=messages)
    return session_path(home, "demo").read_bytes()


def nothing_lost_nothing_doubled(home, env, server, before, count):
    run_ok("persist", "demo", "-i", home=home, env=env)
    assert session_path(home, "demo").stat().st_size < 10_000
    assert server.send("DBSIZE") == f":{count}"
    server.kill()
    server.start()
    run_ok("hydrate", "demo", "-i", home=home, env=env)
    assert session_path(home, "demo").read_bytes() == before

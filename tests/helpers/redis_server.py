"""A redis-server for the tests on the loopback interface."""

import shutil
import signal
import socket
import subprocess
import time

import pytest


class Server:
    """A redis-server that keeps acknowledged writes and can be killed at any time."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.options = options
        self.port = free_port()
        self.process = None

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        self.process = subprocess.Popen(
            [
                "redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder),
                "--appendonly", "yes", "--appendfsync", "always", "--save", "", *self.options,
            ],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if self.send("PING") in ("+PONG", "-NOAUTH Authentication required."):
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise TimeoutError("redis-server does not answer")

    def send(self, *words):
        """The first line of the reply to a command."""
        command = "".join([f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)])
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(command.encode())
            return connection.makefile("rb").readline().decode().strip()

    def kill(self):
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def needs_redis():
    """Skip a test if there is no server."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on this machine")
    pytest.importorskip("redis", reason="the redis package is not installed")

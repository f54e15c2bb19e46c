"""A redis-server of the tests' own on the loopback interface."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest


class Server:
    """A redis-server of the tests' own, which keeps what it acknowledged and can be killed at any time."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.options = options
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
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

    def send(self, *words: str) -> str:
        """The first line of the answer to a command."""
        command = "".join([f"*{len(words)}\r\n", *(f"${len(word)}\r\n{word}\r\n" for word in words)])
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(command.encode())
            return connection.makefile("rb").readline().decode().strip()

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def needs_redis() -> None:
    """Skip a test that needs a server where there is none."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on this machine")
    pytest.importorskip("redis", reason="the redis package is not installed")

"""Connections to a server that may take only so long for what they carry, however slowly it drips."""

from __future__ import annotations

import time
from typing import Any

RATE = 64 << 10  # bytes that buy a call another second


class Meter:
    """When a call began, how long it may take, and what it carried so far."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.begin()

    def begin(self) -> None:
        self._began = time.monotonic()
        self._bytes = 0

    def check(self) -> None:
        """TimeoutError when the call has taken too long for what it carried."""
        if time.monotonic() - self._began > self.seconds + self._bytes / RATE:
            raise TimeoutError("timed out")

    def carried(self, count: int) -> None:
        self._bytes += count


class Metered:
    """A socket that is looked at before each byte that it waits for."""

    def __init__(self, sock: Any, meter: Meter) -> None:
        self._sock = sock
        self._meter = meter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def recv(self, *args: Any) -> bytes:
        self._meter.check()
        data: bytes = self._sock.recv(*args)
        self._meter.carried(len(data))
        return data

    def recv_into(self, *args: Any) -> int:
        self._meter.check()
        count: int = self._sock.recv_into(*args)
        self._meter.carried(count)
        return count

    def sendall(self, data: bytes) -> None:
        self._meter.check()
        self._sock.sendall(data)
        self._meter.carried(len(data))


def metered(connection: Any, meter: Meter) -> Any:
    """The client's class of connections, its sockets metered."""

    class Connection(connection):  # type: ignore[misc]
        def _connect(self) -> Metered:
            return Metered(super()._connect(), meter)

    return Connection

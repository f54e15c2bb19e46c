"""A server that drips is given up: a call may take its seconds, and one more for each 64 KiB that it carries."""

from __future__ import annotations

import itertools
import socket
from contextlib import closing

import pytest

from codeh_history.blocks import metered
from codeh_history.blocks.metered import RATE, Meter, Metered


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still until it is set."""
    now = [0.0]
    monkeypatch.setattr(metered.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(("carried", "allowed"), [(0, 5.0), (RATE, 6.0), (3 * RATE // 2, 6.5)])
def test_so_long_a_call_may_take(clock: list[float], carried: int, allowed: float) -> None:
    meter = Meter(5.0)
    meter.carried(carried)
    clock[0] = allowed
    meter.check()
    clock[0] = allowed + 0.01
    with pytest.raises(TimeoutError):
        meter.check()
    meter.begin()
    meter.check()
    clock[0] += 5.01
    with pytest.raises(TimeoutError):
        meter.check()


def test_all_that_goes_through_a_socket_counts(clock: list[float]) -> None:
    ours, theirs = socket.socketpair()
    with closing(ours), closing(theirs):
        meter = Meter(1.0)
        sock = Metered(ours, meter)
        sock.sendall(b"x" * 1000)
        assert theirs.recv(2000) == b"x" * 1000
        theirs.sendall(b"y" * 3000)
        held = bytearray(1000)
        assert (sock.recv(1000), sock.recv_into(held), sock.recv(2000)) == (b"y" * 1000, 1000, b"y" * 1000)
        assert sock.fileno() == ours.fileno()
        clock[0] = 1.0 + 4000 / RATE
        meter.check()
        clock[0] += 0.001
        for call in (lambda: sock.recv(1), lambda: sock.recv_into(held), lambda: sock.sendall(b"z")):
            with pytest.raises(TimeoutError):
                call()


def test_the_clients_connections_are_metered(clock: list[float]) -> None:
    numbers = itertools.count()

    class Client:
        def _connect(self) -> str:
            return f"socket {next(numbers)}"

    made = metered.metered(Client, Meter(1.0))()._connect()
    assert isinstance(made, Metered)
    assert made._sock == "socket 0"
    assert made.upper() == "SOCKET 0"

"""Servers that break off or answer nonsense: exit 74, and never a traceback."""

import socket
import threading
from contextlib import contextmanager

import orjson
import pytest

from codeh_history.base.env import Env
from codeh_history.base.errors import InputOutput
from codeh_history.store.blocks import open_store
from in_process import run_in_process, write_session

pytest.importorskip("redis")
ID = "0" * 64


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
def test_a_malformed_answer_is_an_error_and_no_bug(answer):
    def once(connection):
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)

    with server(once) as url:
        store = open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url}))
        for use in (
            lambda: store.mget([ID]), lambda: store.mset({ID: b"{}"}), lambda: store.sizes([ID]),
            lambda: store.stale(0), lambda: store.delete([ID], 0), lambda: store.foreign([ID], [""]),
        ):  # fmt: skip
            try:
                found = use()
            except InputOutput as error:
                assert str(error).startswith("redis://127.0.0.1")  # noqa: PT017
            else:
                assert not found or answer in SENSIBLE
    if answer not in SENSIBLE:
        with server(once) as url, pytest.raises(InputOutput):
            open_store(Env({"CODEH_HOME": "/nonexistent", "CODEH_BLOCKS": url})).mset({ID: b"{}"})


SENSIBLE = (b":1\r\n", b"+OK\r\n")  # to some command


def test_what_commands_say_of_a_server_that_answers_nonsense(home):
    ref = {"type": "ref", "id": "a", "kind": "user", "role": "user", "blockIds": [ID], "flowId": "f"}
    write_session(
        home, orjson.dumps({"type": "session", "version": 1, "id": "s"}) + b"\n" + orjson.dumps(ref) + b"\n"
    )
    with server(lambda connection: connection.sendall(b"*x\r\n")) as url:
        for argv in (["hydrate", "s"], ["show", "s"], ["gc", "--shared"]):
            done = run_in_process(*argv, home=home, env={"CODEH_BLOCKS": url})
            assert (done.code, done.out) == (74, b"")
            assert b"not a reply of a Redis server" in done.err

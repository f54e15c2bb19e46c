"""A way to a server on the loopback interface that breaks where a test wants it to."""

import socket
import threading
from collections.abc import Callable

Cut = Callable[[str, bytes], "bool | None"]
"""Sees each chunk (`to` the server, `from` it); None: it passes, True: it passes and then all is cut, False: cut at once."""


class Proxy:
    """Forwards connections to a port until `cut` says otherwise."""

    def __init__(self, port, cut=lambda _way, _data: None):
        self.target = port
        self.cut = cut
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            for way, here, there in (("to", client, server), ("from", server, client)):
                threading.Thread(target=self._forward, args=(way, here, there), daemon=True).start()

    def _forward(self, way, here, there):
        try:
            while data := here.recv(1 << 16):
                verdict = self.cut(way, data)
                if verdict is not False:
                    there.sendall(data)
                if verdict is not None:
                    break
        except OSError:
            pass
        for end in (here, there):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

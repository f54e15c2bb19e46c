"""Files to import, of which the first bytes tell how the rest is to be read."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from ...base.env import Env
from ...base.errors import InputOutput, Usage

HEAD = 512  # bytes that tell a bundle


class Source:
    """A file whose first bytes are looked at before it is read."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self.head = b""
        while len(self.head) < HEAD and (more := os.read(fd, HEAD - len(self.head))):
            self.head += more
        self._left = self.head

    def read(self, size: int = 1 << 20, /) -> bytes:
        """At most `size` bytes, none at the end."""
        options, self._left = self._left[:size], self._left[size:]
        return options or os.read(self.fd, size)

    def settle(self) -> None:
        """See that it can be read again and again: what comes through a pipe is put into a file."""
        if stat.S_ISREG(os.fstat(self.fd).st_mode) and os.lseek(self.fd, 0, os.SEEK_CUR) == len(self.head):
            return
        with tempfile.TemporaryFile() as held:
            for chunk in iter(self.read, b""):
                held.write(chunk)
            held.flush()
            os.dup2(held.fileno(), self.fd, inheritable=False)
        self._left = self.head
        os.lseek(self.fd, len(self.head), os.SEEK_SET)

    def rest(self) -> bytes:
        """All that is left."""
        return b"".join(iter(self.read, b""))


@contextmanager
def source(env: Env, name: str) -> Iterator[Source]:
    """A file to import; `-` is stdin."""
    if name == "-":
        env.awaits()
    try:
        fd = os.dup(env.stdin) if name == "-" else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Usage(f"{name}: no such file") from None
    except OSError as error:
        raise InputOutput(f"{name}: {error.strerror}") from None
    try:
        yield Source(fd)
    except OSError as error:
        raise InputOutput(f"{name}: {error.strerror}") from None
    finally:
        os.close(fd)

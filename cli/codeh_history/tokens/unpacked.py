"""The tokens of a vocabulary as they were unpacked and checked once: a fifth of the time of doing so again.

A cache only: what cannot be read, is not whole or belongs to another vocabulary is a miss, what cannot be
written is left, and the file may be deleted at any time.
"""

from __future__ import annotations

import os

from ..base.folders import create, ensure_dir

_FORM = 2  # of marshal: later ones look for what is the same as before


def read(folder: str, name: str, sha256: str) -> dict[bytes, int] | None:
    """The ranks of the tokens under this name, of the vocabulary whose packed file has this checksum."""
    import marshal

    try:
        with open(_path(folder, name), "rb") as file:
            head = file.readline()
            data = file.read()
        if head != _head(sha256, data):
            return None
        ranks = marshal.loads(data)  # noqa: S302 - our own, as safe as Python's own compiled files
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return ranks if isinstance(ranks, dict) else None


def write(folder: str, name: str, sha256: str, ranks: dict[bytes, int]) -> None:
    """Keep ranks. Who reads a file that is not whole, or never will be, finds none and writes it anew."""
    import marshal

    data = marshal.dumps(ranks, _FORM)
    path = _path(folder, name)
    try:
        ensure_dir(folder)
        if os.path.lexists(path):
            os.unlink(path)
        fd = create(path)
        os.fchmod(fd, 0o600)  # under any umask
        with open(fd, "wb") as file:
            file.write(_head(sha256, data) + data)
    except OSError:
        return


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.tokens")


def _head(sha256: str, data: bytes) -> bytes:
    """What the data must be: unpacked from which file, and not a byte different since."""
    from .memory import keys_of

    (key,) = keys_of("unpacked", [data])
    return f"{sha256} {key.hex()}\n".encode()

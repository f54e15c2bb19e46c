"""What is piped in: a pipe, socket or file on stdin, read to its end; a terminal or /dev/null never is."""

from __future__ import annotations

import os
import select
import stat
import time

from .env import Env
from .errors import BadData, InputOutput, Usage
from .input import decode

NOTE_SECONDS = 2.0  # of waiting, until people are told what for
PATIENCE = 600.0  # seconds without a byte, until it is taken for a mistake
_CHUNK = 1 << 20


def text(env: Env, instead: str, *, note: float = NOTE_SECONDS, patience: float = PATIENCE) -> str | None:
    """The text on stdin without its final newline; None where nothing is piped in, or only blanks are.

    `instead` says how to have it not read: it stands in the note after `note` seconds, and in the usage
    error after `patience` seconds of nothing.
    """
    if not is_piped(env.stdin):
        return None
    found = decode(_read(env, instead, note, patience), "stdin").removesuffix("\n")
    return found if found.strip() else None


def needed(env: Env) -> bytes:
    """All of stdin; BadData where nothing is on it."""
    data = env.read_stdin()
    if not data.strip():
        raise BadData(f"stdin: {nothing(env)}")
    return data


def nothing(env: Env) -> str:
    """What to say of a stdin that brought nothing."""
    pipe = is_piped(env.stdin) and not env.reads_file()
    return f"nothing arrived{': the command before printed nothing' if pipe else ''}"


def is_piped(fd: int) -> bool:
    """Whether a descriptor is something that holds what somebody put there for us."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)


def _read(env: Env, instead: str, note: float, patience: float) -> bytes:
    chunks: list[bytes] = []
    begun = heard = time.monotonic()
    noted = False
    while True:
        now = time.monotonic()
        if not noted and now - begun >= note:
            env.note(f"reading stdin to its end ({instead})")
            noted = True
        if now - heard >= patience:
            raise Usage(
                f"stdin: nothing came for {patience / 60:g} minutes; nothing was stored ({instead})"
            )
        wake = heard + patience if noted else min(heard + patience, begun + note)
        try:
            if not select.select([env.stdin], [], [], max(0.0, wake - now))[0]:
                continue
            chunk = os.read(env.stdin, _CHUNK)
        except BlockingIOError:
            continue
        except OSError as error:
            raise InputOutput(f"stdin: {error.strerror}") from None
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        heard = time.monotonic()

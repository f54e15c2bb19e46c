"""Read a command's input: from a file, stdin, or an option's `@FILE`."""

from __future__ import annotations

import os

from .env import Env
from .errors import BadData, InputOutput, Usage

NOTE_SECONDS = 2.0  # seconds before the note that stdin is being read
PATIENCE = 600.0  # seconds to wait for a byte
_CHUNK = 1 << 20


class Text(str):
    """A literal text where another string would be a file name."""

    __slots__ = ()


def read_text(env: Env, name: str) -> str:
    """Read text from a file, or from stdin for `-`."""
    return decode(env.read_stdin() if name == "-" else read_file(name), name)


def read_file(name: str) -> bytes:
    if isinstance(name, Text):
        return name.encode()
    try:
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Usage(f"{name}: no such file") from None


def decode(data: bytes, name: str) -> str:
    """Decode UTF-8 without its byte order mark; raise BadData naming the first invalid byte."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadData(f"{name}: byte {error.start}: not UTF-8 (use --attach for a binary file)") from None


def without_newline(text: str) -> str:
    """Return the text without its final newline (LF or CRLF)."""
    return text.removesuffix("\n").removesuffix("\r")


def from_file(value: str) -> str:
    """Return the file's content for `@FILE`, else the text itself."""
    if not value.startswith("@") or isinstance(value, Text):
        return str(value)
    return without_newline(decode(read_file(value[1:]), value[1:]))


# -- stdin -------------------------------------------------------------------------------------------------


def required_stdin(env: Env) -> bytes:
    """Read all of stdin; raise BadData if it is empty."""
    data = env.read_stdin()
    if not data.strip():
        raise BadData(f"stdin: {empty_stdin(env)}")
    return data


def empty_stdin(env: Env) -> str:
    """Return the error message for an empty stdin."""
    pipe = env.stdin_kind() == "pipe"
    return f"nothing arrived{': the command before printed nothing' if pipe else ''}"


def piped_text(env: Env, instead: str) -> str | None:
    """Read text from a pipe or file on stdin, without its final newline; None if absent or blank.

    `instead`: how to avoid reading stdin, for the note after NOTE_SECONDS, and for the Usage error after
    PATIENCE seconds without a byte.
    """
    if not env.stdin_kind():
        return None
    text = without_newline(decode(_read_patiently(env, instead), "stdin"))
    return text if text.strip() else None


def _read_patiently(env: Env, instead: str) -> bytes:
    import select

    chunks: list[bytes] = []
    timeout, noted = NOTE_SECONDS, False
    while True:
        try:
            if not select.select([env.stdin], [], [], timeout)[0]:
                if noted:
                    minutes = f"{PATIENCE / 60:g} minutes"
                    raise Usage(f"stdin: no input for {minutes}; nothing was stored ({instead})")
                env.note(f"reading stdin to its end ({instead})")
                timeout, noted = PATIENCE, True
                continue
            chunk = os.read(env.stdin, _CHUNK)
        except BlockingIOError:
            continue
        except OSError as error:
            raise InputOutput(f"stdin: {error.strerror}") from None
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)

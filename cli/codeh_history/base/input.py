"""Texts that a command line names: a file, stdin, or `@FILE` where a text is expected."""

from __future__ import annotations

import os

from .env import Env
from .errors import BadData, InputOutput, Usage


class Text(str):
    """A text that stands for itself where others name a file."""

    __slots__ = ()


def read_text(env: Env, name: str) -> str:
    """A file's text (`-`: stdin)."""
    return decode(env.read_stdin() if name == "-" else read_file(name), name)


def read_file(name: str) -> bytes:
    if isinstance(name, Text):
        return name.encode()
    try:
        with open(name, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Usage(f"{name}: no such file") from None
    except OSError as error:
        raise InputOutput(f"{name}: {error.strerror}") from None


def decode(data: bytes, name: str) -> str:
    """Text as UTF-8 without a byte order mark; anything else is refused, naming the byte."""
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise BadData(f"{name}: byte {error.start}: not UTF-8 (use --attach for a binary file)") from None


def check_json(value: str, where: str) -> None:
    """Usage where a text that must be JSON names a file instead."""
    if not value.startswith("@") and (value.endswith(".json") or os.path.isfile(value)):
        raise Usage(f"{where}: not JSON; did you mean @{value}?")


def from_file(value: str) -> str:
    """TEXT, or the text of the file that `@FILE` names."""
    if not value.startswith("@") or isinstance(value, Text):
        return str(value)
    return decode(read_file(value[1:]), value[1:]).removesuffix("\n")

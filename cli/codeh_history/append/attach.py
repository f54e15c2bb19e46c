"""`append --attach`: files as parts of a message, large ones straight into the block store.

A large file is read piece by piece into the one buffer that becomes its block.
"""

from __future__ import annotations

import io
import os
import stat
from binascii import a2b_base64, b2a_base64
from codecs import getincrementaldecoder
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from ..base.env import Env
from ..base.errors import BadData, InputOutput, Usage
from ..base.escape import quote
from ..base.mime import mime_type
from ..session.model import Json, Part
from ..session.records import BOM

LARGE = 64 * 1024  # a file above this goes to the block store at once
_STEP = 3 << 18  # bytes read at a time; a multiple of three, so that their base64 can be joined
Clean = Callable[[str, Part], Part]  # a file's name and part → the part that is stored
_TEXTS = ("text/", "application/json", "image/svg+xml")  # the types that are told by all of the content


@dataclass(frozen=True)
class Attached:
    """A file as its message has it: what `attached` says of it, and its part or the block that holds it."""

    about: Json
    data: bytearray  # the part's compact JSON; empty where it is in a block already
    block: str | None

    @property
    def part(self) -> Part:
        part: Part = orjson.loads(self.data)
        return part


def attach(env: Env, names: Sequence[str], first: int, clean: Clean | None = None) -> list[Attached]:
    """The files as parts `first`, `first + 1`, …; with a large one among them all are blocks, stored.

    `clean` sees each file's part before anything is stored.
    """
    files = [_attached(env, name, first + number, clean) for number, name in enumerate(names)]
    if not any(file.block for file in files):
        return files
    return [file if file.block else _stored(env, file.about, file.data) for file in files]


def _attached(env: Env, name: str, number: int, clean: Clean | None) -> Attached:
    try:
        with _opened(name) as file:
            size = file.seek(0, os.SEEK_END)
            if not size:
                raise BadData(f"{name}: the file is empty")
            mime = _mime(file, name)
            skipped = _mark(file) if mime.startswith(_TEXTS) else 0
            size -= skipped
            data = _block(file, size, mime, start=skipped)
    except OSError as error:
        raise InputOutput(f"{name}: {error.strerror}") from None
    if data is None:
        raise BadData(f"{name}: changed while it was read; nothing was stored")
    known = os.path.basename(name).encode("utf-8", "replace").decode()
    if clean is not None:
        data, size = _cleaned(clean, known, data, size)
    about: Json = {"name": known, "mimeType": mime, "bytes": size, "part": number}
    return Attached(about, data, None) if size <= LARGE else _stored(env, about, data)


def _cleaned(clean: Clean, name: str, data: bytearray, size: int) -> tuple[bytearray, int]:
    part: Part = orjson.loads(data)
    new = clean(name, part)
    if new is part:
        return data, size
    return bytearray(orjson.dumps(new)), len(a2b_base64(new["inlineData"]["data"]))


def _stored(env: Env, about: Json, data: bytearray) -> Attached:
    import hashlib

    from ..blocks import open_store

    id = hashlib.sha256(data).hexdigest()
    open_store(env).mset({id: memoryview(data)})
    return Attached(about, bytearray(), id)


def _opened(name: str) -> BinaryIO:
    """The file, seekable: a pipe (`--attach <(CMD)`) is read to its end."""
    try:
        file = open(name, "rb")  # noqa: SIM115 - the caller closes it
    except FileNotFoundError:
        raise Usage(f"{name}: no such file") from None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    with file:
        return io.BytesIO(file.read())


def _mime(file: BinaryIO, name: str) -> str:
    """The media type by content, all of it where it looks like text."""
    file.seek(0)
    mime = mime_type(_whole_characters(file.read(LARGE)), name)
    if not mime.startswith(_TEXTS):
        return mime
    file.seek(0)
    decoder = getincrementaldecoder("utf-8")()
    try:
        while chunk := file.read(_STEP):
            if b"\0" in chunk:
                return "application/octet-stream"
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "application/octet-stream"
    return mime


def _whole_characters(head: bytes) -> bytes:
    """The bytes without a UTF-8 character that may be cut at their end."""
    if len(head) < LARGE:
        return head
    end = len(head)
    while end and head[end - 1] & 0xC0 == 0x80:
        end -= 1
    return head[: end - 1] if end and head[end - 1] >= 0xC0 else head[:end]


def _mark(file: BinaryIO) -> int:
    """How many bytes a byte order mark takes at the file's beginning."""
    file.seek(0)
    return len(BOM) if file.read(len(BOM)) == BOM else 0


def _block(file: BinaryIO, size: int, mime: str, step: int = _STEP, *, start: int = 0) -> bytearray | None:
    """The block of a file from a byte on, a part's compact JSON; None if not `size` bytes follow."""
    head = f'{{"inlineData":{{"mimeType":{quote(mime)},"data":"'.encode()
    tail = b'"}}'
    block = bytearray(len(head) + (size + 2) // 3 * 4 + len(tail))
    block[: len(head)] = head
    block[-len(tail) :] = tail
    at, left = len(head), size
    file.seek(start)
    while chunk := file.read(step):
        left -= len(chunk)
        if left < 0:
            return None
        text = b2a_base64(chunk, newline=False)
        block[at : at + len(text)] = text
        at += len(text)
    return block if left == 0 else None

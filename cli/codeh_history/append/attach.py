"""`append --attach`: files as parts of a message, large ones straight into the block store."""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import orjson

from ..base.env import Env
from ..base.errors import BadData, InputOutput, Usage
from ..base.escape import quote
from ..base.mime import mime_type
from ..session.model import Json, Part
from ..session.records import BOM

LARGE = 64 * 1024  # a file above this goes to the block store at once
Clean = Callable[[str, Part], Part]  # a file's name and part → the part that is stored
_TEXTS = ("text/", "application/json", "image/svg+xml")  # types that a byte order mark may begin


@dataclass(frozen=True)
class Attached:
    """A file as its message has it: its entry in `attached`, and its part or the block that holds it."""

    about: Json
    data: bytes  # the part's compact JSON; empty where it is in a block already
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


def _attached(env: Env, path: str, number: int, clean: Clean | None) -> Attached:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        raise Usage(f"{path}: no such file") from None
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}") from None
    if not content:
        raise BadData(f"{path}: the file is empty")
    mime = mime_type(content, path)
    if mime.startswith(_TEXTS):
        content = content.removeprefix(BOM)
    name, size = os.path.basename(path).encode("utf-8", "replace").decode(), len(content)
    head = f'{{"inlineData":{{"mimeType":{quote(mime)},"data":"'.encode()
    data = b"".join((head, b2a_base64(content, newline=False), b'"}}'))
    if clean is not None:
        part: Part = orjson.loads(data)
        cleaned = clean(name, part)
        if cleaned is not part:
            data, size = orjson.dumps(cleaned), len(a2b_base64(cleaned["inlineData"]["data"]))
    about: Json = {"name": name, "mimeType": mime, "bytes": size, "part": number}
    return Attached(about, data, None) if size <= LARGE else _stored(env, about, data)


def _stored(env: Env, about: Json, data: bytes) -> Attached:
    import hashlib

    from ..blocks import open_store

    id = hashlib.sha256(data).hexdigest()
    open_store(env).mset({id: data})
    return Attached(about, b"", id)

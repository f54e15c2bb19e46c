"""`append --attach`: files as parts of a message, large ones straight into the block store."""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData
from ...base.input import read_file
from ...base.mime import mime_type
from ...session.model import Json, Part
from ...session.records import BOM, dumps

LARGE = 64 * 1024  # a file above this goes to the block store at once
Clean = Callable[[str, Part], Part]  # a file's name and part → the part that is stored
_TEXTS = ("text/", "application/json", "image/svg+xml")  # types that a byte order mark may begin


class Attached(NamedTuple):
    """A file as its message has it: its entry in `attached`, and its part, or the block that holds it."""

    about: Json
    part: Part
    block: str | None = None


def attach(env: Env, names: Sequence[str], first: int, clean: Clean | None = None) -> list[Attached]:
    """The files as parts `first`, `first + 1`, …; with a large one among them all are blocks, stored.

    `clean` sees each file's part before anything is stored.
    """
    files = [_attached(env, name, first + number, clean) for number, name in enumerate(names)]
    if not any(file.block for file in files):
        return files
    return [file if file.block else _stored(env, file) for file in files]


def _attached(env: Env, path: str, number: int, clean: Clean | None) -> Attached:
    content = read_file(path)
    if not content:
        raise BadData(f"{path}: the file is empty")
    mime = mime_type(content, path)
    if mime.startswith(_TEXTS):
        content = content.removeprefix(BOM)
    name, size = os.path.basename(path).encode("utf-8", "replace").decode(), len(content)
    data = b2a_base64(content, newline=False)
    del content  # of a large file no more copies are held at once than it takes
    part: Part = {"inlineData": {"mimeType": mime, "data": data.decode()}}
    del data
    if clean is not None and (cleaned := clean(name, part)) is not part:
        part, size = cleaned, len(a2b_base64(cleaned["inlineData"]["data"]))
    file = Attached({"name": name, "mimeType": mime, "bytes": size, "part": number}, part)
    return file if size <= LARGE else _stored(env, file)


def _stored(env: Env, file: Attached) -> Attached:
    import hashlib

    from ...store.blocks import open_store

    data = dumps(file.part)
    id = hashlib.sha256(data).hexdigest()
    open_store(env).mset({id: data})
    return Attached(file.about, {}, id)

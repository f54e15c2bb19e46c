"""Build the parts of a message other than its text: tool calls, results, attached files; redact them."""

from __future__ import annotations

import os
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData
from ...base.input import read_file
from ...base.mime import mime_type
from ...base.read_json import json_object, parse_json
from ...base.words import plural
from ...session.model import Any, Json, Part
from ...session.pairing import failed_call
from ...session.records import BOM, MAX_DEPTH, block_of, depth_exceeds, dumps

LARGE = 64 * 1024  # bytes; a larger file goes to the block store
_TEXTS = ("text/", "application/json", "image/svg+xml")  # types that may begin with a byte order mark


def calls(names: Sequence[str], args: Sequence[str], ids: Sequence[str]) -> list[Part]:
    """Return a functionCall part for each name, in order."""
    parts: list[Part] = []
    for name, text, id in zip_longest(names, args, ids):
        value = parse_json(text, "--args") if text is not None else {}
        if not isinstance(value, dict):
            raise BadData("--args: expected a JSON object")
        parts.append({"functionCall": {**({"id": id} if id else {}), "name": name, "args": value}})
    return parts


def result(name: str, id: str | None, text: str, *, failed: bool) -> Part:
    """Return the functionResponse part of a tool's output, or of its error if it failed."""
    response = {"error": failed_call(name, text)} if failed else response_of(text)
    return {"functionResponse": {**({"id": id} if id else {}), "name": name, "response": response}}


def response_of(text: str) -> Json:
    """Return a tool's output as a `response`: a JSON object itself, other text as `{"output": text}`."""
    value = json_object(text) if text.lstrip()[:1] == "{" else None
    # a response is nested five levels deep in its record
    too_deep = value is not None and depth_exceeds(text.encode(), MAX_DEPTH - 5)
    return {"output": text} if value is None or too_deep else value


class Attached(NamedTuple):
    """An attached file: its entry in `attached`, its part, and the id of the block that holds that."""

    entry: Json
    part: Part
    block: str = ""


def attach(env: Env, paths: Sequence[str], first: int, cleaning: Cleaning | None = None) -> list[Attached]:
    """Return the files as parts numbered from `first`; if one is large, store all of them as blocks.

    `cleaning` redacts each file before it is stored.
    """
    files = [_attached(path, number, cleaning) for number, path in enumerate(paths, first)]
    if all(file.entry["bytes"] <= LARGE for file in files):
        return files
    from ...store.blocks import open_store

    files = [file._replace(block=block_of(file.part)) for file in files]
    open_store(env).mset({file.block: dumps(file.part) for file in files})
    return files


def _attached(path: str, number: int, cleaning: Cleaning | None) -> Attached:
    content = read_file(path)
    if not content:
        raise BadData(f"{path}: the file is empty")
    mime = mime_type(content, path)
    if mime.startswith(_TEXTS):
        content = content.removeprefix(BOM)
    name, size = os.path.basename(path).encode("utf-8", "replace").decode(), len(content)
    content = b2a_base64(content, newline=False)
    part: Part = {"inlineData": {"mimeType": mime, "data": content.decode()}}
    if cleaning is not None and (clean := cleaning.file(name, part)) is not part:
        part, size = clean, len(a2b_base64(clean["inlineData"]["data"]))
    return Attached({"name": name, "mimeType": mime, "bytes": size, "part": number}, part)


class Cleaning:
    """Redacts new content before it is stored (`--redact`), and reports what it removed."""

    def __init__(self, env: Env) -> None:
        from ...filters.redact.redactor import Redactor

        self._env = env
        self._redactor = Redactor()

    def value(self, value: Any, key: str) -> Any:
        """Return the JSON value of this key without secrets; the same object if it has none."""
        return self._redactor.value(value, key)

    def file(self, name: str, part: Part) -> Part:
        """Return the part of an attached file without secrets; binary files stay unchanged, with a note."""
        from ...filters.redact.spans import decoded_text

        blob = part["inlineData"]
        if decoded_text(blob["data"]) is None:
            self._env.note(f"{name} ({blob['mimeType']}): stored unchanged: --redact reads only text")
        clean: Part = self._redactor.value(part)
        return clean

    def report(self) -> None:
        """Note the number and kinds of the removed secrets, never their values."""
        if counts := self._redactor.counts:
            self._env.note(f"{plural(counts.total(), 'secret')} removed ({', '.join(sorted(counts))})")

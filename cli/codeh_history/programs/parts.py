"""Parts of messages that several programs' files have, each in its own spelling."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

from ..providers.answers import response_of
from ..providers.media import mime_of, parse_data_url
from ..providers.parts import name_of
from ..session.model import Json, Part


def thought(text: str, signature: object = None) -> Part:
    """What a model thought, with its signature where there is one."""
    signed = {"thoughtSignature": signature} if name_of(signature) else {}
    return {"text": text, "thought": True, **signed}  # type: ignore[typeddict-item]


def result(id: object, name: object, text: str, *, failed: bool, held: list[Part] | None = None) -> Part:
    """What a tool gave for a call; `held`: what of it is no text."""
    response: Json = {"name": name_of(name) or "tool", "response": response_of(text, failed=failed)}
    if name_of(id):
        response = {"id": id, **response}
    part: Any = {"functionResponse": {**response, "parts": held} if held else response}
    return part  # type: ignore[no-any-return]


def texts(parts: Iterable[Part]) -> list[str]:
    """The texts among them, thoughts too."""
    return [part["text"] for part in parts if "text" in part]


def without_texts(parts: Iterable[Part]) -> list[Part]:
    """The others."""
    return [part for part in parts if "text" not in part]


def media(source: object, mime: object, what: object) -> Part:
    """The part of a file that a format only names: by its address, else as a text."""
    name = source if isinstance(source, str) else ""
    if name.startswith("data:"):
        inline = parse_data_url(name)
        if inline is not None:
            return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
    if name.startswith(("https://", "http://", "gs://")):
        kind = name_of(mime) or mime_of(None, name.split("?", 1)[0])
        return {"fileData": {"mimeType": kind, "fileUri": name}}
    return {"text": f"[{name_of(what) or 'file'}: {name or 'without a name'}]"}


def inline(data: bytes, mime: object) -> Part:
    """The part of a file whose bytes are at hand."""
    kind = name_of(mime) or "application/octet-stream"
    return {"inlineData": {"mimeType": kind, "data": b64encode(data).decode()}}

"""Parts of messages that several programs' files have, each in its own spelling."""

from __future__ import annotations

from base64 import b64encode

from ..providers.media import mime_of, parse_data_url
from ..providers.parts import name_of
from ..session.model import Part


def media(source: object, mime: object, kind: object) -> Part:
    """The part of a file that a format only names: by its address, else as a text."""
    name = source if isinstance(source, str) else ""
    if name.startswith("data:"):
        found = parse_data_url(name)
        if found is not None:
            return {"inlineData": {"mimeType": found[0], "data": found[1]}}
    if name.startswith(("https://", "http://", "gs://")):
        return {
            "fileData": {"mimeType": name_of(mime) or mime_of(None, name.split("?", 1)[0]), "fileUri": name}
        }
    return {"text": f"[{name_of(kind) or 'file'}: {name or 'without a name'}]"}


def inline(data: bytes, mime: object) -> Part:
    """The part of a file whose bytes are at hand."""
    kind = name_of(mime) or "application/octet-stream"
    return {"inlineData": {"mimeType": kind, "data": b64encode(data).decode()}}

"""Normalise media parts for requests: a canonical type, standard base64 or a URL, a name."""

from __future__ import annotations

from ..base.lazy import Fields, Pattern
from ..session.model import Any, Part
from .parts import name_of

_ALIASES = {
    "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/x-png": "image/png",
    "audio/mp3": "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/mpeg3": "audio/mpeg",
    "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
    "application/x-pdf": "application/pdf",
}  # fmt: skip
_ENDINGS = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "gif": "image/gif", "pdf": "application/pdf", "wav": "audio/wav", "mp3": "audio/mpeg",
    "mp4": "video/mp4", "txt": "text/plain", "md": "text/markdown", "csv": "text/csv",
    "html": "text/html", "json": "application/json",
}  # fmt: skip
_TEXTS = {
    "application/json", "application/xml", "application/javascript", "application/yaml",
    "application/x-yaml", "application/toml", "application/x-sh", "application/sql",
    "application/x-ndjson",
}  # fmt: skip
_BASE64 = Pattern(r"[A-Za-z0-9+/]+={0,2}")
_DATA_URL = Pattern(r"(?s)data:([^;,]*)((?:;[^;,]*)*?);base64,(.*)")
_NOT_FETCHED = tuple(
    f"https://{host}/" for host in ("generativelanguage.googleapis.com", "www.youtube.com", "youtu.be")
)


class Media(Fields):
    """An image, sound, document or text file.

    `mime` is lower case, without parameters, "" if unknown; `data` is standard padded base64; `url` is
    public. Both are None for a Files API or `gs://` address, and for damaged base64.
    """

    mime: str = ""
    data: str | None = None
    url: str | None = None
    name: str | None = None

    @property
    def textual(self) -> bool:
        return self.mime.startswith("text/") or self.mime in _TEXTS or self.mime.endswith(("+json", "+xml"))

    def text(self) -> str | None:
        """Decode the content of a text file; None if it is not UTF-8."""
        import base64
        import binascii

        try:
            return base64.b64decode(self.data or "", validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return None

    def labelled_text(self) -> str | None:
        """The content of a text file below a line with its name and type; None for other files."""
        text = self.text() if self.textual and self.data is not None else None
        return None if text is None else f"[File {self.name or 'without a name'}, {self.mime}]\n{text}"


def media(part: Part) -> Media | None:
    """The file in an inlineData or fileData part; None for other parts."""
    blob: Any = part.get("inlineData")
    if isinstance(blob, dict):
        name = name_of(blob.get("displayName"))
        return Media(mime=mime_of(blob.get("mimeType"), name), data=base64_of(blob.get("data")), name=name)
    file: Any = part.get("fileData")
    if not isinstance(file, dict):
        return None
    uri, name = name_of(file.get("fileUri")) or "", name_of(file.get("displayName"))
    inline = parse_data_url(uri)
    if inline is not None:
        return Media(mime=inline[0], data=base64_of(inline[1]), name=name)
    mime = mime_of(file.get("mimeType"), uri.split("?", 1)[0])
    fetched = uri.startswith(("https://", "http://")) and not uri.startswith(_NOT_FETCHED)
    return Media(mime=mime, url=uri if fetched else None, name=name)


def mime_of(mime_type: object, name: str | None) -> str:
    """A media type in canonical spelling; if it is invalid, the type by the name's extension, else ""."""
    if isinstance(mime_type, str) and "/" in mime_type:
        mime = mime_type.split(";", 1)[0].strip().lower()
        return _ALIASES.get(mime, mime)
    ending = (name or "").rsplit("/", 1)[-1].rsplit(".", 1)
    return _ENDINGS.get(ending[-1].lower(), "") if len(ending) == 2 else ""


def base64_of(data: object) -> str | None:
    """Convert base64 of either alphabet (Gemini accepts both) to standard, padded; None if invalid."""
    if not isinstance(data, str):
        return None
    if "-" in data or "_" in data:
        data = data.replace("-", "+").replace("_", "/")
    if not _BASE64.fullmatch(data):
        data = "".join(data.split())  # wrapped lines
        if not _BASE64.fullmatch(data):
            return None
    if len(data) % 4:
        data = data.rstrip("=")
        if len(data) % 4 == 1:
            return None
        data += "=" * (-len(data) % 4)
    return data


def parse_data_url(url: str) -> tuple[str, str] | None:
    """The media type and base64 of a `data:` URL; None for other URLs."""
    match = _DATA_URL.fullmatch(url) if url.startswith("data:") else None
    return (mime_of(match[1], None), match[3]) if match else None

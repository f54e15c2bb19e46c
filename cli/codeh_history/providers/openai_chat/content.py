"""The content parts of a Chat Completions message."""

from __future__ import annotations

from ...session.model import Any, Json
from ..media import Media
from ..openai_content import IMAGE_KINDS, IMAGES, Content
from . import NAME

AUDIO = {"audio/wav": "wav", "audio/mpeg": "mp3"}
_MIMES = {format: mime for mime, format in AUDIO.items()}


class ChatContent(Content):
    """Images png, jpeg, webp and gif, inline or by URL; PDF, wav and mp3 inline; text files as text."""

    provider = NAME
    text = "text"
    texts = ("text",)
    urls = {"image_url": ("url",), "file": ("file_data",)}  # noqa: RUF012 - never changed
    nested = True
    unknown = "data of no known type"
    details = ("auto", "low", "high")
    detail = None

    def is_native(self, value: Any) -> bool:
        return isinstance(value, dict) and "type" in value

    def media(self, held: Media, item: Json) -> Json | None:
        if held.mime in IMAGES or (held.url is not None and item.get("type") in IMAGE_KINDS):
            url = held.url or (held.data_url if held.data is not None else None)
            detail = {"detail": item["detail"]} if item.get("detail") in self.details else {}
            return {"type": "image_url", "image_url": {"url": url, **detail}} if url else None
        if held.data is None:
            return None
        if held.mime in AUDIO:
            return {"type": "input_audio", "input_audio": {"data": held.data, "format": AUDIO[held.mime]}}
        if held.mime == "application/pdf":
            file = {"filename": held.name or "file.pdf", "file_data": held.data_url}
            return {"type": "file", "file": file}
        text = held.labelled_text()
        return {"type": "text", "text": text} if text is not None else None

    def read_sound(self, holder: Json) -> Json | None:
        if holder.get("format") not in _MIMES:
            return None
        return {"inlineData": {"mimeType": _MIMES[holder["format"]], "data": holder.get("data")}}


CONTENT = ChatContent()


def joined(content: object) -> str | None:
    """The text of a content that is text, or a list of nothing but text parts; None for any other."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) and content else [None]
    texts = [
        block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        for block in blocks
    ]
    return "".join(map(str, texts)) if all(isinstance(text, str) for text in texts) else None

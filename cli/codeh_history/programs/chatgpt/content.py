"""Contents of ChatGPT's messages → parts, and images that they point to, from the zip of the export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...base.mime import mime_type
from ...providers.parts import listed, name_of, object_of, objects, text_of
from ...session.model import Json, Part
from ..model import Session
from ..parts import inline, texts
from ..protocol import Refused, Source

UNSENT = frozenset(
    ("reasoning_recap", "user_editable_context", "model_editable_context", "app_pairing_content")
)
_POINTERS = {
    "image_asset_pointer": "image", "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}  # fmt: skip
_LIVE = "real_time_user_audio_video_asset_pointer"
_MOST = 16 << 20  # bytes of an image
_ALL = 32 << 20  # bytes of the images of a conversation
_MISSING = "image that is not in the export, or too large"
_IMAGE = re.compile(r"(?:file-service|sediment)://(file[-_][A-Za-z0-9]+)")

Image = Callable[[str], Part | None]  # of a pointer; None where there is none


def parts(content: Json, image: Image = lambda _: None) -> list[Part] | None:
    """The parts of a content; None for one of a type that is not known."""
    kind = content.get("content_type")
    if kind == "thoughts":
        return [{"text": text, "thought": True} for text in _thoughts(content)]
    if kind in ("text", "multimodal_text") or (str(kind) not in _TEXTS and listed(content.get("parts"))):
        return [found for part in listed(content.get("parts")) for found in _found(part, image)]
    read = _TEXTS.get(str(kind))
    text = read(content) if read else text_of(content.get("text"))
    if not text and not read:
        return None
    return [{"text": text}] if text else []


def text(content: Json) -> str:
    """All texts of a content."""
    return "\n".join(texts(parts(content) or ()))


def _thoughts(content: Json) -> Iterator[str]:
    for thought in objects(content.get("thoughts")):
        summary, whole = text_of(thought.get("summary")), text_of(thought.get("content"))
        yield f"**{summary}**\n\n{whole}" if summary and whole else summary or whole


def _found(part: Any, image: Image) -> Iterator[Part]:
    """An element of `parts`: an image that is at hand, else its text, if it has any."""
    held = object_of(part)
    shown = held.get("content_type") == "image_asset_pointer"
    found = image(text_of(held.get("asset_pointer"))) if shown else None
    if found is not None:
        yield found
    elif text := _part(part):
        yield {"text": text}


def _part(part: Any) -> str:
    """The text of an element of `parts`: what is only pointed to is named."""
    if isinstance(part, str):
        return part
    part = object_of(part)
    kind = part.get("content_type")
    if kind == "audio_transcription":
        return text_of(part.get("text"))
    if kind == _LIVE:
        found = (object_of(part.get("audio_asset_pointer")), *objects(part.get("frames_asset_pointers")))
        return "\n".join(
            filter(None, (_part({"content_type": "audio_asset_pointer", **one}) for one in found))
        )
    pointer = name_of(part.get("asset_pointer"))
    if pointer:
        return f"[{_POINTERS.get(str(kind), 'file')}: {pointer}]"
    return text_of(part.get("text"))


def _quote(content: Json) -> str:
    title, url = text_of(content.get("title")), text_of(content.get("url"))
    return "\n".join(filter(None, (title, url, text_of(content.get("text")))))


_TEXTS: dict[str, Callable[[Json], str]] = {
    "code": lambda content: text_of(content.get("text")),
    "execution_output": lambda content: text_of(content.get("text")),
    "system_error": lambda content: text_of(content.get("text")) or text_of(content.get("name")),
    "tether_quote": _quote,
    "sonic_webpage": _quote,
    "tether_browsing_display": lambda content: (
        text_of(content.get("result")) or text_of(content.get("summary"))
    ),
}


class Images:
    """The images of a conversation; what cannot be had is counted."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.left = _ALL

    def part(self, pointer: str) -> Part | None:
        """The part of an image; None where it is not at hand."""
        named = _IMAGE.match(pointer)
        try:
            data = self.source.member(named[1], min(_MOST, self.left)) if named else b""
        except Refused:
            data = b""
        kind = mime_type(data, "")
        if not kind.startswith("image/"):
            self.session.left[_MISSING] += 1
            return None
        self.left -= len(data)
        return inline(data, kind)

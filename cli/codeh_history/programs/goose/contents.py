"""Contents of goose's messages → parts."""

from __future__ import annotations

from typing import Any

from ...providers.parts import listed, name_of, native, object_of, objects, text_of
from ...session.model import Json, Part
from ..conversation import Conversation
from ..parts import thought

FORMATS = {
    "anthropic": "anthropic", "openai": "openai-chat", "google": "gemini", "gemini": "gemini",
    "ollama": "ollama",
}  # fmt: skip


class Contents:
    """Reads the blocks of a session's messages."""

    def __init__(self, talk: Conversation, format: str | None) -> None:
        self.talk = talk
        self.format = format

    def parts(self, blocks: list[Json]) -> list[Any]:
        return [part for block in blocks if (part := self.part(block)) is not None]

    def part(self, block: Json) -> Any:
        """The part of a block; None for one that the model is not sent, which is counted."""
        match block.get("type"):
            case "text" | "image" as kind if not _for_the_agent(block):
                self.talk.session.left[f"{kind} for the user alone"] += 1
                return None
            case "text":
                return {"text": text_of(block.get("text"))}
            case "image":
                return _image(block)
            case "thinking" | "reasoning":
                said = text_of(block.get("thinking")) or text_of(block.get("text"))
                return thought(said, block.get("signature"))
            case "redactedThinking":
                value = {"type": "redacted_thinking", "data": text_of(block.get("data"))}
                return native("anthropic", value)
            case "toolRequest" | "frontendToolRequest":
                call = object_of(object_of(block.get("toolCall")).get("value"))
                return self.talk.call(block.get("id"), call.get("name"), call.get("arguments"))
            case "toolResponse":
                return self.result(block)
            case kind:
                self.talk.session.left[f"content ({kind})"] += 1
                return None

    def result(self, block: Json) -> Part:
        given = object_of(block.get("toolResult"))
        value = given.get("value")
        failed = given.get("status") == "error" or object_of(value).get("isError") is True
        items = listed(value) or listed(object_of(value).get("content"))
        seen = [item for item in objects(items) if _for_the_agent(item)]
        texts = [_text(item) for item in seen if item.get("type") != "image"]
        text = (
            text_of(given.get("error"))
            if given.get("status") == "error"
            else "\n".join(filter(None, texts))
        )
        held = [_image(item) for item in seen if item.get("type") == "image"]
        return self.talk.result(block.get("id"), None, text, failed=failed, held=held)


def _for_the_agent(block: Json) -> bool:
    audience = object_of(block.get("annotations")).get("audience")
    return not isinstance(audience, list) or "assistant" in audience


def _image(block: Json) -> Part:
    mime = name_of(block.get("mimeType")) or "image/png"
    return {"inlineData": {"mimeType": mime, "data": text_of(block.get("data"))}}


def _text(item: Json) -> str:
    """The text of a result, also of a resource in it."""
    return text_of(item.get("text")) or text_of(object_of(item.get("resource")).get("text"))

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


def parts(blocks: list[Json], talk: Conversation) -> list[Any]:
    """The parts of the blocks that the model is sent."""
    return [part for block in blocks if (part := _part(block, talk)) is not None]


def _part(block: Json, talk: Conversation) -> Any:
    """The part of a block; None for one that the model is not sent, which is counted."""
    match block.get("type"):
        case "text" | "image" as kind if not _for_the_agent(block):
            talk.session.left[f"{kind} for the user alone"] += 1
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
            return talk.call(block.get("id"), call.get("name"), call.get("arguments"))
        case "toolResponse":
            return _result(block, talk)
        case kind:
            talk.session.left[f"content ({kind})"] += 1
            return None


def _result(block: Json, talk: Conversation) -> Part:
    given = object_of(block.get("toolResult"))
    value, error = given.get("value"), given.get("status") == "error"
    failed = error or object_of(value).get("isError") is True
    items = listed(value) or listed(object_of(value).get("content"))
    seen = [item for item in objects(items) if _for_the_agent(item)]
    texts = [_text(item) for item in seen if item.get("type") != "image"]
    text = text_of(given.get("error")) if error else "\n".join(filter(None, texts))
    held = [_image(item) for item in seen if item.get("type") == "image"]
    return talk.result(block.get("id"), None, text, failed=failed, held=held)


def _for_the_agent(block: Json) -> bool:
    audience = object_of(block.get("annotations")).get("audience")
    return not isinstance(audience, list) or "assistant" in audience


def _image(block: Json) -> Part:
    mime = name_of(block.get("mimeType")) or "image/png"
    return {"inlineData": {"mimeType": mime, "data": text_of(block.get("data"))}}


def _text(item: Json) -> str:
    """The text of a result, also of a resource in it."""
    return text_of(item.get("text")) or text_of(object_of(item.get("resource")).get("text"))

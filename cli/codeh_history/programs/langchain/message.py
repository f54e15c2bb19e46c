"""Messages of LangChain → kinds and parts of ours."""

from __future__ import annotations

from typing import Any

from ...providers import usage
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import Json, Part
from ..conversation import Conversation
from ..parts import media, texts, thought, without_texts

_PROVIDERS = {
    "openai": "openai-chat", "anthropic": "anthropic", "google_genai": "gemini", "google-genai": "gemini",
    "google_vertexai": "gemini", "ollama": "ollama",
}  # fmt: skip
_ROLES = {"user": "human", "assistant": "ai"}
_CALLS = ("tool_use", "tool_call", "function_call", "input_json_delta", "tool_call_chunk")  # said twice


def data_of(message: Json) -> tuple[str, Json]:
    """The type of a message (human, ai, …) and its fields, in either form."""
    data = object_of(message.get("data")) or object_of(message.get("kwargs"))
    kind = text_of(message.get("type"))
    if kind == "constructor":
        kind = name_of(data.get("type")) or str(message["id"][-1])
    kind = kind.removesuffix("Chunk").removesuffix("Message").lower()
    if kind == "chat":
        kind = text_of(data.get("role"))
    return _ROLES.get(kind, kind), data


class Reader:
    """Adds messages to a conversation."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk

    def message(self, message: Json) -> None:
        kind, data = data_of(message)
        match kind:
            case "system" if not self.talk.session.items:
                self.talk.system("\n\n".join(texts(self.parts(data))))
            case "human" | "system":
                item = {"role": kind} if kind == "system" else None
                self.talk.add("user", self.parts(data), id=data.get("id"), item=item)
            case "ai":
                self.said(data)
            case "tool" | "function":
                self.result(data)
            case _:
                self.talk.session.left[f"message of type {kind or 'unknown'}"] += 1

    def parts(self, data: Json) -> list[Any]:
        content = data.get("content")
        blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
        return [part for block in blocks if (part := self.part(block)) is not None]

    def part(self, block: Any) -> Any:
        """The part of a content block; None for one that is said elsewhere, or not known."""
        if isinstance(block, str):
            return {"text": block}
        block = object_of(block)
        match block.get("type"):
            case "text":
                return {"text": text_of(block.get("text"))}
            case "thinking" | "reasoning":
                said = text_of(block.get("thinking")) or text_of(block.get("reasoning"))
                return thought(said, block.get("signature"))
            case "image_url" | "image" | "audio" | "video" | "file":
                return _media(block)
            case kind if kind not in _CALLS:
                self.talk.session.left[f"block ({kind})"] += 1
        return None

    def said(self, data: Json) -> None:
        more, about = object_of(data.get("additional_kwargs")), object_of(data.get("response_metadata"))
        parts = self.parts(data)
        reasoning = text_of(more.get("reasoning_content"))
        if reasoning:
            parts.insert(0, thought(reasoning))
        made = [*objects(data.get("tool_calls")), *objects(data.get("invalid_tool_calls"))]
        parts += [self.talk.call(one.get("id"), one.get("name"), one.get("args")) for one in made]
        older = [*objects(more.get("tool_calls")), {"function": more.get("function_call")}]
        for one in older if not made else ():
            if function := object_of(one.get("function")):
                parts.append(self.talk.call(one.get("id"), function.get("name"), function.get("arguments")))
        model = name_of(about.get("model_name")) or name_of(about.get("model"))
        self.talk.add(
            "codeh", parts, id=data.get("id"), model=model, usage=_usage(data.get("usage_metadata")),
            provider=_PROVIDERS.get(text_of(about.get("model_provider"))),
            finish=name_of(about.get("finish_reason")) or name_of(about.get("stop_reason")),
        )  # fmt: skip

    def result(self, data: Json) -> None:
        parts = self.parts(data)
        text, held = "\n".join(texts(parts)), without_texts(parts)
        failed = data.get("status") == "error"
        made = self.talk.result(data.get("tool_call_id"), data.get("name"), text, failed=failed, held=held)
        self.talk.add("tool", [made], id=data.get("id"))


def _media(block: Json) -> Part:
    source = object_of(block.get("source"))
    mime = block.get("mime_type") or source.get("media_type")
    data = name_of(block.get("base64")) or name_of(block.get("data")) or name_of(source.get("data"))
    if data:
        return {"inlineData": {"mimeType": name_of(mime) or "application/octet-stream", "data": data}}
    url = block.get("image_url")
    address = (
        object_of(url).get("url") or url or block.get("url") or source.get("url") or block.get("file_id")
    )
    return media(address, mime, "image" if block.get("type") == "image_url" else block.get("type"))


_USAGE = {
    "input": "input_tokens", "output": "output_tokens", "cached": "input_token_details.cache_read",
    "cacheWrite": "input_token_details.cache_creation", "reasoning": "output_token_details.reasoning",
    "total": "total_tokens",
}  # fmt: skip


def _usage(raw: Any) -> Json | None:
    return usage.read(object_of(raw), _USAGE)

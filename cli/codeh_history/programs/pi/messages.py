"""Messages of pi → kinds and parts of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...base.read_json import json_object
from ...providers import usage
from ...providers.parts import call, name_of, native, object_of, objects, text_of
from ...session.model import Json, Part
from .. import parts
from ..model import told

_FORMATS = {  # by the API that a message came through
    "anthropic-messages": "anthropic", "bedrock-converse-stream": "anthropic",
    "openai-responses": "openai-responses", "openai-codex-responses": "openai-responses",
    "azure-openai-responses": "openai-responses", "openai-completions": "openai-chat",
    "google-generative-ai": "gemini", "google-gemini-cli": "gemini", "google-vertex": "gemini",
}  # fmt: skip
_SIGNED = ("anthropic", "gemini")  # whose signatures stand on the part that they sign
BRANCH = """\
The following is a summary of a branch that this conversation came back from:

<summary>
{}</summary>"""


def content(given: Any, provider: str | None = None) -> list[Part]:
    """The parts of a content: a text, or a list of blocks."""
    if isinstance(given, str):
        return [{"text": given}] if given else []
    return [part for block in objects(given) for part in _part(block, provider)]


def _part(block: Json, provider: str | None) -> Iterator[Any]:
    match block.get("type"):
        case "text":
            if text_of(block.get("text")):
                yield {"text": block["text"]}
        case "thinking":
            yield from _thought(block, provider)
        case "toolCall":
            part: Any = call(block.get("id"), text_of(block.get("name")), block.get("arguments"))
            signature = name_of(block.get("thoughtSignature"))
            yield {**part, "thoughtSignature": signature} if signature else part
        case "image":
            mime, data = text_of(block.get("mimeType")), text_of(block.get("data"))
            yield {"inlineData": {"mimeType": mime, "data": data}}
        case _:
            yield native("pi", block)


def _thought(block: Json, provider: str | None) -> Iterator[Any]:
    signature, text = name_of(block.get("thinkingSignature")), text_of(block.get("thinking"))
    if provider == "openai-responses" and signature:
        item = json_object(signature)
        if item is not None:
            yield native(provider, item)
            return
    if block.get("redacted") is True and provider == "anthropic":
        yield native(provider, {"type": "redacted_thinking", "data": signature or ""})
    elif text or signature:
        yield parts.thought(text, signature if provider in _SIGNED else None)


_USAGE = {
    "input": "input cacheRead cacheWrite", "output": "output", "cached": "cacheRead",
    "cacheWrite": "cacheWrite", "total": "totalTokens",
}  # fmt: skip


def model_fields(message: Json) -> Json:
    """What a model's message says besides its parts."""
    used = usage.read(object_of(message.get("usage")), _USAGE)
    return told(
        provider=_FORMATS.get(text_of(message.get("api"))), model=name_of(message.get("model")),
        finish=name_of(message.get("stopReason")), response=name_of(message.get("responseId")), usage=used,
    )  # fmt: skip


def result(message: Json) -> Part:
    """The part of a tool's result."""
    given = content(message.get("content"))
    return parts.result(
        message.get("toolCallId"), message.get("toolName"), "\n".join(parts.texts(given)),
        failed=message.get("isError") is True, held=parts.without_texts(given),
    )  # fmt: skip


def shell(message: Json) -> str:
    """What the model reads of a command that the user ran."""
    output = text_of(message.get("output"))
    text = f"Ran `{text_of(message.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled") is True:
        text += "\n\n(command cancelled)"
    elif message.get("exitCode"):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    if message.get("truncated") is True and name_of(message.get("fullOutputPath")):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text

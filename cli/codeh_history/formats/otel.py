"""`otel`: a conversation's last request and answer by OpenTelemetry's GenAI conventions, one JSON object.

It has the attributes of a span (Development status): https://opentelemetry.io/docs/specs/semconv/gen-ai/
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from ..providers.parts import arguments, name_of, objects
from ..session.model import Json, Message, Part
from ..session.view import View
from . import Exported
from .interchange import USAGE, counts, mime_of, modality_of, prepare, renamed

_PROVIDERS = {
    "anthropic": "anthropic", "gemini": "gcp.gemini", "openai-chat": "openai", "openai-responses": "openai",
}  # fmt: skip
_USAGE = {
    "input": "gen_ai.usage.input_tokens",
    "output": "gen_ai.usage.output_tokens",
    "cached": "gen_ai.usage.cache_read.input_tokens",
    "cacheWrite": "gen_ai.usage.cache_creation.input_tokens",
}
_FINISH = {
    "end_turn": "stop", "stop_sequence": "stop", "completed": "stop", "max_tokens": "length",
    "incomplete": "length", "tool_use": "tool_call", "tool_calls": "tool_call", "safety": "content_filter",
    "refusal": "content_filter",
}  # fmt: skip


def export(view: View) -> Exported:
    """Export the last request as `gen_ai.input.messages`, its answer as `gen_ai.output.messages`."""
    conversation = prepare(view)
    sent, answer = conversation.messages, None
    if sent and sent[-1].role == "model":
        sent, answer = sent[:-1], sent[-1]
    provider = next(
        (message.provider for message in reversed(conversation.messages) if message.provider), None
    )
    opening = [_message("user", [{"text": conversation.opening}])] if conversation.opening else []
    value: Json = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": view.id,
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider) if provider else None,
        "gen_ai.request.model": conversation.model,
        "gen_ai.system_instructions": [{"type": "text", "content": conversation.system}]
        if conversation.system
        else None,
        "gen_ai.tool.definitions": conversation.tools or None,
        "gen_ai.input.messages": [*opening, *map(_input_message, sent)],
        "gen_ai.output.messages": [],
        **(_answer_attributes(answer) if answer else {}),
    }
    conversation.left_out[f"earlier {USAGE}"] += sum(bool(counts(message)) for message in sent)
    attributes = {key: attribute for key, attribute in value.items() if attribute is not None}
    return Exported(orjson.dumps(attributes, option=orjson.OPT_APPEND_NEWLINE), conversation.left_out)


def _answer_attributes(message: Message) -> Json:
    """Return the attributes of the answer: text, finish reason, usage."""
    finish = name_of(message.fields.get("finish"))
    reason = _FINISH.get(finish.lower(), finish.lower()) if finish else "stop"
    return {
        "gen_ai.response.id": name_of(message.fields.get("responseId") or message.fields.get("response")),
        "gen_ai.response.model": message.model,
        "gen_ai.response.finish_reasons": [reason],
        **renamed(counts(message), _USAGE),
        "gen_ai.output.messages": [{**_message("assistant", message.parts), "finish_reason": reason}],
    }


def _message(role: str, parts: Sequence[Part]) -> Json:
    return {"role": role, "parts": list(map(_part, parts))}


def _input_message(message: Message) -> Json:
    results = message.parts and all("functionResponse" in part for part in message.parts)
    role = "assistant" if message.role == "model" else "tool" if results else "user"
    return _message(role, message.parts)


def _part(part: Any) -> Json:
    if "text" in part:
        return {"type": "reasoning" if part.get("thought") else "text", "content": part["text"]}
    if "functionCall" in part:
        call = part["functionCall"]
        return {"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": arguments(part)}
    if "functionResponse" in part:
        result = part["functionResponse"]
        files = list(map(_part, objects(result.get("parts"))))
        return {
            "type": "tool_call_response", "id": result.get("id"), "response": result.get("response"),
            **({"parts": files} if files else {}),
        }  # fmt: skip
    mime = mime_of(part)
    about = {"modality": modality_of(mime), "mime_type": mime}
    if "inlineData" in part:
        return {"type": "blob", **about, "content": part["inlineData"].get("data", "")}
    if "fileData" in part:
        return {"type": "uri", **about, "uri": str(part["fileData"].get("fileUri", ""))}
    return {"type": "native", **part}

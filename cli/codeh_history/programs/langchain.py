"""LangChain's dumps: messages as `{type, data}` (`messages_to_dict`) or `{lc, kwargs}` (`dumps`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..providers import usage
from ..providers.parts import listed, name_of, object_of, objects, text_of
from ..session.model import Json, Part
from . import source as values
from .builder import Builder, Names, media, opening, texts, thought
from .model import Problem, Session
from .protocol import Head, Program, Refused, Source

_TYPES = frozenset(
    "human ai system tool function chat remove HumanMessageChunk AIMessageChunk SystemMessageChunk"
    " ToolMessageChunk FunctionMessageChunk ChatMessageChunk".split()
)
_USERS = ("human", "HumanMessage", "HumanMessageChunk", "user")
_PROVIDERS = {
    "openai": "openai-chat", "anthropic": "anthropic", "google_genai": "gemini", "google-genai": "gemini",
    "google_vertexai": "gemini", "ollama": "ollama",
}  # fmt: skip
_ROLES = {"user": "human", "assistant": "ai"}
_CALLS = (  # elsewhere in the message too
    "tool_use", "tool_call", "function_call", "input_json_delta", "tool_call_chunk",
)  # fmt: skip
_USAGE = {
    "input": "input_tokens", "output": "output_tokens", "cached": "input_token_details.cache_read",
    "cacheWrite": "input_token_details.cache_creation", "reasoning": "output_token_details.reasoning",
    "total": "total_tokens",
}  # fmt: skip


def recognises(head: Head) -> bool:
    return any(_is_message(value) or any(map(_is_message, _messages(value)[:3])) for value in head.values)


def _is_message(value: Any) -> bool:
    """Whether this is a message in one of the two forms."""
    if not isinstance(value, dict):
        return False
    data, kind, id = value.get("data"), value.get("type"), value.get("id")
    if isinstance(kind, str) and kind in _TYPES and isinstance(data, dict) and "content" in data:
        return True
    named = isinstance(id, list) and bool(id) and "Message" in str(id[-1])
    return "lc" in value and named and isinstance(value.get("kwargs"), dict)


def _messages(value: Json) -> list[Any]:
    """The messages that an object holds: a prompt, a history, a state."""
    holders = (value, value.get("kwargs"), value.get("values"), value.get("channel_values"))
    lists = (object_of(holder).get("messages") for holder in holders)
    return next((held for held in lists if isinstance(held, list)), [])


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


def read(source: Source, program: Program) -> Iterable[Session]:
    """The conversations of a file: a list of messages is one, else each object that holds some."""
    names = Names()
    if any(map(_is_message, source.head.values)):
        problems: list[Problem] = []
        messages = [value for _, value in values.objects(source, problems)]
        if not messages:
            raise Refused("no messages in it")
        session = _session(program.name, messages, None, names)
        session.problems += problems
        return [session]
    return values.sessions(source, lambda value, number: _held(program.name, value, number, names))


def _held(program: str, value: Json, number: int, names: Names) -> Session:
    id = value.get("thread_id") or value.get("session_id")
    id = id or object_of(value.get("kwargs")).get("session_id")
    session = _session(program, _messages(value), id, names)
    if not session.items:
        session.problem(0, "skips", f"object {number}: no messages in it")
    return session


def _session(program: str, items: list[Json], id: object, names: Names) -> Session:
    kinds = [{"role": data_of(item)[0]} if _is_message(item) else {} for item in items]
    session = Session(program, names.id(id, items[: len(opening(kinds, "role", _USERS))]))
    talk = Builder(session)
    for talk.number, item in enumerate(items, 1):
        if _is_message(item):
            add_message(talk, item)
        else:
            session.problem(0, "skips", f"message {talk.number}: not one of LangChain's")
    return session


def add_message(talk: Builder, message: Json) -> None:
    """Add a message to a session; what it holds that is not sent is counted."""
    kind, data = data_of(message)
    parts = parts_of(talk, data)
    id = data.get("id")
    match kind:
        case "system" if not talk.session.items:
            talk.system("\n\n".join(texts(parts)))
        case "human" | "system":
            talk.add("user", parts, id=id, item={"role": kind} if kind == "system" else None)
        case "ai":
            about = object_of(data.get("response_metadata"))
            reasoning = text_of(object_of(data.get("additional_kwargs")).get("reasoning_content"))
            thoughts = [thought(reasoning)] if reasoning else []
            talk.add(
                "codeh", [*thoughts, *parts, *_calls(talk, data)], id=id,
                model=name_of(about.get("model_name")) or name_of(about.get("model")),
                usage=usage.read(object_of(data.get("usage_metadata")), _USAGE),
                provider=_PROVIDERS.get(text_of(about.get("model_provider"))),
                finish=name_of(about.get("finish_reason")) or name_of(about.get("stop_reason")),
            )  # fmt: skip
        case "tool" | "function":
            failed = data.get("status") == "error"
            made = talk.result_of(data.get("tool_call_id"), data.get("name"), parts, failed=failed)
            talk.add("tool", [made], id=id)
        case _:
            talk.session.left[f"message of type {kind or 'unknown'}"] += 1


def parts_of(talk: Builder, data: Json) -> list[Any]:
    """The parts of a message's content."""
    content = data.get("content")
    blocks = [content] if isinstance(content, str) else listed(content)
    return [part for block in blocks if (part := _part(talk, block)) is not None]


def _part(talk: Builder, block: Any) -> Any:
    """The part of a content block; None for one that is said elsewhere, or not known."""
    if isinstance(block, str):
        return {"text": block}
    block = object_of(block)
    match block.get("type"):
        case "text":
            return {"text": text_of(block.get("text"))}
        case "thinking" | "reasoning":
            text = text_of(block.get("thinking")) or text_of(block.get("reasoning"))
            return thought(text, block.get("signature"))
        case "image_url" | "image" | "audio" | "video" | "file":
            return _media(block)
        case kind if kind not in _CALLS:
            talk.session.left[f"block ({kind})"] += 1
    return None


def _calls(talk: Builder, data: Json) -> list[Part]:
    """The calls of an answer, in the newer form or the older one."""
    calls = [*objects(data.get("tool_calls")), *objects(data.get("invalid_tool_calls"))]
    if calls:
        return [talk.call(call.get("id"), call.get("name"), call.get("args")) for call in calls]
    more = object_of(data.get("additional_kwargs"))
    older = [*objects(more.get("tool_calls")), {"function": more.get("function_call")}]
    functions = ((call.get("id"), object_of(call.get("function"))) for call in older)
    return [talk.call(id, made.get("name"), made.get("arguments")) for id, made in functions if made]


def _media(block: Json) -> Part:
    source = object_of(block.get("source"))
    mime = block.get("mime_type") or source.get("media_type")
    data = name_of(block.get("base64")) or name_of(block.get("data")) or name_of(source.get("data"))
    if data:
        return {"inlineData": {"mimeType": name_of(mime) or "application/octet-stream", "data": data}}
    url = object_of(block.get("image_url")).get("url") or block.get("image_url") or block.get("url")
    kind = "image" if block.get("type") == "image_url" else block.get("type")
    return media(url or source.get("url") or block.get("file_id"), mime, kind)


PROGRAM = Program("langchain", "LangChain", __name__, recognises)

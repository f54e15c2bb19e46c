"""Read LangChain's dumps: messages as `{type, data}` (`messages_to_dict`) or `{lc, kwargs}` (`dumps`)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ..providers.parts import blocks_of
from ..session.model import Json, Part
from . import parts
from . import source as json_values
from .fields import answer_fields, at, name_at, object_at, objects_at, text_at
from .model import Problem, Session
from .parts import ConversationIds, inline, media, opening, texts, thought
from .protocol import Head, Program, Source

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
_CALLS = (  # blocks that a field of the message repeats
    "tool_use", "tool_call", "function_call", "input_json_delta", "tool_call_chunk",
)  # fmt: skip
_URLS = ("image_url.url", "image_url", "url", "source.url", "file_id")
_ANSWER = {"model": "response_metadata.model_name response_metadata.model", "usage": "usage_metadata"}
_FINISH = ("response_metadata.finish_reason", "response_metadata.stop_reason")
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
    """The messages in an object, which may be a prompt, a history or a state."""
    holders = (value, value.get("kwargs"), value.get("values"), value.get("channel_values"))
    lists = (at(holder, "messages") for holder in holders)
    return next((messages for messages in lists if isinstance(messages, list)), [])


def data_of(message: Json) -> tuple[str, Json]:
    """The type of a message (human, ai, …) and its fields."""
    data, kind = object_at(message, "data") or object_at(message, "kwargs"), text_at(message, "type")
    if kind == "constructor":
        kind = name_at(data, "type") or str(message["id"][-1])
    kind = kind.removesuffix("Chunk").removesuffix("Message").lower()
    if kind == "chat":
        kind = text_at(data, "role")
    return _ROLES.get(kind, kind), data


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield the conversations of a file: one for a list of messages, else one per object with messages."""
    ids = ConversationIds()
    if any(map(_is_message, source.head.values)):
        problems: list[Problem] = []
        messages = [value for _, value in json_values.objects(source, problems)]
        session = _session(program.name, messages, None, ids)
        session.problems += problems
        return [session]

    def conversation(value: Json, number: int) -> Session:
        id = value.get("thread_id") or value.get("session_id") or at(value, "kwargs.session_id")
        session = _session(program.name, _messages(value), id, ids)
        if not session.items:
            session.problem(0, "skips", f"object {number}: no messages in it")
        return session

    return json_values.sessions(source, conversation)


def _session(program: str, items: list[Json], id: object, ids: ConversationIds) -> Session:
    kinds = [{"role": data_of(item)[0]} if _is_message(item) else {} for item in items]
    beginning = items[: len(opening(kinds, "role", _USERS))]
    session = Session(program, ids.assign(id, beginning), id_repeats=True)
    for session.number, item in enumerate(items, 1):
        if _is_message(item):
            add_message(session, item)
        else:
            session.problem(0, "skips", f"message {session.number}: not one of LangChain's")
    return session


def add_message(session: Session, message: Json) -> None:
    """Add a message to a session; count one of an unknown type."""
    kind, data = data_of(message)
    content, id = parts_of(session, data), data.get("id")
    match kind:
        case "system" if not session.items:
            session.system("\n\n".join(texts(content)))
        case "human" | "system":
            session.add("user", content, id=id, item={"role": kind} if kind == "system" else None)
        case "ai":
            provider = _PROVIDERS.get(text_at(data, "response_metadata.model_provider"))
            reasoning = thought(text_at(data, "additional_kwargs.reasoning_content"))
            fields = {**answer_fields(data, _ANSWER, _USAGE), "provider": provider}
            fields["finish"] = name_at(data, *_FINISH)
            session.add("codeh", [reasoning, *content, *_calls(session, data)], id=id, **fields)
        case "tool" | "function":
            failed = data.get("status") == "error"
            part = session.result(data.get("tool_call_id"), data.get("name"), content, failed=failed)
            session.add("tool", [part], id=id)
        case _:
            session.skip(f"message of type {kind or 'unknown'}")


def _calls(session: Session, data: Json) -> list[Part]:
    """The parts of an answer's calls, in the newer or the older form."""
    calls = [*objects_at(data, "tool_calls"), *objects_at(data, "invalid_tool_calls")]
    if calls:
        return session.calls(calls, "id", "name", "args")
    calls = [*objects_at(data, "additional_kwargs.tool_calls")]
    calls.append({"function": at(data, "additional_kwargs.function_call")})
    called = (call for call in calls if object_at(call, "function"))
    return session.calls(called, "id", "function.name", "function.arguments")


def parts_of(session: Session, data: Json) -> list[Part]:
    """The parts of a message's content; unknown blocks are counted."""
    content = data.get("content")
    if isinstance(content, list):  # of blocks and strings
        content = [block for item in content for block in (blocks_of(item) or [item])]
    return parts.parts_of(content, partial(_part, session))


def _part(session: Session, block: Json) -> Part | None:
    match block.get("type"):
        case "image_url" | "image" | "audio" | "video" | "file" as kind:
            mime = block.get("mime_type") or at(block, "source.media_type")
            if file := name_at(block, "base64", "data", "source.data"):
                return inline(file, mime)
            return media(name_at(block, *_URLS), mime, kind.removesuffix("_url"))
        case kind if kind in _CALLS:
            return None
    return session.part(block)


PROGRAM = Program("langchain", "LangChain", recognises, read)

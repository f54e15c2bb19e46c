"""A message of opencode and its parts → entries, a step of a model at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...providers import usage
from ...providers.parts import call, name_of, native, object_of, objects, text_of
from ...session.model import Json, Part
from ..model import Entry, Piece, omit_empty
from ..parts import result
from ..records import made_id, time_of

CLEARED = "[Old tool result content cleared]"  # what stands for an output that was pruned
_SUBTASK = "The following tool was executed by the user"
_UNSENT = ("text/plain", "application/x-directory")  # files whose text stands beside them
_ASIDE = ("step-finish", "snapshot", "patch", "agent", "retry", "compaction")
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,(.*)", re.DOTALL)
_FORMATS = {  # by the provider that a model is of
    "anthropic": "anthropic", "openai": "openai-responses", "google": "gemini", "google-vertex": "gemini",
    "google-vertex-anthropic": "anthropic",
}  # fmt: skip
_OTHERS = "openai-chat"


class Message(NamedTuple):
    """A message with its parts, in their order, and which of the session it is."""

    number: int
    info: Json
    parts: Sequence[Json]

    @property
    def id(self) -> str:
        return name_of(self.info.get("id")) or made_id("message", self.number)

    @property
    def is_users(self) -> bool:
        return self.info.get("role") == "user"

    def has(self, type: str) -> bool:
        return any(part.get("type") == type for part in self.parts)

    def is_sent(self) -> bool:
        """Whether the program sends an answer: none that failed, but what one that was aborted had said."""
        error = self.info.get("error")
        if not error:
            return True
        some = any(part.get("type") not in ("step-start", "reasoning") for part in self.parts)
        return object_of(error).get("name") == "MessageAbortedError" and some

    def text(self) -> str:
        """What it says, thoughts aside."""
        texts = [text_of(part.get("text")) for part in self.parts if part.get("type") == "text"]
        return "\n\n".join(text for text in texts if text)

    @property
    def created(self) -> float:
        created = object_of(self.info.get("time")).get("created")
        return created if isinstance(created, int | float) else 0

    @property
    def ts(self) -> str | None:
        return time_of(object_of(self.info.get("time")).get("created"))


def unknown(message: Message) -> Iterator[str]:
    """The types of parts that no version known writes."""
    types = ("text", "file", "tool", "reasoning", "step-start", "subtask", *_ASIDE)
    yield from (f"{part.get('type')} part" for part in message.parts if part.get("type") not in types)


def entries(message: Message, *, last: bool) -> Iterator[Entry]:
    """A prompt, or an answer: each step of it is a message, and one of its results.

    What the `last` one is still writing is left out: it is read when it stands there.
    """
    if not message.is_users:
        yield from _answer(message, last=last)
        return
    pieces = [Piece(message.number, [part]) for part in map(_users, message.parts) if part is not None]
    if pieces:
        yield Entry(message.id, "user", message.ts, pieces)


def _users(part: Json) -> Any:
    kind = part.get("type")
    if kind == "text" and text_of(part.get("text")) and part.get("ignored") is not True:
        return {"text": part["text"]}
    if kind == "file" and part.get("mime") not in _UNSENT:
        return _file(part)
    return {"text": _SUBTASK} if kind == "subtask" else None


def _file(part: Json) -> Any:
    """An image or another file, as it lies in a URL of its data or somewhere else."""
    url, mime = text_of(part.get("url")), text_of(part.get("mime"))
    data = _DATA_URL.fullmatch(url)
    if data:
        return {"inlineData": {"mimeType": mime or data[1], "data": data[2]}}
    return {"fileData": {"mimeType": mime, "fileUri": url}}


def _answer(message: Message, *, last: bool) -> Iterator[Entry]:
    info = message.info
    writing = last and not object_of(info.get("time")).get("completed") and not info.get("error")
    provider = _FORMATS.get(text_of(info.get("providerID")), _OTHERS)
    steps = [step for step in _steps(message.parts) if step]
    for number, step in enumerate(steps):
        id = message.id if number == 0 else f"{message.id}.{number}"
        fields = _fields(info, provider, used=number == len(steps) - 1)
        kept = [part for part in step if not (writing and _is_open(part))]
        answer = [Piece(message.number, [new]) for part in kept for new in _answer_parts(part, provider)]
        if answer:
            yield Entry(id, "codeh", message.ts, answer, fields)
        tools = [part for part in kept if part.get("type") == "tool"]
        tools.sort(key=_ended)
        results = [Piece(message.number, [part]) for tool in tools for part in _result(tool)]
        if results:
            yield Entry(f"{id}.results", "tool", message.ts, results)


def _steps(parts: Sequence[Json]) -> Iterator[list[Json]]:
    step: list[Json] = []
    for part in parts:
        if part.get("type") == "step-start":
            yield step
            step = []
        else:
            step.append(part)
    yield step


def _is_open(part: Json) -> bool:
    """Whether a part is being written: a text that has begun, a call whose arguments are not there yet."""
    if part.get("type") == "tool":
        return object_of(part.get("state")).get("status") == "pending"
    time = object_of(part.get("time"))
    return "start" in time and "end" not in time


def _answer_parts(part: Json, provider: str) -> Iterator[Any]:
    kind, text = part.get("type"), text_of(part.get("text"))
    signed = _signature(part, provider)
    if kind == "text" and text:
        yield {"text": text}
    elif kind == "reasoning":
        redacted = object_of(object_of(part.get("metadata")).get("anthropic")).get("redactedData")
        if name_of(redacted) and provider == "anthropic":
            yield native(provider, {"type": "redacted_thinking", "data": redacted})
        elif text or signed:
            yield {"text": text, "thought": True, **signed}
    elif kind == "tool":
        name = name_of(part.get("tool")) or "tool"
        made: Any = call(part.get("callID"), name, object_of(part.get("state")).get("input"))
        yield {**made, **signed}


def _signature(part: Json, provider: str) -> Json:
    """The signature of a thought, or of a call, by whom it was made."""
    metadata = object_of(part.get("metadata"))
    signature = {
        "anthropic": object_of(metadata.get("anthropic")).get("signature"),
        "gemini": object_of(metadata.get("google")).get("thoughtSignature"),
    }.get(provider)
    return {"thoughtSignature": signature} if name_of(signature) else {}


def _ended(tool: Json) -> float:
    """When a call ended: later results come behind those that are there."""
    end = object_of(object_of(tool.get("state")).get("time")).get("end")
    return end if isinstance(end, int | float) else 0


def _result(tool: Json) -> Iterator[Part]:
    """The part of a call's result; none where it has none."""
    state = object_of(tool.get("state"))
    status, about = state.get("status"), object_of(state.get("metadata"))
    pruned = bool(object_of(state.get("time")).get("compacted"))
    if status == "completed":
        text, failed = CLEARED if pruned else text_of(state.get("output")), False
    elif status == "error":
        kept = about.get("output") if about.get("interrupted") is True else None
        text, failed = (kept, False) if isinstance(kept, str) else (text_of(state.get("error")), True)
    else:
        return
    held = [] if pruned else [_file(file) for file in objects(state.get("attachments"))]
    yield result(tool.get("callID"), tool.get("tool"), text, failed=failed, held=held)


_USAGE = {
    "input": "input cache.read cache.write", "output": "output reasoning", "cached": "cache.read",
    "cacheWrite": "cache.write", "reasoning": "reasoning", "total": "total",
}  # fmt: skip


def _fields(info: Json, provider: str, *, used: bool) -> Json:
    raw = object_of(info.get("tokens")) if used else {}
    counted = usage.read(raw, _USAGE)
    model, finish = name_of(info.get("modelID")), name_of(info.get("finish"))
    return omit_empty(provider=provider, model=model, finish=finish, usage=counted)

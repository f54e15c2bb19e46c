"""Read ChatGPT's export: `conversations.json` (or its shards, or the zip), a list of trees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..base.mime import mime_type
from ..providers.parts import object_of
from ..session.model import Json, Part
from . import source as json_values
from .fields import answer_fields, at, hash_id, list_at, name_at, object_at, objects_at, seconds, text_at
from .model import ABANDONED, Entry, Session
from .parts import inline, texts, thought, without_texts
from .protocol import Head, Program, Source, Unreadable
from .tree import Node, read_exported

_KINDS = {"assistant": "codeh", "tool": "tool", "user": "user"}
_NO_TOOL = ("all", "")  # recipients of messages that are not calls
_UNSENT = ("reasoning_recap", "user_editable_context", "model_editable_context", "app_pairing_content")
_POINTERS = {
    "image_asset_pointer": "image", "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}  # fmt: skip
_LIVE = "real_time_user_audio_video_asset_pointer"
_TEXTS = {  # fields with a content's text, joined by newlines; `|` separates alternatives
    "code": ("text",), "execution_output": ("text",), "system_error": ("text|name",),
    "tether_quote": ("title", "url", "text"), "sonic_webpage": ("title", "url", "text"),
    "tether_browsing_display": ("result|summary",),
}  # fmt: skip
_ANSWER = {"model": "metadata.model_slug", "finish": "metadata.finish_details.type"}
_MAX_IMAGE = 16 << 20  # bytes of one image
_MAX_IMAGES = 32 << 20  # bytes of all images in a conversation
_MISSING = "image missing from the export, or too large"
_IMAGE = re.compile(r"(?:file-service|sediment)://(file[-_][A-Za-z0-9]+)")


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("mapping"), dict) for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation: the branch that was displayed last."""
    return json_values.sessions(source, lambda value, _: _session(program.name, source, value))


def _session(program: str, source: Source, value: Json) -> Session:
    id = name_at(value, "conversation_id", "id")
    tree = {key: node for key, node in object_at(value, "mapping").items() if isinstance(node, dict)}
    session = Session(program, id or hash_id(*tree), created=seconds(value.get("create_time")))
    session.set_title(value.get("title"))
    messages = {key: object_at(node, "message") for key, node in tree.items()}

    def fill(session: Session, ids: list[str]) -> None:
        branch = _Branch(session, source)
        for key in ids:
            if messages[key]:
                branch.message(key, messages[key])

    nodes = {key: Node(key, name_at(tree[key], "parent"), n) for n, key in enumerate(tree)}
    live = read_exported(session, nodes, name_at(value, "current_node"), fill)
    others = (message for key, message in messages.items() if key not in live and not _hidden(message))
    roles = [at(message, "author.role") for message in others]
    session.skip(ABANDONED, sum(role in _KINDS for role in roles if isinstance(role, str)))
    return session


def _hidden(message: Json) -> bool:
    return at(message, "metadata.is_visually_hidden_from_conversation") is True


class _Branch:
    """Makes the messages of a branch."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.bytes_left = _MAX_IMAGES  # for further images
        self.thoughts: Entry | None = None  # the last message if it is thoughts, which the next one joins
        self.answer: Any = None  # the last message's result, which more messages of the tool extend

    def message(self, key: str, message: Json) -> None:
        session = self.session
        session.number += 1
        role, content = at(message, "author.role"), object_at(message, "content")
        kind, ts = text_at(content, "content_type"), seconds(message.get("create_time"))
        if kind in _UNSENT:
            session.skip(kind)
        elif role == "system" or _hidden(message):
            session.skip("system message" if role == "system" else "hidden message")
        elif session.kind_of(role, _KINDS) is None:
            return
        elif (parts := self.parts(content)) is None:
            session.skip(f"content ({kind or 'without a type'})")
        elif role == "assistant":
            self.model(key, message, [_with_sources(part, message) for part in parts], ts)
        elif role == "tool":
            self.result(key, message, parts, ts)
        else:
            self.thoughts = self.answer = None
            session.add("user", parts, id=key, ts=ts)

    def model(self, key: str, message: Json, parts: list[Part], ts: str | None) -> None:
        """Add a model message: text, thoughts, or a message to a tool, which is a call."""
        self.answer = None
        tool, content = text_at(message, "recipient"), object_at(message, "content")
        if tool not in _NO_TOOL and parts:
            text = "\n".join(texts(parts))
            is_object = text.strip()[:1] == "{" and text.strip()[-1:] == "}"
            parts = [self.session.call(key, tool, text if is_object else {"input": text})]
        fields, entry = answer_fields(message, _ANSWER, {}), self.thoughts
        if entry is not None and parts:
            self.session.extend(entry, parts)
            entry.fields |= fields
        else:
            entry = self.session.add("codeh", parts, id=key, ts=ts, **fields)
        self.thoughts = entry if content.get("content_type") == "thoughts" else None

    def result(self, key: str, message: Json, parts: list[Part], ts: str | None) -> None:
        """Add a tool's message; consecutive ones are one result."""
        self.thoughts = None
        if self.answer is not None:
            result = self.answer["functionResponse"]
            output = (result["response"]["output"], "\n".join(texts(parts)))
            result["response"]["output"] = "\n\n".join(filter(None, output))
            if files := without_texts(parts):
                result.setdefault("parts", []).extend(files)
        elif self.session.open_calls:
            self.answer = self.session.result(None, at(message, "author.name"), parts)
            self.session.add("tool", [self.answer], id=key, ts=ts)
        else:
            self.session.skip("message of a tool that was not called")

    # -- contents ------------------------------------------------------------------------------------------

    def parts(self, content: Json) -> list[Part] | None:
        """The parts of a content; None if its type is unknown."""
        kind = str(content.get("content_type"))
        parts: list[Part] = []
        if kind == "thoughts":
            for each in objects_at(content, "thoughts"):
                summary, text = text_at(each, "summary"), text_at(each, "content")
                parts.append(thought(f"**{summary}**\n\n{text}" if summary and text else summary or text))
            return parts
        if kind in ("text", "multimodal_text") or (kind not in _TEXTS and list_at(content, "parts")):
            for each in list_at(content, "parts"):
                if (image := self.image(each)) is not None:
                    parts.append(image)
                elif text := _text(each):
                    parts.append({"text": text})
            return parts
        lines = (name_at(content, *fields.split("|")) for fields in _TEXTS.get(kind, ("text",)))
        text = "\n".join(filter(None, lines))
        return [{"text": text}] if text else [] if kind in _TEXTS else None

    def image(self, part: Any) -> Part | None:
        """The part of an image; None for anything else, and for a missing image, which is counted."""
        if at(part, "content_type") != "image_asset_pointer":
            return None
        named = _IMAGE.match(text_at(part, "asset_pointer"))
        try:
            data = self.source.member(named[1], min(_MAX_IMAGE, self.bytes_left)) if named else b""
        except Unreadable:
            data = b""
        kind = mime_type(data, "")
        if not kind.startswith("image/"):
            self.session.skip(_MISSING)
            return None
        self.bytes_left -= len(data)
        return inline(data, kind)


def _with_sources(part: Part, message: Json) -> Part:
    """Replace the citation marks (private-use characters) in a text by the links that ChatGPT displays."""
    for reference in objects_at(message, "metadata.content_references"):
        mark = text_at(reference, "matched_text")
        if mark.startswith("\ue200") and "text" in part:
            part = {**part, "text": part["text"].replace(mark, text_at(reference, "alt"))}
    return part


def _text(part: Any) -> str:
    """The text of an element of `parts`; a pointer to a file becomes a placeholder with its name."""
    if isinstance(part, str):
        return part
    part = object_of(part)
    kind = part.get("content_type")
    if kind == _LIVE:
        assets = (object_at(part, "audio_asset_pointer"), *objects_at(part, "frames_asset_pointers"))
        named = (_text({"content_type": "audio_asset_pointer", **asset}) for asset in assets)
        return "\n".join(filter(None, named))
    pointer = name_at(part, "asset_pointer")
    if pointer and kind != "audio_transcription":
        return f"[{_POINTERS.get(str(kind), 'file')}: {pointer}]"
    return text_at(part, "text")


PROGRAM = Program("chatgpt", "ChatGPT", recognises, read)

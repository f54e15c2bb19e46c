"""Read ChatGPT's export: `conversations.json` (or its shards, or the zip), a list of trees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..base.mime import mime_type
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
    tree = {key: node for key, node in object_at(value, "mapping").items() if isinstance(node, dict)}
    id = name_at(value, "conversation_id", "id") or hash_id(*tree)
    session = Session(program, id, created=seconds(value.get("create_time")))
    session.about(value, title="title")
    messages = {key: object_at(node, "message") for key, node in tree.items()}

    def fill(session: Session, path: list[Node]) -> None:
        branch = _Branch(session, source)
        for node in path:
            if messages[node.id]:
                branch.message(node.id, messages[node.id])

    nodes = {key: Node(key, name_at(tree[key], "parent"), n) for n, key in enumerate(tree)}
    live = read_exported(session, nodes, name_at(value, "current_node"), fill)
    others = (message for key, message in messages.items() if key not in live and not _hidden(message))
    session.skip(ABANDONED, sum(text_at(message, "author.role") in _KINDS for message in others))
    return session


def _hidden(message: Json) -> bool:
    return at(message, "metadata.is_visually_hidden_from_conversation") is True


class _Branch:
    """Makes the messages of a branch."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.bytes_left = _MAX_IMAGES  # for further images

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
        elif (parts := self.parts(kind, content)) is None:
            session.skip(f"content ({kind or 'without a type'})")
        elif role == "assistant":
            self.model(key, message, [_with_sources(part, message) for part in parts], ts)
        elif role == "tool":
            self.result(key, message, parts, ts)
        else:
            session.add("user", parts, id=key, ts=ts)

    def model(self, key: str, message: Json, parts: list[Part], ts: str | None) -> None:
        """Add a model message: text, thoughts, or a message to a tool, which is a call.

        It joins thoughts before it.
        """
        tool, fields = text_at(message, "recipient"), answer_fields(message, _ANSWER, {})
        if tool not in _NO_TOOL and parts:
            text = "\n".join(texts(parts))
            is_object = text.strip()[:1] == "{" and text.strip()[-1:] == "}"
            parts = [self.session.call(key, tool, text if is_object else {"input": text})]
        last = self.last("codeh")
        if last is not None and parts and all("thought" in part for part in last.parts):
            self.session.extend(last, parts)
            last.fields |= fields
        else:
            self.session.add("codeh", parts, id=key, ts=ts, **fields)

    def result(self, key: str, message: Json, parts: list[Part], ts: str | None) -> None:
        """Add a tool's message; consecutive ones are one result."""
        last: Any = self.last("tool")
        if last is not None:
            result = last.parts[0]["functionResponse"]
            output = (result["response"]["output"], "\n".join(texts(parts)))
            result["response"]["output"] = "\n\n".join(filter(None, output))
            if files := without_texts(parts):
                result.setdefault("parts", []).extend(files)
        elif self.session.open_calls:
            answer = self.session.result(None, at(message, "author.name"), parts)
            self.session.add("tool", [answer], id=key, ts=ts)
        else:
            self.session.skip("message of a tool that was not called")

    def last(self, kind: str) -> Entry | None:
        """The last message if it is of this kind."""
        item = self.session.items[-1] if self.session.items else None
        return item if isinstance(item, Entry) and item.kind == kind else None

    # -- contents ------------------------------------------------------------------------------------------

    def parts(self, kind: str, content: Json) -> list[Part] | None:
        """The parts of a content; None if its type is unknown."""
        if kind == "thoughts":
            each = (
                (text_at(item, "summary"), text_at(item, "content")) for item in objects_at(content, kind)
            )
            return [thought("\n\n".join([f"**{a}**", b]) if a and b else a or b) for a, b in each]
        if kind in ("text", "multimodal_text") or (kind not in _TEXTS and list_at(content, "parts")):
            parts = ((self.image(part), _text(part)) for part in list_at(content, "parts"))
            return [image or {"text": text} for image, text in parts if image or text]
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
    kind, pointer = text_at(part, "content_type"), name_at(part, "asset_pointer")
    if kind == _LIVE:
        audio, frames = object_at(part, "audio_asset_pointer"), objects_at(part, "frames_asset_pointers")
        named = (_text({"content_type": "audio_asset_pointer", **asset}) for asset in (audio, *frames))
        return "\n".join(filter(None, named))
    if pointer and kind != "audio_transcription":
        return f"[{kind.partition('_')[0] or 'file'}: {pointer}]"
    return text_at(part, "text")


PROGRAM = Program("chatgpt", "ChatGPT", recognises, read)

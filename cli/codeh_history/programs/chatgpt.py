"""ChatGPT's export: `conversations.json` (or its shards, or the zip), a list of trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..base.mime import mime_type
from ..providers.parts import listed, name_of, object_of, objects, text_of
from ..session.model import Json, Part
from . import source as values
from .builder import Builder, inline, seconds, texts, without_texts
from .model import ABANDONED, Entry, Session, omit_empty
from .protocol import Head, Program, Refused, Source
from .records import made_id
from .tree import Node, read_exported

_EVERYONE = ("all", "")  # recipients of a message that is no call
_UNSENT = ("reasoning_recap", "user_editable_context", "model_editable_context", "app_pairing_content")
_POINTERS = {
    "image_asset_pointer": "image", "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "video",
}  # fmt: skip
_LIVE = "real_time_user_audio_video_asset_pointer"
_TEXTS = {  # the fields of a content that are its text: all in lines, or the first of them
    "code": ("text",), "execution_output": ("text",), "system_error": ("text|name",),
    "tether_quote": ("title", "url", "text"), "sonic_webpage": ("title", "url", "text"),
    "tether_browsing_display": ("result|summary",),
}  # fmt: skip
_MOST = 16 << 20  # bytes of an image
_ALL = 32 << 20  # bytes of the images of a conversation
_MISSING = "image that is not in the export, or too large"
_IMAGE = re.compile(r"(?:file-service|sediment)://(file[-_][A-Za-z0-9]+)")


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("mapping"), dict) for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Each conversation: the branch that was shown last."""
    return values.sessions(source, lambda value, _: _session(program.name, source, value))


def _session(program: str, source: Source, value: Json) -> Session:
    id = name_of(value.get("conversation_id")) or name_of(value.get("id"))
    tree = {key: node for key, node in object_of(value.get("mapping")).items() if isinstance(node, dict)}
    session = Session(program, id or made_id(*tree), created=seconds(value.get("create_time")))
    session.titled(value.get("title"))
    messages = {key: object_of(node.get("message")) for key, node in tree.items()}

    def fill(session: Session, ids: list[str]) -> None:
        branch = _Branch(session, source)
        for key in ids:
            if messages[key]:
                branch.message(key, messages[key])

    nodes = {key: Node(key, name_of(tree[key].get("parent")), n) for n, key in enumerate(tree)}
    live = read_exported(session, nodes, name_of(value.get("current_node")), fill)
    others = (message for key, message in messages.items() if key not in live and not _hidden(message))
    session.leave(ABANDONED, sum(_role(message) in ("user", "assistant", "tool") for message in others))
    return session


def _role(message: Json) -> object:
    return object_of(message.get("author")).get("role")


def _hidden(message: Json) -> bool:
    return object_of(message.get("metadata")).get("is_visually_hidden_from_conversation") is True


class _Branch:
    """Makes entries of the messages of a branch."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.room = _ALL  # for further images
        self.talk = Builder(session)
        self.thoughts: Entry | None = None  # to which what the model says next belongs
        self.answer: Any = None  # the response of the tool that spoke last

    def message(self, key: str, message: Json) -> None:
        self.talk.number += 1
        role, content = _role(message), object_of(message.get("content"))
        kind, ts = text_of(content.get("content_type")), seconds(message.get("create_time"))
        left = self.session.left
        if kind in _UNSENT:
            left[kind] += 1
        elif role == "system" or _hidden(message):
            left["system message" if role == "system" else "hidden message"] += 1
        elif _parts(content) is None:
            left[f"content ({kind or 'without a type'})"] += 1
        elif role not in ("assistant", "tool", "user"):
            left[f"message of {text_of(role) or 'nobody'}"] += 1
        else:
            parts = _parts(content, self.image) or []
            if role == "assistant":
                self.model(key, message, parts, content, ts)
            elif role == "tool":
                self.result(key, message, parts, ts)
            else:
                self.thoughts = self.answer = None
                self.talk.add("user", parts, id=key, ts=ts)

    def model(self, key: str, message: Json, parts: list[Part], content: Json, ts: str | None) -> None:
        """What the model said: a text, its thoughts, or a call, which is a message for a tool."""
        self.answer = None
        tool = text_of(message.get("recipient"))
        if tool not in _EVERYONE and parts:
            text = "\n".join(texts(_parts(content) or ()))
            is_object = text.strip()[:1] == "{" and text.strip()[-1:] == "}"
            parts = [self.talk.call(key, tool, text if is_object else {"input": text})]
        about = object_of(message.get("metadata"))
        finish = name_of(object_of(about.get("finish_details")).get("type"))
        fields = omit_empty(model=name_of(about.get("model_slug")), finish=finish)
        entry = self.thoughts
        if entry is not None and parts:
            self.talk.extend(entry, parts)
            entry.fields |= fields
        else:
            entry = self.talk.add("codeh", parts, id=key, ts=ts, **fields)
        self.thoughts = entry if content.get("content_type") == "thoughts" else None

    def result(self, key: str, message: Json, parts: list[Part], ts: str | None) -> None:
        """What a tool said; what it says in a row is one result."""
        self.thoughts = None
        if self.answer is not None:
            result = self.answer["functionResponse"]
            output = (result["response"]["output"], "\n".join(texts(parts)))
            result["response"]["output"] = "\n\n".join(filter(None, output))
            if held := without_texts(parts):
                result.setdefault("parts", []).extend(held)
        elif self.talk.calls:
            self.answer = self.talk.result_of(None, object_of(message.get("author")).get("name"), parts)
            self.talk.add("tool", [self.answer], id=key, ts=ts)
        else:
            self.session.left["message of a tool that was not called"] += 1

    def image(self, pointer: str) -> Part | None:
        """The part of an image; None where it is not at hand, which is counted."""
        named = _IMAGE.match(pointer)
        try:
            data = self.source.member(named[1], min(_MOST, self.room)) if named else b""
        except Refused:
            data = b""
        kind = mime_type(data, "")
        if not kind.startswith("image/"):
            self.session.left[_MISSING] += 1
            return None
        self.room -= len(data)
        return inline(data, kind)


# -- contents ----------------------------------------------------------------------------------------------

Image = Callable[[str], Part | None]  # of a pointer; None where there is none


def _parts(content: Json, image: Image = lambda _: None) -> list[Part] | None:
    """The parts of a content; None for one of a type that is not known."""
    kind = str(content.get("content_type"))
    if kind == "thoughts":
        return [{"text": text, "thought": True} for text in _thoughts(content)]
    if kind in ("text", "multimodal_text") or (kind not in _TEXTS and listed(content.get("parts"))):
        return [made for part in listed(content.get("parts")) for made in _part(part, image)]
    fields = _TEXTS.get(kind, ("text",))
    choices = ((text_of(content.get(name)) for name in field.split("|")) for field in fields)
    text = "\n".join(filter(None, (next(filter(None, texts), "") for texts in choices)))
    return [{"text": text}] if text else [] if kind in _TEXTS else None


def _thoughts(content: Json) -> Iterator[str]:
    for thought in objects(content.get("thoughts")):
        summary, whole = text_of(thought.get("summary")), text_of(thought.get("content"))
        yield f"**{summary}**\n\n{whole}" if summary and whole else summary or whole


def _part(part: Any, image: Image) -> Iterator[Part]:
    """An element of `parts`: an image that is at hand, else its text, if it has any."""
    shown = object_of(part).get("content_type") == "image_asset_pointer"
    picture = image(text_of(part.get("asset_pointer"))) if shown else None
    if picture is not None:
        yield picture
    elif text := _text(part):
        yield {"text": text}


def _text(part: Any) -> str:
    """The text of an element of `parts`: what is only pointed to is named."""
    if isinstance(part, str):
        return part
    part = object_of(part)
    kind = part.get("content_type")
    if kind == _LIVE:
        assets = (object_of(part.get("audio_asset_pointer")), *objects(part.get("frames_asset_pointers")))
        named = (_text({"content_type": "audio_asset_pointer", **asset}) for asset in assets)
        return "\n".join(filter(None, named))
    pointer = name_of(part.get("asset_pointer"))
    if pointer and kind != "audio_transcription":
        return f"[{_POINTERS.get(str(kind), 'file')}: {pointer}]"
    return text_of(part.get("text"))


PROGRAM = Program("chatgpt", "ChatGPT", __name__, recognises)

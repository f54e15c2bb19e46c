"""Read Claude.ai's export: `conversations.json` (or the zip), a list of conversations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..providers.parts import objects
from ..session.model import Json, Part
from . import source as json_values
from .fields import hash_id, name_at, objects_at, text_at, time_of
from .model import ABANDONED, Session
from .parts import thought
from .protocol import Head, Program, Source
from .tree import Node, read_exported

_ROOT = "00000000-0000-4000-8000"  # beginning of the parent id of a first message
_KINDS = {"human": "user", "assistant": "codeh"}


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("chat_messages"), list) for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation: the branch shown last."""
    return json_values.sessions(source, lambda value, _: _session(program.name, value))


def _session(program: str, value: Json) -> Session:
    messages = objects_at(value, "chat_messages")
    id = name_at(value, "uuid") or hash_id(*(message.get("uuid") for message in messages))
    session = Session(program, id, created=time_of(value.get("created_at")))
    session.set_title(value.get("name"))
    by_id = {name_at(message, "uuid") or str(place): message for place, message in enumerate(messages)}
    has_parents = any(message.get("parent_message_uuid") in by_id for message in messages)
    nodes: dict[str, Node] = {}
    for number, (id, message) in enumerate(by_id.items(), 1):
        parent = name_at(message, "parent_message_uuid")
        if not has_parents:  # an older export: messages follow each other
            parent = next(reversed(nodes), None)
        nodes[id] = Node(id, None if (parent or "").startswith(_ROOT) else parent, number)

    def fill(session: Session, ids: list[str]) -> None:
        for id in ids:
            session.number = nodes[id].number
            _message(session, by_id[id], name_at(value, "model"))

    live = read_exported(session, nodes, name_at(value, "current_leaf_message_uuid"), fill)
    session.skip(ABANDONED, len(messages) - len(live))
    return session


def _message(session: Session, message: Json, model: str | None) -> None:
    """Add a message; an answer that used tools becomes several."""
    kind = session.kind_of(message.get("sender"), _KINDS)
    if kind is None:
        return
    blocks = objects_at(message, "content")
    parts = [part for block in blocks if (part := _part(session, block)) is not None]
    if all(part == {"text": ""} for part in parts):
        parts = [{"text": text_at(message, "text")}]
    ts = time_of(message.get("created_at"))
    if kind == "user":
        parts = [*_files(message), *parts]
    session.turn(kind, parts, id=message.get("uuid"), ts=ts, model=model if kind == "codeh" else None)


def _part(session: Session, block: Json) -> Any:
    """The part of a block; other blocks are counted, and None is returned."""
    match block.get("type"):
        case "text":
            return {"text": text_at(block, "text")}
        case "thinking":
            return thought(text_at(block, "thinking"), block.get("signature"))
        case "voice_note":
            return {"text": "\n\n".join(_filled(block, "title", "text"))}
        case "tool_use":
            return session.call(block.get("id"), block.get("name"), block.get("input"))
        case "tool_result":
            text, failed = _text_of(block.get("content")), block.get("is_error") is True
            id, name = block.get("tool_use_id"), block.get("name")
            return session.result(id, name, [{"text": text}], failed=failed)
        case kind:
            session.skip(f"block ({kind})")
            return None


def _text_of(content: Any) -> str:
    """The text of a result; a block that is not text becomes its title, URL and the like."""
    if isinstance(content, str):
        return content
    texts = []
    for block in objects(content):
        fields = ("title", "url", "text", "file_name") if block.get("type") != "text" else ("text",)
        texts.append("\n".join(_filled(block, *fields)))
    return "\n\n".join(filter(None, texts))


def _filled(block: Json, *fields: str) -> list[str]:
    """The non-empty texts in these fields."""
    return [text for field in fields if (text := text_at(block, field))]


def _files(message: Json) -> list[Part]:
    """Attached files as text: their names, and their content if it is in the export."""
    texts = []
    for file in [*objects_at(message, "attachments"), *objects_at(message, "files")]:
        name = name_at(file, "file_name", "file_uuid") or "file"
        texts.append("\n".join([f"[file: {name}]", *_filled(file, "extracted_content")]))
    return [{"text": text} for text in texts]


PROGRAM = Program("claude-ai", "Claude.ai", recognises, read)

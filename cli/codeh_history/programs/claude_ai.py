"""Read Claude.ai's export: `conversations.json` (or the zip), a list of conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..providers.parts import objects
from ..session.model import Json, Part
from . import source as json_values
from .fields import hash_id, name_at, objects_at, text_at, time_of
from .model import ABANDONED, Session
from .parts import thought
from .protocol import Head, Program, Source
from .tree import Node, read_exported

_ROOT = "00000000-0000-4000-8000"  # prefix of a first message's parent id
_KINDS = {"human": "user", "assistant": "codeh"}


def recognises(head: Head) -> bool:
    return any(isinstance(value.get("chat_messages"), list) for value in head.values)


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation: the branch that was displayed last."""
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
        if not has_parents:  # an older export, which is not a tree
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
    """Add a message; results in an answer split it into several."""
    kind = session.kind_of(message.get("sender"), _KINDS)
    if kind is None:
        return
    parts = [part for block in objects_at(message, "content") for part in _parts(session, block)]
    if all(part == {"text": ""} for part in parts):
        parts = [{"text": text_at(message, "text")}]
    files: list[Part] = []  # names of attached files, with their text if it is in the export
    for file in [*objects_at(message, "attachments"), *objects_at(message, "files")]:
        name = name_at(file, "file_name", "file_uuid") or "file"
        files.append({"text": "\n".join([f"[file: {name}]", *_texts_at(file, "extracted_content")])})
    ts, id = time_of(message.get("created_at")), message.get("uuid")
    if kind == "user":
        session.turn(kind, [*files, *parts], id=id, ts=ts)
    else:
        session.turn(kind, parts, id=id, ts=ts, model=model)


def _parts(session: Session, block: Json) -> Iterator[Part]:
    """Yield the part of a block; count other blocks."""
    match block.get("type"):
        case "text":
            yield {"text": text_at(block, "text")}
        case "thinking":
            yield thought(text_at(block, "thinking"), block.get("signature"))
        case "voice_note":
            yield {"text": "\n\n".join(_texts_at(block, "title", "text"))}
        case "tool_use":
            yield session.call(block.get("id"), block.get("name"), block.get("input"))
        case "tool_result":
            content, failed = block.get("content"), block.get("is_error") is True
            if not isinstance(content, str):
                named = ("title", "url", "text", "file_name")  # fields kept of other blocks
                texts = [
                    text_at(part, "text")
                    if part.get("type") == "text"
                    else "\n".join(_texts_at(part, *named))
                    for part in objects(content)
                ]
                content = "\n\n".join(filter(None, texts))
            id, name = block.get("tool_use_id"), block.get("name")
            yield session.result(id, name, [{"text": content}], failed=failed)
        case kind:
            session.skip(f"block ({kind})")


def _texts_at(block: Json, *fields: str) -> list[str]:
    """The non-empty texts in these fields."""
    return [text for field in fields if (text := text_at(block, field))]


PROGRAM = Program("claude-ai", "Claude.ai", recognises, read)

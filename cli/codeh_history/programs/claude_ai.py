"""Read Claude.ai's export: `conversations.json` (or the zip), a list of conversations."""

from __future__ import annotations

from collections.abc import Iterable

from ..providers.parts import objects
from ..session.model import Json, Part
from . import source as json_values
from .fields import hash_id, name_at, objects_at, text_at, time_of
from .model import ABANDONED, Session
from .parts import parts_of
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
    session = Session(program, id)
    session.about(value, created="created_at", title="name")
    by_id = {name_at(message, "uuid") or str(place): message for place, message in enumerate(messages)}
    is_tree = any(message.get("parent_message_uuid") in by_id for message in messages)
    nodes: dict[str, Node] = {}
    for number, (id, message) in enumerate(by_id.items(), 1):
        last = next(reversed(nodes), None)  # the parent in older exports
        parent = name_at(message, "parent_message_uuid") if is_tree else last
        nodes[id] = Node(id, None if (parent or "").startswith(_ROOT) else parent, number)

    def fill(session: Session, path: list[Node]) -> None:
        for node in path:
            session.number = node.number
            _message(session, by_id[node.id], name_at(value, "model"))

    live = read_exported(session, nodes, name_at(value, "current_leaf_message_uuid"), fill)
    session.skip(ABANDONED, len(messages) - len(live))
    return session


def _message(session: Session, message: Json, model: str | None) -> None:
    """Add a message; results in an answer split it into several."""
    kind = session.kind_of(message.get("sender"), _KINDS)
    if kind is None:
        return
    parts = parts_of(message.get("content"), lambda block: _part(session, block))
    if all(part == {"text": ""} for part in parts):
        parts = [{"text": text_at(message, "text")}]
    files: list[Part] = []  # names of attached files, with their text if it is in the export
    for file in [*objects_at(message, "attachments"), *objects_at(message, "files")]:
        name = name_at(file, "file_name", "file_uuid") or "file"
        files.append({"text": "\n".join([f"[file: {name}]", *_texts_at(file, "extracted_content")])})
    is_users = kind == "user"
    session.turn(
        kind, [*files, *parts] if is_users else parts, id=message.get("uuid"),
        ts=time_of(message.get("created_at")), model=None if is_users else model,
    )  # fmt: skip


def _part(session: Session, block: Json) -> Part | None:
    match block.get("type"):
        case "voice_note":
            return {"text": "\n\n".join(_texts_at(block, "title", "text"))}
        case "tool_result":
            content = block.get("content")
            if not isinstance(content, str):
                texts = ("\n".join(_texts_at(part, *_IN_RESULT)) for part in objects(content))
                content = "\n\n".join(filter(None, texts))
            id, failed = block.get("tool_use_id"), block.get("is_error") is True
            return session.result(id, block.get("name"), [{"text": content}], failed=failed)
    return session.part(block)


_IN_RESULT = ("title", "url", "text", "file_name")  # fields kept of a result's blocks


def _texts_at(block: Json, *fields: str) -> list[str]:
    """The non-empty texts in these fields."""
    return [text for field in fields if (text := text_at(block, field))]


PROGRAM = Program("claude-ai", "Claude.ai", recognises, read)

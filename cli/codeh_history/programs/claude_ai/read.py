"""An export of Claude.ai → its conversations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...providers.parts import name_of, objects, text_of
from ...session.model import Json, Part
from .. import values
from ..conversation import Conversation
from ..model import Problem, Session
from ..protocol import Source
from ..records import made_id, time_of
from ..tree import way
from . import NAME

_ROOT = "00000000-0000-4000-8000"  # how the parent of a first message begins
_KINDS = {"human": "user", "assistant": "codeh"}


def read(source: Source) -> Iterable[Session]:
    """Each conversation: the branch that was shown last."""
    return values.sessions(source, _session)


def _session(value: Json, _number: int) -> Session:
    messages = objects(value.get("chat_messages"))
    id = name_of(value.get("uuid")) or made_id(*(message.get("uuid") for message in messages))
    session = Session(NAME, id, created=time_of(value.get("created_at")))
    if name_of(value.get("name")):
        session.settings["title"] = value["name"]
    reading = _Reading(session, name_of(value.get("model")))
    for number, message in _branch(session, messages, value.get("current_leaf_message_uuid")):
        reading.talk.number = number
        reading.message(message)
    return session


def _branch(session: Session, messages: list[Json], leaf: Any) -> Iterable[tuple[int, Json]]:
    """The messages up to the leaf, by their parents; all of them where these are not told."""
    numbered = dict(enumerate(messages, 1))
    known = {
        message["uuid"]: number for number, message in numbered.items() if name_of(message.get("uuid"))
    }
    parents = {id: name_of(numbered[number].get("parent_message_uuid")) for id, number in known.items()}
    if not any(parent in known for parent in parents.values()):
        return numbered.items()
    last = leaf if isinstance(leaf, str) and leaf in known else next(reversed(known))
    for id, number in known.items():  # one that was lost stood before
        parent = parents[id]
        if (
            parent is not None
            and parent not in known
            and parent.strip("0-") not in ("", "4", "48", "4000-8")
        ):
            before = next((other for other, place in known.items() if place == number - 1), None)
            why = f"the parent of {id}, {parent}, is not in the export"
            session.problems.append(
                Problem(0, "forgets", why, f"taken to follow {before}" if before else None)
            )
            parents[id] = before
    found = [known[id] for id in way(parents, last)]
    off = len(messages) - len(found)
    if off:
        session.left["message of an abandoned branch"] += off
    return [(number, numbered[number]) for number in found]


class _Reading:
    """Makes entries of messages; an answer that used tools is several."""

    def __init__(self, session: Session, model: str | None) -> None:
        self.session = session
        self.model = model
        self.talk = Conversation(session)

    def message(self, message: Json) -> None:
        kind = _KINDS.get(text_of(message.get("sender")))
        if kind is None:
            self.session.left[f"message of {text_of(message.get('sender')) or 'nobody'}"] += 1
            return
        id, ts = message.get("uuid"), time_of(message.get("created_at"))
        fields = {"model": self.model} if kind == "codeh" else {}
        held = [part for block in objects(message.get("content")) if (part := self.part(block)) is not None]
        if all(part == {"text": ""} for part in held):
            held = [{"text": text_of(message.get("text"))}]
        if kind == "user":
            held = [*_files(message), *held]
        self.talk.turn(kind, held, id=id, ts=ts, **fields)

    def part(self, block: Json) -> Any:
        """The part of a block; None for one that is not sent, which is counted."""
        kind = block.get("type")
        if kind == "text":
            return {"text": text_of(block.get("text"))}
        if kind == "thinking":
            part: Any = {"text": text_of(block.get("thinking")), "thought": True}
            signature = name_of(block.get("signature"))
            return {**part, "thoughtSignature": signature} if signature else part
        if kind == "voice_note":
            return {
                "text": "\n\n".join(filter(None, (text_of(block.get("title")), text_of(block.get("text")))))
            }
        if kind == "tool_use":
            return self.talk.call(block.get("id"), block.get("name"), block.get("input"))
        if kind == "tool_result":
            failed = block.get("is_error") is True
            return self.talk.result(
                block.get("tool_use_id"), block.get("name"), _said(block.get("content")), failed=failed
            )
        self.session.left[f"block ({kind})"] += 1
        return None


def _said(content: Any) -> str:
    """The text of a result: of its blocks those that are texts, of others what they are called."""
    if isinstance(content, str):
        return content
    texts = []
    for block in objects(content):
        fields = ("title", "url", "text", "file_name") if block.get("type") != "text" else ("text",)
        texts.append("\n".join(filter(None, (text_of(block.get(field)) for field in fields))))
    return "\n\n".join(filter(None, texts))


def _files(message: Json) -> list[Part]:
    """What was attached: files whose text is in the export with it, others by name."""
    found: list[Part] = []
    for file in objects(message.get("attachments")):
        name, text = text_of(file.get("file_name")) or "file", text_of(file.get("extracted_content"))
        found.append({"text": f"[file: {name}]\n{text}" if text else f"[file: {name}]"})
    for file in objects(message.get("files")):
        name = text_of(file.get("file_name")) or text_of(file.get("file_uuid")) or "file"
        found.append({"text": f"[file: {name}]"})
    return found

"""An export of Claude.ai → its conversations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ...providers.parts import name_of, objects, text_of
from ...session.model import Json, Part
from .. import values
from ..conversation import Conversation
from ..model import ABANDONED, Session
from ..parts import thought
from ..protocol import Source
from ..records import made_id, time_of
from ..tree import others, way
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
    session.titled(value.get("name"))
    model = name_of(value.get("model"))

    def fill(made: Session, way: Iterable[int]) -> None:
        reading = _Reading(made, model)
        for reading.talk.number in way:
            reading.message(messages[reading.talk.number - 1])

    known = {
        message["uuid"]: place for place, message in enumerate(messages, 1) if name_of(message.get("uuid"))
    }
    parents = {id: name_of(messages[place - 1].get("parent_message_uuid")) for id, place in known.items()}
    if not any(parent in known for parent in parents.values()):  # they are not told: all in a row
        fill(session, range(1, len(messages) + 1))
        return session
    _mend(session, parents)
    leaf = name_of(value.get("current_leaf_message_uuid"))
    live = way(parents, leaf if leaf in known else next(reversed(known)))  # type: ignore[arg-type]
    fill(session, [known[id] for id in live])
    session.leave(ABANDONED, len(messages) - len(live))
    session.branches = partial(
        others, session, parents, live, lambda made, ids: fill(made, [known[id] for id in ids])
    )
    return session


def _mend(session: Session, parents: dict[str, str | None]) -> None:
    """Say of a message whose parent was lost that it follows the one before it."""
    before: str | None = None
    for id, parent in parents.items():
        if parent is not None and parent not in parents and not parent.startswith(_ROOT):
            why = f"the parent of {id}, {parent}, is not in the export"
            mended = f"taken to follow {before}" if before else None
            session.problem(0, "forgets", why, mended)
            parents[id] = before
        before = id


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
        held = [part for block in objects(message.get("content")) if (part := self.part(block)) is not None]
        if all(part == {"text": ""} for part in held):
            held = [{"text": text_of(message.get("text"))}]
        if kind == "user":
            held = [*_files(message), *held]
        self.talk.turn(kind, held, id=id, ts=ts, model=self.model if kind == "codeh" else None)

    def part(self, block: Json) -> Any:
        """The part of a block; None for one that is not sent, which is counted."""
        match block.get("type"):
            case "text":
                return {"text": text_of(block.get("text"))}
            case "thinking":
                return thought(text_of(block.get("thinking")), block.get("signature"))
            case "voice_note":
                return {"text": "\n\n".join(_filled(block, "title", "text"))}
            case "tool_use":
                return self.talk.call(block.get("id"), block.get("name"), block.get("input"))
            case "tool_result":
                id, text = block.get("tool_use_id"), _said(block.get("content"))
                return self.talk.result(id, block.get("name"), text, failed=block.get("is_error") is True)
            case kind:
                self.session.left[f"block ({kind})"] += 1
                return None


def _said(content: Any) -> str:
    """The text of a result: of its blocks those that are texts, of others what they are called."""
    if isinstance(content, str):
        return content
    texts = []
    for block in objects(content):
        fields = ("title", "url", "text", "file_name") if block.get("type") != "text" else ("text",)
        texts.append("\n".join(_filled(block, *fields)))
    return "\n\n".join(filter(None, texts))


def _filled(block: Json, *fields: str) -> list[str]:
    """The texts in these fields that say something."""
    return [text for field in fields if (text := text_of(block.get(field)))]


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

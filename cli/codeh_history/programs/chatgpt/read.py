"""An export of ChatGPT → its conversations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ...providers.parts import listed, name_of, object_of, text_of
from ...session.model import Json
from .. import values
from ..conversation import Conversation, seconds
from ..model import ABANDONED, Entry, Piece, Session, told
from ..parts import texts, without_texts
from ..protocol import Source
from ..records import made_id
from ..tree import others, way
from . import NAME, content

_EVERYONE = ("all", "")  # whom a message is for that is no call


def read(source: Source) -> Iterable[Session]:
    """Each conversation: the branch that was shown last."""
    return values.sessions(source, partial(_session, source))


def _session(source: Source, value: Json, _number: int) -> Session:
    id = name_of(value.get("conversation_id")) or name_of(value.get("id"))
    tree = {key: node for key, node in object_of(value.get("mapping")).items() if isinstance(node, dict)}
    session = Session(NAME, id or made_id(*tree), created=seconds(value.get("create_time")))
    session.titled(value.get("title"))
    parents = _parents(session, tree)
    live = _branch(session, parents, name_of(value.get("current_node")))

    def fill(made: Session, way: list[str]) -> None:
        reading = _Branch(made, source)
        for key in way:
            reading.message(key, object_of(tree[key].get("message")))

    fill(session, live)
    session.branches = partial(others, session, parents, live, fill)
    on = set(live)
    off = sum(key not in on and _talks(object_of(node.get("message"))) for key, node in tree.items())
    session.leave(ABANDONED, off)
    return session


def _parents(session: Session, tree: dict[str, Json]) -> dict[str, str | None]:
    """The parent of each node; of one whose parent was lost that which names the lost one as its child."""
    parents: dict[str, str | None] = {key: name_of(node.get("parent")) for key, node in tree.items()}
    above = {
        child: key
        for key, node in tree.items()
        for child in listed(node.get("children"))
        if isinstance(child, str)
    }
    for key, parent in parents.items():
        if parent is None and above.get(key) in tree:
            parents[key] = above[key]
        elif parent is not None and parent not in tree and above.get(parent) in tree:
            why = f"the parent of {key}, {parent}, is not in the export"
            session.problem(0, "forgets", why, f"taken to follow {above[parent]}")
            parents[key] = above[parent]
    return parents


def _branch(session: Session, parents: dict[str, str | None], current: str | None) -> list[str]:
    """The nodes up to the one that was shown last."""
    if current is None or current not in parents:
        below = set(parents.values())
        ends = (key for key in reversed(parents) if key not in below)
        leaf = next(ends, None) or next(reversed(parents), None)
        if leaf is None:
            return []
        session.problem(0, "forgets", f"its current node, {current}, is not there", f"read up to {leaf}")
        current = leaf
    found = way(parents, current)
    lost = parents[found[0]]
    if lost is not None and lost not in parents:
        session.problem(0, "forgets", f"the parent of {found[0]}, {lost}, is not in the export")
    return found


def _talks(message: Json) -> bool:
    role = object_of(message.get("author")).get("role")
    return role in ("user", "assistant", "tool") and not _hidden(message)


def _hidden(message: Json) -> bool:
    return object_of(message.get("metadata")).get("is_visually_hidden_from_conversation") is True


class _Branch:
    """Makes entries of the messages of a branch."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.images = content.Images(session, source)
        self.talk = Conversation(session)
        self.thoughts: Entry | None = None  # to which what is said next belongs
        self.answer: Any = None  # the response of the tool that spoke last

    def message(self, key: str, message: Json) -> None:
        if not message:
            return
        self.talk.number += 1
        role = object_of(message.get("author")).get("role")
        said = object_of(message.get("content"))
        kind = text_of(said.get("content_type"))
        if kind in content.UNSENT:
            self.session.left[kind] += 1
        elif role == "system" or _hidden(message):
            self.session.left["system message" if role == "system" else "hidden message"] += 1
        elif content.parts(said) is None:
            self.session.left[f"content ({kind or 'without a type'})"] += 1
        elif role == "assistant":
            self.answer = None
            self.said(key, message, said)
        elif role == "tool":
            self.thoughts = None
            self.result(key, message, said)
        elif role == "user":
            self.thoughts = self.answer = None
            made = content.parts(said, self.images.part) or []
            self.talk.add("user", made, id=key, ts=seconds(message.get("create_time")))
        else:
            self.session.left[f"message of {text_of(role) or 'nobody'}"] += 1

    def said(self, key: str, message: Json, said: Json) -> None:
        """What the model said: a text, its thoughts, or a call, which is a message for a tool."""
        tool = text_of(message.get("recipient"))
        made = content.parts(said, self.images.part) or []
        if tool not in _EVERYONE and made:
            made = [self.talk.call(key, tool, _arguments(content.text(said)))]
        about = object_of(message.get("metadata"))
        finish = name_of(object_of(about.get("finish_details")).get("type"))
        fields = told(model=name_of(about.get("model_slug")), finish=finish)
        entry = self.thoughts
        if entry is not None and made:
            entry.pieces.append(Piece(self.talk.number, made))
            entry.fields |= fields
        else:
            entry = self.talk.add("codeh", made, id=key, ts=seconds(message.get("create_time")), **fields)
        self.thoughts = entry if said.get("content_type") == "thoughts" else None

    def result(self, key: str, message: Json, said: Json) -> None:
        """What a tool said; what it says in a row is one result."""
        made: list[Any] = content.parts(said, self.images.part) or []
        text, held = "\n".join(texts(made)), without_texts(made)
        if self.answer is not None:
            response = self.answer["functionResponse"]["response"]
            response["output"] = "\n\n".join(filter(None, (response["output"], text)))
            if held:
                self.answer["functionResponse"].setdefault("parts", []).extend(held)
            return
        if not self.talk.calls:
            self.session.left["message of a tool that was not called"] += 1
            return
        name = object_of(message.get("author")).get("name")
        self.answer = self.talk.result(None, name, text, held=held)
        self.talk.add("tool", [self.answer], id=key, ts=seconds(message.get("create_time")))


def _arguments(text: str) -> Any:
    """What a tool was given: an object where it is one, else a text."""
    stripped = text.strip()
    if stripped.startswith("{") and stripped.endswith("}"):
        return text
    return {"input": text}

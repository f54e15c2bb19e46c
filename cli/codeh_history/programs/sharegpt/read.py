"""A file of ShareGPT → its conversations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...providers.json_text import value_of
from ...providers.parts import object_of, objects, text_of
from ...session.model import Json, Part
from .. import values
from ..conversation import Conversation, Names, opening
from ..model import Session
from ..protocol import Source
from . import NAME, turns

_KINDS = {
    "human": "user", "user": "user", "gpt": "codeh", "chatgpt": "codeh", "assistant": "codeh",
    "bing": "codeh", "bard": "codeh", "model": "codeh", "system": "system", "function_call": "call",
    "tool_call": "call",
    "observation": "result", "function_response": "result", "tool": "result", "tool_response": "result",
    "function-response": "result", "function": "result",
}  # fmt: skip


def read(source: Source) -> Iterable[Session]:
    """Each conversation of a file."""
    names = Names()
    return values.sessions(source, lambda value, number: _session(value, number, names))


def _session(value: Json, number: int, names: Names) -> Session:
    said = turns(value)
    users = tuple(name for name, kind in _KINDS.items() if kind == "user")
    session = Session(NAME, names.id(value.get("id"), opening(said, "from", users), value.get("system")))
    tools = value.get("tools")
    session.set(
        title=text_of(value.get("title")), system=text_of(value.get("system")),
        tools=objects(value_of(tools) if isinstance(tools, str) else tools),
    )  # fmt: skip
    talk = Conversation(session)
    talk.number = number
    for turn in said:
        _turn(talk, object_of(turn))
    return session


def _turn(talk: Conversation, turn: Json) -> None:
    text, who = text_of(turn.get("value")), text_of(turn.get("from"))
    match _KINDS.get(who):
        case "system" if talk.session.items:
            talk.add("user", [{"text": text}], item={"role": "system"})
        case "system":
            talk.session.settings["system"] = text
        case "call":
            _calls(talk, text)
        case "result" if talk.calls:
            talk.add("tool", [talk.result(turn.get("tool_call_id"), turn.get("name"), text)])
        case "result":
            talk.session.problem(talk.number, "drops", "an observation without a call")
        case None:
            talk.session.left[f"turn of {who or 'nobody'}"] += 1
        case kind:
            talk.add(kind, [{"text": text}])


def _calls(talk: Conversation, text: str) -> None:
    """A call, or a list of them, as JSON; what is none stays a text."""
    parts: list[Part] = list(_read(talk, value_of(text)))
    talk.add("codeh", parts or [{"text": text}])


def _read(talk: Conversation, value: Any) -> Iterator[Part]:
    for one in objects(value if isinstance(value, list) else [value]):
        given = object_of(one.get("function")) or one
        if text_of(given.get("name")):
            arguments = given.get("arguments", given.get("parameters"))
            yield talk.call(one.get("id"), given["name"], arguments)

"""Read ShareGPT: a list (or lines) of `{conversations: [{from, value}]}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..providers.json_text import value_of
from ..providers.parts import object_of, objects
from ..session.model import Json, Part
from . import source as json_values
from .fields import object_at, text_at
from .model import Session
from .parts import ConversationIds, opening
from .protocol import Head, Program, Source

_FIELDS = ("conversations", "conversation", "items")
_KINDS = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "chatgpt", "assistant", "bing", "bard", "model"), "codeh"),
    "system": "system", **dict.fromkeys(("function_call", "tool_call"), "call"),
    **dict.fromkeys(("observation", "function_response", "tool", "tool_response"), "result"),
    **dict.fromkeys(("function-response", "function"), "result"),
}  # fmt: skip


def recognises(head: Head) -> bool:
    turns = (turn for value in head.values for turn in objects(_turns(value)[:3]))
    return any(isinstance(turn.get("from"), str) and "value" in turn for turn in turns)


def _turns(value: Json) -> list[Any]:
    return next((value[field] for field in _FIELDS if isinstance(value.get(field), list)), [])


def read(source: Source, program: Program) -> Iterable[Session]:
    """Yield each conversation of a file."""
    ids = ConversationIds()
    return json_values.sessions(source, lambda value, number: _session(program.name, value, number, ids))


def _session(program: str, value: Json, number: int, ids: ConversationIds) -> Session:
    turns, tools = _turns(value), value.get("tools")
    first = opening(turns, "from", ("human", "user"))
    id = ids.assign(value.get("id"), first, value.get("system"))
    session = Session(program, id, number=number, id_repeats=True)
    session.set(
        title=text_at(value, "title"), system=text_at(value, "system"),
        tools=objects(value_of(tools) if isinstance(tools, str) else tools),
    )  # fmt: skip
    for turn in map(object_of, turns):
        text, who = text_at(turn, "value"), text_at(turn, "from")
        parts: list[Part] = [{"text": text}]
        match _KINDS.get(who):
            case "system":
                session.system(text)
            case "call":
                session.add("codeh", list(_calls(session, value_of(text))) or parts)
            case "result" if session.open_calls:
                session.add("tool", [session.result(turn.get("tool_call_id"), turn.get("name"), parts)])
            case "result":
                session.problem(number, "drops", "an observation without a call")
            case None:
                session.skip(f"turn of {who or 'no one'}")
            case kind:
                session.add(kind, parts)
    return session


def _calls(session: Session, value: Any) -> Iterator[Part]:
    """Yield the parts of a call, or of a list of calls."""
    for call in objects(value if isinstance(value, list) else [value]):
        function = object_at(call, "function") or call
        if text_at(function, "name"):
            arguments = function.get("arguments", function.get("parameters"))
            yield session.call(call.get("id"), function["name"], arguments)


PROGRAM = Program("sharegpt", "ShareGPT", recognises, read)

"""ShareGPT: a list (or lines) of `{conversations: [{from, value}]}`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..providers.json_text import value_of
from ..providers.parts import object_of, objects, text_of
from ..session.model import Json, Part
from . import source as values
from .builder import Builder, Names, opening
from .model import Session
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
    """Each conversation of a file."""
    names = Names()
    return values.sessions(source, lambda value, number: _session(program.name, value, number, names))


def _session(program: str, value: Json, number: int, names: Names) -> Session:
    turns, tools = _turns(value), value.get("tools")
    first = opening(turns, "from", ("human", "user"))
    session = Session(program, names.id(value.get("id"), first, value.get("system")))
    session.set(
        title=text_of(value.get("title")), system=text_of(value.get("system")),
        tools=objects(value_of(tools) if isinstance(tools, str) else tools),
    )  # fmt: skip
    talk = Builder(session)
    talk.number = number
    for turn in map(object_of, turns):
        _turn(talk, turn)
    return session


def _turn(talk: Builder, turn: Json) -> None:
    text, who = text_of(turn.get("value")), text_of(turn.get("from"))
    match _KINDS.get(who):
        case "system":
            talk.system(text)
        case "call":
            talk.add("codeh", list(_calls(talk, value_of(text))) or [{"text": text}])
        case "result" if talk.calls:
            talk.add("tool", [talk.result(turn.get("tool_call_id"), turn.get("name"), text)])
        case "result":
            talk.session.problem(talk.number, "drops", "an observation without a call")
        case None:
            talk.session.left[f"turn of {who or 'nobody'}"] += 1
        case kind:
            talk.add(kind, [{"text": text}])


def _calls(talk: Builder, value: Any) -> Iterator[Part]:
    """A call, or a list of them, as JSON."""
    for call in objects(value if isinstance(value, list) else [value]):
        function = object_of(call.get("function")) or call
        if text_of(function.get("name")):
            arguments = function.get("arguments", function.get("parameters"))
            yield talk.call(call.get("id"), function["name"], arguments)


PROGRAM = Program("sharegpt", "ShareGPT", __name__, recognises)

"""A message of Gemini CLI, in each version that was written → an entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...providers import usage
from ...providers.gemini import NAME as FORMAT
from ...providers.gemini.body import part_of
from ...providers.parts import name_of, object_of, objects, text_of
from ...session.model import SUMMARY_HEAD, Json, Part
from ...session.records import dumps
from ..model import Entry, Piece, omit_empty
from ..records import made_id, time_of

Version = tuple[int, Json]  # the line on which a message was written, and what it was then
_CONTEXT = ("<session_context>", "<hook_context>")  # how the program begins what it says
SNAPSHOT = "<state_snapshot>"  # its summary of what it compressed
WRAPPER = f"{SNAPSHOT}\n{{}}\n</state_snapshot>"  # ours around a summary that is none of its own


def is_context(data: Json) -> bool:
    """Whether a user's message is what the program says of itself."""
    return data.get("type") == "user" and beginning(data.get("content")).startswith(_CONTEXT)


def is_forgotten(value: Any) -> bool:
    """Whether a prompt with this content is forgotten on resumption: it is blank, a command, or context."""
    first = beginning(value)
    return not first or first.startswith(("/", "?", *_CONTEXT))


def beginning(value: Any) -> str:
    """What a content says, as the program looks at it: words of its own stand for all but texts.

    A text that says that it is no thought is one of these.
    """
    parts = content(value)
    words = ("..." if "text" not in part or "thought" in part else text_of(part["text"]) for part in parts)
    return "".join(words).strip()


def snapshot(data: Json) -> str:
    """The text of a snapshot; of one that we wrote, without the program's words around it."""
    before, after = WRAPPER.split("{}")
    whole = text(data)
    ours = whole.startswith(before + SUMMARY_HEAD) and whole.endswith(after)
    return whole.removeprefix(before).removesuffix(after) if ours else whole


def text(data: Json) -> str:
    """The texts of a message."""
    return "".join(text_of(part.get("text")) for part in content(data.get("content")))


def content(value: Any) -> list[Any]:
    """A content as parts: it is a text, a part, or a list of both."""
    if isinstance(value, list):
        return [part for one in value for part in content(one)]
    if isinstance(value, str):
        return [{"text": value}] if value else []
    return [part_of(value)] if isinstance(value, dict) else []


def answered(data: Json) -> Iterator[str]:
    """The ids of the calls whose results stand in the calls themselves."""
    yield from filter(None, map(call_of, _results(data)))


def entries(versions: Sequence[Version], repeated: set[str]) -> Iterator[Entry]:
    """The messages that one is: its content, and results; those of the calls `repeated` are left out."""
    data = versions[-1][1]
    id, ts = data["id"], time_of(data.get("timestamp"))
    if data["type"] == "gemini":
        fields: Json = {}
        for _, one in versions:
            fields |= _fields(one)
        yield from _entry(id, "codeh", ts, _each(versions, _model_parts), fields)
        yield from _entry(further_ids(id)[0], "tool", ts, _each(versions, _results))
        return
    contents = _each(versions, lambda one: [_sent(part) for part in content(one.get("content"))])
    others = [
        (line, [part for part in parts if "functionResponse" not in part]) for line, parts in contents
    ]
    results = [
        (line, [part for part in parts if "functionResponse" in part and call_of(part) not in repeated])
        for line, parts in contents
    ]
    yield from _entry(id, "tool", ts, results)
    yield from _entry(id if others == contents else further_ids(id)[1], "user", ts, others)


def further_ids(id: str) -> tuple[str, str]:
    """The ids of the results in a model's message, and of what a user's says beside results."""
    return f"{id}_response", f"{id}.1"


def results(data: Json) -> Iterator[Part]:
    """The results in a user's message."""
    if data["type"] == "user":
        yield from (_sent(part) for part in content(data.get("content")) if "functionResponse" in part)


def _each(versions: Sequence[Version], parts: Callable[[Json], list[Any]]) -> list[tuple[int, list[Any]]]:
    return [(line, parts(data)) for line, data in versions]


def _entry(
    id: str, kind: str, ts: str | None, versions: list[tuple[int, list[Any]]], fields: Json | None = None
) -> Iterator[Entry]:
    """One message of its versions: what one adds is a piece; one that says otherwise makes another."""
    pieces: list[Piece] = []
    now: list[Any] = []
    for line, parts in versions:
        if parts[: len(now)] == now:
            pieces += [Piece(line, parts[len(now) :])] if len(parts) > len(now) else []
        else:
            pieces = [Piece(line, parts)] if parts else []
            id = made_id(id, dumps(parts))
        now = parts
    if pieces:
        yield Entry(id, kind, ts, pieces, fields or {})


def _model_parts(data: Json) -> list[Any]:
    """The parts of a model's message: thoughts, text, calls; what has calls or thoughts in it is whole."""
    parts = content(data.get("content"))
    if any("functionCall" in part or part.get("thought") for part in parts):
        return [_sent(part) for part in parts]
    thoughts = [{"text": _thought(one), "thought": True} for one in objects(data.get("thoughts"))]
    return [*thoughts, *parts, *map(_call, objects(data.get("toolCalls")))]


def _thought(one: Json) -> str:
    subject, text = name_of(one.get("subject")), text_of(one.get("description"))
    return f"**{subject}** {text}" if subject else text


def _call(call: Json) -> Any:
    name = call.get("name")
    function = {"name": name if isinstance(name, str) else "tool", "args": object_of(call.get("args"))}
    return _sent({"functionCall": {"id": call.get("id"), **function}})


def _results(data: Json) -> list[Any]:
    """The parts of the results that stand in the calls of a message."""
    return [_sent(part) for call in objects(data.get("toolCalls")) for part in _result(call)]


def _result(call: Json) -> list[Any]:
    result = call.get("result")
    if isinstance(result, str) and result:
        response = {"id": call.get("id"), "name": call.get("name"), "response": {"output": result}}
        result = {"functionResponse": response}
    return content(result)


def call_of(part: Part) -> str | None:
    """The id of the call that a part answers."""
    return name_of(object_of(part.get("functionResponse")).get("id"))


def _sent(part: Any) -> Any:
    """A part as it is sent: ids of calls without the names of their functions before them.

    That a text is no thought needs no saying.
    """
    if part.get("thought") is False:
        part = {key: value for key, value in part.items() if key != "thought"}
    for key in ("functionCall", "functionResponse"):
        held = part.get(key)
        if isinstance(held, dict):
            id, prefix = name_of(held.get("id")), f"{held.get('name')}__"
            if id and not id.startswith(prefix):  # as most are
                return part
            rest = {name: value for name, value in held.items() if id or name != "id"}
            return {**part, key: {**rest, "id": id.removeprefix(prefix)} if id else rest}
    return part


_USAGE = {
    "input": "input tool", "output": "output thoughts", "cached": "cached", "reasoning": "thoughts",
    "total": "total",
}  # fmt: skip


def _fields(data: Json) -> Json:
    used = usage.read(object_of(data.get("tokens")), _USAGE)
    return omit_empty(provider=FORMAT, model=name_of(data.get("model")), usage=used)

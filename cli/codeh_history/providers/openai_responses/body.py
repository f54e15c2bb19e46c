"""A Responses request body → messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...base.lazy import Pattern
from ...session.model import Any, Json
from ..body import Imported
from ..messages import Messages
from ..parts import call as call_part
from ..parts import is_message, kinds, name_of, native, objects, rest
from . import FIELD, NAME
from .content import held_media, output_of, read_output, read_part, written
from .replay import is_answer
from .response import parts_of

_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_ITEM = Pattern(
    r"\w+_call|\w+_call_output|reasoning|compaction|item_reference|additional_tools|compaction_trigger"
    r"|tool_search_output|mcp_(?:list_tools|approval_(?:request|response))"
)
_BLOCKS = frozenset(("input_text", "output_text", "input_image", "input_file"))
_ROLES = frozenset(("user", "assistant", "system", "developer", None))


def holds(item: object) -> bool:
    return is_message(item) or is_item(item)


def is_item(item: object) -> bool:
    """Whether this is an item other than a message."""
    kind = item.get("type") if isinstance(item, dict) and "parts" not in item else None
    return isinstance(kind, str) and _ITEM.fullmatch(kind) is not None


def shows(body: Json) -> bool:
    """By items, or blocks of messages, that only it has; or by a text where others want a list."""
    given = objects(body.get(FIELD))
    theirs = any(map(is_item, given)) or not _BLOCKS.isdisjoint(kinds(given))
    others = any(name_of(item.get("role")) not in _ROLES or "tool_calls" in item for item in given)
    return (theirs and not others) or isinstance(body.get(FIELD), str)


def read(body: Json) -> Imported:
    """The messages of a body, without ids; BadData names the element that is no item.

    What the model gave (its messages, calls and other items in a row) is one message; items that have no
    words of ours are native parts. A system or developer message inside the input is a user's with its
    role kept in `item`.
    """
    given = body.get("input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, list):
        raise BadData("input: a text or a list expected; is this an openai-responses body?")
    messages = Reader(NAME, body)
    for number, item in enumerate(given):
        messages.item(item, f"{FIELD}.{number}")
    system = name_of(body.get("instructions"))
    return messages.imported(system, FIELD, *(["instructions"] if system else []))


class Reader(Messages):
    """Reads items one after the other; a result finds the name of the call that it answers."""

    def item(self, item: Any, where: str) -> None:
        kind, parts, beside = self.read(item, where)
        if kind == "tool":
            self.results(parts)
        elif kind == "user":
            self.user(parts, beside)
        else:
            last = self.last
            apart = item.get("role") == "assistant" and "id" not in item
            alone = apart and all(part.keys() == {"text"} for part in last["parts"])
            self.said(parts, joins=last["role"] == "model" and not alone)

    def read(self, item: Any, where: str) -> tuple[str, list[Any], Json]:
        """The kind of message that an item is, or belongs to, its parts, and what else it says."""
        kind = item.get("type", "message") if isinstance(item, dict) else None
        if not isinstance(kind, str):
            raise BadData(f"{where}: an item with a type, or a message with a role, expected")
        if kind in _OUTPUTS:
            return "tool", [self.result(item)], {}
        if kind != "message":
            return self.other(item, kind)
        role = item.get("role")
        if role == "assistant":
            return "codeh", self.assistant(item), {}
        if role in ("user", "system", "developer"):
            return self.told(item)
        raise BadData(f"{where}: role is {role!r}: user, system, developer or assistant expected")

    def told(self, message: Json) -> tuple[str, list[Any], Json]:
        content = message.get("content")
        parts: Any = [{"text": content if isinstance(content, str) else ""}]
        if isinstance(content, list):
            parts = [read_part(block) for block in content]
        item = {key: value for key, value in message.items() if key not in ("role", "content", "type")}
        if item:
            item["type"] = "message"
        if message["role"] != "user":
            item["role"] = message["role"]
        return "user", parts, item

    def assistant(self, message: Json) -> list[Any]:
        content = message.get("content")
        parts: list[Any] = parts_of({"type": "message", **message})
        if isinstance(content, str):
            item = rest(message, ("type", "role", "content"))
            text: Json = {"text": content}
            parts = [{**text, "item": item} if item else text]
        return parts

    def other(self, item: Json, kind: str) -> tuple[str, list[Any], Json]:
        """A call, or an item kept as it is on the side that it came from."""
        if isinstance(item.get("name"), str) and isinstance(item.get("call_id"), str):
            self.names[item["call_id"]] = item["name"]
        if kind == "custom_tool_call" and isinstance(item.get("name"), str):
            beside = {"type": kind, **rest(item, ("type", "call_id", "name", "input"))}
            args = {"input": item["input"] if isinstance(item.get("input"), str) else ""}
            return "codeh", [call_part(item.get("call_id"), item["name"], args, beside)], {}
        if is_answer(item):
            return "tool", [native(NAME, item)], {}
        return "codeh", parts_of(item), {}

    def result(self, item: Json) -> Json:
        id = name_of(item.get("call_id"))
        named: Json = {"id": id} if id else {}
        read = read_output(item.get("output"))
        part: Json = {"functionResponse": {**named, "name": self.names.get(id or "", "unknown"), **read}}
        kept = rest(item, ("type", "call_id", "output"))
        if isinstance(item.get("output"), list) and not _canonical(item["output"], read):
            kept["output"] = item["output"]
        if kept:
            part["item"] = kept
        return part


def _canonical(output: list[Any], read: Json) -> bool:
    """Whether a result's list is what its response and media would be written as."""
    part: Any = {"functionResponse": read}
    return bool(output_of(part, [block for held in held_media(part) if (block := written(held))]) == output)

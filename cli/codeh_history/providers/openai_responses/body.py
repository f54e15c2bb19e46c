"""Read a Responses request body back into messages: the inverse of `request.build`."""

from __future__ import annotations

from ...base.errors import BadData
from ...base.lazy import Pattern
from ...session.model import Any, Json
from ..body import Imported, Messages
from ..openai import RESPONSES
from ..parts import call as call_part
from ..parts import is_message, kinds, name_of, native, objects, text_of, without
from . import FIELD, NAME
from .replay import is_answer
from .request import read_output, result_parts, write_output
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
    """Whether items or blocks are only this format's, or the input is a text instead of a list."""
    items = objects(body.get(FIELD))
    theirs = any(map(is_item, items)) or not _BLOCKS.isdisjoint(kinds(items))
    others = any(name_of(item.get("role")) not in _ROLES or "tool_calls" in item for item in items)
    return (theirs and not others) or isinstance(body.get(FIELD), str)


def read(body: Json) -> Imported:
    """Read a body; raise BadData for an element that is not an item.

    Consecutive items of the model (messages, calls and others) are one message; items without an equivalent
    are native parts. A system or developer message in the input becomes a user message with its role in
    `item`.
    """
    items = body.get("input")
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list):
        raise BadData("input: a text or a list expected; is this an openai-responses body?")
    messages = Reader(NAME, body)
    for number, item in enumerate(items):
        messages.item(item, f"{FIELD}.{number}")
    system = name_of(body.get("instructions"))
    return messages.imported(system, FIELD, *(["instructions"] if system else []))


class Reader(Messages):
    """Reads items in order, so that a result gets the function's name from its call."""

    def item(self, item: Any, where: str) -> None:
        kind, parts, rest = self.read(item, where)
        if kind == "tool":
            self.add_results(parts)
        elif kind == "user":
            self.add_user(parts, rest)
        else:
            last = self.last
            apart = item.get("role") == "assistant" and "id" not in item
            alone = apart and all(part.keys() == {"text"} for part in last["parts"])
            self.add_model(parts, joins=last["role"] == "model" and not alone)

    def read(self, item: Any, where: str) -> tuple[str, list[Any], Json]:
        """The kind of message that an item is or belongs to, its parts, and its other fields."""
        kind = item.get("type", "message") if isinstance(item, dict) else None
        if not isinstance(kind, str):
            raise BadData(f"{where}: expected an item with a type, or a message with a role")
        role = item.get("role")
        if kind in _OUTPUTS:
            return "tool", [self._result(item)], {}
        if kind != "message":
            return self._other(item, kind)
        content = item.get("content")
        if role == "assistant" and not isinstance(content, str):
            return "codeh", parts_of({"type": "message", **item}), {}
        if role == "assistant":
            fields = without(item, ("type", "role", "content"))
            return "codeh", [{"text": content, "item": fields} if fields else {"text": content}], {}
        if role not in ("user", "system", "developer"):
            raise BadData(f"{where}: role is {role!r}: expected user, system, developer or assistant")
        blocks = [RESPONSES.read(block) for block in content] if isinstance(content, list) else None
        rest = {key: value for key, value in item.items() if key not in ("role", "content", "type")}
        if rest:
            rest["type"] = "message"
        if role != "user":
            rest["role"] = role
        return "user", [{"text": text_of(content)}] if blocks is None else blocks, rest

    def _other(self, item: Json, kind: str) -> tuple[str, list[Any], Json]:
        """Convert a call, or keep another item unchanged as the model's or the client's."""
        id, name = item.get("call_id"), item.get("name")
        if isinstance(name, str) and isinstance(id, str):
            self.names[id] = name
        if kind == "custom_tool_call" and isinstance(name, str):
            rest = {"type": kind, **without(item, ("type", "call_id", "name", "input"))}
            return "codeh", [call_part(id, name, {"input": text_of(item.get("input"))}, rest)], {}
        return ("tool", [native(NAME, item)], {}) if is_answer(item) else ("codeh", parts_of(item), {})

    def _result(self, item: Json) -> Json:
        id, output = name_of(item.get("call_id")), item.get("output")
        named: Json = {"id": id} if id else {}
        response = read_output(output)
        part: Any = {"functionResponse": {**named, "name": self.names.get(id or "", "unknown"), **response}}
        rest = without(item, ("type", "call_id", "output"))
        if isinstance(output, list):
            blocks = [block for media in result_parts(part) if (block := RESPONSES.write(media))]
            if write_output(part, blocks) != output:
                rest["output"] = output
        return {**part, "item": rest} if rest else part

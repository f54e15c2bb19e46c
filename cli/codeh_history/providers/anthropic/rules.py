"""Check offline what Anthropic would refuse in a request body.

Consecutive messages of one role are joined before the check, as in the API.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...session.model import Any, Json
from ..names import Alphabet
from ..parts import blocks_of, list_of, object_of
from ..validator import ByType, Merged, Validator, each, merge, with_neighbours
from . import FIELD, blocks
from .request import MARKS, thinks

_ROLES = ("user", "assistant", "system")
_NO_PREFILL = (4, 6)  # the first version without prefill


def _text(text: object) -> str:
    return "" if blocks.has_text(text) else "text content blocks must contain non-whitespace text"


def _pattern(alphabet: Alphabet, times: str) -> Callable[[object], str]:
    why = f"should match pattern ^[a-zA-Z0-9_-]{times}$"
    return lambda word: "" if alphabet.takes(word) else why


_ID, _NAME = _pattern(blocks.IDS, "+"), _pattern(blocks.NAMES, "{1,128}")
_ELSEWHERE = {"url": {"url": "name"}, "file": {"file_id": "name"}, "content": {}}
_IMAGE = ByType(base64={"media_type": blocks.IMAGES, "data": "name"}, **_ELSEWHERE)
_DOCUMENT = ByType(
    base64={"media_type": (blocks.PDF,), "data": "name"},
    text={"media_type": ("text/plain",), "data": _text}, **_ELSEWHERE,
)  # fmt: skip
_BLOCKS: Json = {
    "text": {"text": _text}, "thinking": {"thinking": "text", "signature": "name"},
    "redacted_thinking": {"data": "name"}, "tool_use": {"id": _ID, "name": _NAME, "input": "object"},
    "tool_result": {"tool_use_id": _ID}, "image": {"source": _IMAGE}, "document": {"source": _DOCUMENT},
}  # fmt: skip
_TOOL = {"input_schema": {"type": ("object",)}}


class Rules(Validator):
    def check(self) -> None:
        self.around()
        messages = list_of(self.body.get(FIELD))
        if self.require(messages, FIELD, "at least one message is required"):
            self.messages(messages)
            self.end(messages)
            self.marks()

    # -- around the messages ------------------------------------------------------------------------

    def around(self) -> None:
        limit = self.body.get("max_tokens")
        self.model()
        positive = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1
        self.require(positive, "max_tokens", "a positive number is required")
        budget = object_of(self.body.get("thinking")).get("budget_tokens")
        if isinstance(budget, int) and isinstance(limit, int) and budget >= limit:
            self.report("max_tokens", "must be greater than thinking.budget_tokens")
        for path, block in each(self.body.get("system"), "system"):
            self.expect(path, block, _BLOCKS["text"])
        for path, tool in each(self.body.get("tools"), "tools"):
            if "input_schema" in object_of(tool) or "type" not in object_of(tool):  # else a server tool
                self.expect(path, tool, _TOOL)
                self.tool(path, object_of(tool).get("name"), _NAME)

    def marks(self) -> None:
        """Check the cache marks: at most four, none on an empty text or on thinking."""
        marked = list(_marked(self.body, ""))
        if len(marked) > MARKS:
            why = f"at most {MARKS} blocks may have cache_control: {len(marked)} here"
            self.report(marked[MARKS][0], why)
        for path, block in marked:
            if block.get("type") in blocks.THINKING or block.get("text") == "":
                self.report(path, "cache_control cannot be set on an empty text or on thinking")

    # -- each message and block ---------------------------------------------------------------------

    def messages(self, messages: list[Any]) -> None:
        turns: list[Merged] = []
        for path, message in each(messages, FIELD):
            role = object_of(message).get("role")
            if self.role(path, role, _ROLES):
                self.content(message, path, merge(turns, str(role), path))
        for before, turn, after in with_neighbours([turn for turn in turns if turn.role != "system"]):
            if turn.role == "assistant":
                self.calls(turn, after)
            else:
                self.results(before, turn)
        for before, turn, after in with_neighbours(turns):
            if turn.role == "system":
                self.system(before, turn, after)

    def content(self, message: Json, path: str, turn: Merged) -> None:
        content = message.get("content")
        if content in ("", []) and not (turn.role == "assistant" and message is self.body[FIELD][-1]):
            why = "all messages must have non-empty content except for a final assistant message"
            self.report(path, why)
        if isinstance(content, str):
            content = blocks_of(content) if content else []
        self.expect(f"{path}.content", content, [{"type": "name"}])
        for where, block in each(content, f"{path}.content"):
            if isinstance(block, dict) and isinstance(block.get("type"), str):
                self.block(block, where, turn.role)
                turn.blocks.append((where, block))

    def block(self, block: Json, path: str, role: str) -> None:
        kind = block["type"]
        if kind in (blocks.OF_A_USER if role == "assistant" else blocks.OF_A_MODEL):
            self.report(path, f"a {kind} block is not allowed in a message of role {role}")
        self.expect(path, block, _BLOCKS.get(kind, {}))
        content, where = block.get("content"), f"{path}.content"
        if kind != "tool_result" or content is None or (isinstance(content, str) and content):
            return
        if block.get("is_error") and content in ("", []):
            self.report(where, "cannot be empty if is_error is true")
        elif content == []:
            self.report(where, "an empty list is refused: leave it out")
        elif content != "":
            self.expect(where, content, [{"type": blocks.RESULT_CONTENT}])
        for place, item in each(content, where):
            if object_of(item).get("type") in blocks.RESULT_CONTENT:
                self.block(item, place, "user")

    # -- turns --------------------------------------------------------------------------------------

    def results(self, before: Merged | None, turn: Merged) -> None:
        uses = _ids(before, "tool_use", "id")
        seen: set[str] = set()
        later = False  # whether another block precedes
        for path, block in turn.blocks:
            if block["type"] != "tool_result":
                later = True
                continue
            id = str(block.get("tool_use_id"))
            if id not in uses:
                why = f"unexpected tool_use_id in tool_result blocks: {id}: no such call just before"
                self.report(path, why)
            elif id in seen:
                self.report(path, f"each tool_use must have a single result: {id}")
            elif later:
                self.report(path, "tool_result blocks must come first in their turn")
            seen.add(id)

    def calls(self, turn: Merged, after: Merged | None) -> None:
        results = _ids(after, "tool_result", "tool_use_id")
        seen: set[str] = set()
        for path, block in turn.select("tool_use"):
            id = str(block.get("id"))
            if id in seen:
                self.report(path, f"tool_use ids must be unique: {id}")
            elif id not in results:
                why = f"tool_use ids were found without tool_result blocks immediately after: {id}"
                self.report(path, why)
            seen.add(id)
        if turn.blocks and turn.blocks[-1][1]["type"] in blocks.THINKING:
            self.report(turn.path, "the final block in an assistant message cannot be thinking")

    def system(self, before: Merged | None, turn: Merged, after: Merged | None) -> None:
        model = self.body.get("model")
        if not blocks.takes_system(model) and blocks.version(model)[1]:
            self.report(f"{turn.path}.role", "role 'system' is not supported on this model")
        server = before and before.blocks and before.blocks[-1][1]["type"] == "server_tool_use"
        follows = before is not None and (before.role == "user" or server)
        self.require(follows, turn.path, "a system message must follow a user message")
        precedes = after is None or after.role == "assistant"
        self.require(precedes, turn.path, "a system message must be last or precede an assistant message")

    def end(self, messages: list[Any]) -> None:
        """Check a prefill, and the thinking that must begin the last loop of calls."""
        thinking = object_of(self.body.get("thinking"))
        last, path = object_of(messages[-1]), f"{FIELD}.{len(messages) - 1}"
        if not thinks(thinking, [message for message in messages if isinstance(message, dict)]):
            self.report(path, "expected thinking first in the model's last turn, as thinking is enabled")
        if last.get("role") != "assistant":
            return
        items = [object_of(block) for block in blocks_of(last.get("content"))]
        thought = any(block.get("type") in blocks.THINKING for block in items)
        if thought and thinking.get("type", "disabled") == "disabled":
            self.report(path, "with thinking disabled, a final assistant message cannot contain thinking")
        text = items[-1].get("text") if items else None
        if not isinstance(text, str):
            return
        if text != text.rstrip():
            self.report(path, "final assistant content cannot end with trailing whitespace")
        if blocks.version(self.body.get("model"))[1:] >= _NO_PREFILL:
            why = "this model does not support assistant message prefill: end with a user message"
            self.report(path, why)


def _ids(turn: Merged | None, type: str, field: str) -> set[str]:
    selected = turn.select(type) if turn is not None else []
    return {id for _, block in selected if isinstance(id := block.get(field), str)}


def _marked(value: Any, path: str) -> Iterator[tuple[str, Json]]:
    """Yield the path and object of each cache mark, in the order of the prompt."""
    if isinstance(value, list):
        for where, item in each(value, path):
            yield from _marked(item, where)
    elif isinstance(value, dict):
        for key in ("tools", "system", FIELD, "content"):
            yield from _marked(value.get(key), f"{path}.{key}".lstrip("."))
        if value.get("cache_control"):
            yield path or "cache_control", value

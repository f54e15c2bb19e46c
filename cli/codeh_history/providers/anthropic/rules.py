"""Check offline what Anthropic would refuse in a request body.

Consecutive messages of one role are joined before the check, as in the API.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...session.model import Any, Json
from ..names import Alphabet
from ..parts import blocks_of, list_of, name_of, object_of
from ..validator import Merged, Validator, each, merge, with_neighbours
from . import FIELD, blocks
from .request import MARKS, thinks

_ROLES = ("user", "assistant", "system")
_NO_PREFILL = (4, 6)  # the first version without prefill
_REQUIRED = {"thinking": ("thinking", "signature"), "redacted_thinking": ("data",)}
_SOURCES = {"base64": "data", "url": "url", "file": "file_id"}  # the required field of each kind


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
            text = object_of(block).get("text")
            self.require(blocks.has_text(text), path, "text content blocks must be non-empty")
        names: set[str] = set()
        for path, tool in each(self.body.get("tools"), "tools"):
            if "input_schema" in object_of(tool) or "type" not in object_of(tool):  # else a server tool
                name, schema = object_of(tool).get("name"), object_of(object_of(tool).get("input_schema"))
                self.word(blocks.NAMES, name, f"{path}.name", "{1,128}")
                is_object = schema.get("type") == "object"
                self.require(is_object, f"{path}.input_schema.type", "should be 'object'")
                self.once(names, name, path)

    def marks(self) -> None:
        """Check the cache marks: at most four, none on an empty text or on thinking."""
        marked = list(_marked(self.body, ""))
        if len(marked) > MARKS:
            why = f"at most {MARKS} blocks may have cache_control: {len(marked)} here"
            self.report(marked[MARKS][0], why)
        for path, block in marked:
            kind = block.get("type")
            if kind in blocks.THINKING or (kind == "text" and not block.get("text")):
                self.report(path, f"cache_control cannot be set on an empty text or on thinking: {kind}")

    # -- each message and block ---------------------------------------------------------------------

    def messages(self, messages: list[Any]) -> None:
        turns: list[Merged] = []
        for path, message in each(messages, FIELD):
            role = object_of(message).get("role")
            if self.role(path, role, _ROLES):
                last = message is messages[-1]
                self.content(
                    object_of(message).get("content"), path, merge(turns, str(role), path), last=last
                )
        for before, turn, after in with_neighbours([turn for turn in turns if turn.role != "system"]):
            (self.calls if turn.role == "assistant" else self.results)(before, turn, after)
        for before, turn, after in with_neighbours(turns):
            if turn.role == "system":
                self.system(before, turn, after)

    def content(self, content: Any, path: str, turn: Merged, *, last: bool) -> None:
        if isinstance(content, str):
            content = [{"type": "text", "text": content}] if content else []
        if not self.expect(f"{path}.content", content, "list"):
            return
        if not content and not (last and turn.role == "assistant"):
            why = "all messages must have non-empty content except for a final assistant message"
            self.report(path, why)
        for where, block in each(content, f"{path}.content"):
            if not isinstance(block, dict) or not isinstance(block.get("type"), str):
                self.report(where, "expected a block with a type")
                continue
            self.block(block, where, turn.role)
            turn.blocks.append((where, block))

    def block(self, block: Json, path: str, role: str) -> None:
        kind = block["type"]
        if kind in (blocks.OF_A_USER if role == "assistant" else blocks.OF_A_MODEL):
            self.report(path, f"a {kind} block is not allowed in a message of role {role}")
        if kind == "text" and not blocks.has_text(block.get("text")):
            self.report(path, "text content blocks must contain non-whitespace text")
        for field in _REQUIRED.get(kind, ()):
            filled = name_of(block.get(field)) or (field == "thinking" and block.get(field) == "")
            self.require(filled, f"{path}.{field}", "field required")
        if kind == "tool_use":
            self.word(blocks.IDS, block.get("id"), f"{path}.id", "+")
            self.word(blocks.NAMES, block.get("name"), f"{path}.name", "{1,128}")
            self.fields(path, block, input="object")
        elif kind == "tool_result":
            self.result(block, path)
        elif kind in ("image", "document"):
            self.media(block, f"{path}.source")

    def word(self, alphabet: Alphabet, word: object, path: str, times: str) -> None:
        """Check an id or a name."""
        self.require(alphabet.takes(word), path, f"should match pattern ^[a-zA-Z0-9_-]{times}$")

    def result(self, block: Json, path: str) -> None:
        content, where = block.get("content"), f"{path}.content"
        self.word(blocks.IDS, block.get("tool_use_id"), f"{path}.tool_use_id", "+")
        if block.get("is_error") and content in (None, "", []):
            self.report(where, "cannot be empty if is_error is true")
        elif content is not None and not isinstance(content, str) and not content:
            self.report(where, "an empty list is refused: leave it out")
        self.require(isinstance(content, str | list | None), where, "expected text or a list of blocks")
        for place, item in each(content, where):
            fits = object_of(item).get("type") in blocks.RESULT_CONTENT
            if self.require(fits, place, "a tool_result holds text, images and documents"):
                self.block(object_of(item), place, "user")

    def media(self, block: Json, path: str) -> None:
        source, image = object_of(block.get("source")), block["type"] == "image"
        kind, mime = source.get("type"), source.get("media_type")
        if kind == "base64":
            types = blocks.IMAGES if image else (blocks.PDF,)
            why = f"should be one of {', '.join(types)}: {mime}"
            self.require(mime in types, f"{path}.media_type", why)
        elif kind == "text":
            fits = not image and mime == "text/plain" and blocks.has_text(source.get("data"))
            self.require(fits, path, "expected a document's non-empty text of type text/plain")
        else:
            self.require(kind in ("url", "file", "content"), path, f"unknown source: {kind}")
        field = _SOURCES.get(str(kind))
        if field:
            self.require(name_of(source.get(field)), f"{path}.{field}", "field required")

    # -- turns --------------------------------------------------------------------------------------

    def results(self, before: Merged | None, turn: Merged, _after: Merged | None) -> None:
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

    def calls(self, _before: Merged | None, turn: Merged, after: Merged | None) -> None:
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
        last, path = object_of(messages[-1]), f"messages.{len(messages) - 1}"
        if not thinks(thinking, [message for message in messages if isinstance(message, dict)]):
            self.report(path, "expected thinking first in the model's last turn, as thinking is enabled")
        if last.get("role") != "assistant":
            return
        items = blocks_of(last.get("content"))
        thought = any(object_of(block).get("type") in blocks.THINKING for block in items)
        if thought and thinking.get("type", "disabled") == "disabled":
            self.report(path, "with thinking disabled, a final assistant message cannot contain thinking")
        text = object_of(items[-1]).get("text") if items else None
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
        for key in ("tools", "system", "messages", "content"):
            yield from _marked(value.get(key), f"{path}.{key}".lstrip("."))
        if value.get("cache_control"):
            yield path or "cache_control", value

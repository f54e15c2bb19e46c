"""What Anthropic would refuse about a request body, found offline.

Neighbouring messages of one role are joined before judging, as the API does.
"""

from __future__ import annotations

from ...session.model import Any, Json
from ..parts import listed, name_of, object_of
from ..validator import Joined, Problem, Validator, element, with_neighbours
from . import blocks
from .around import MARKS, thinks

_ROLES = ("user", "assistant", "system")
_MANY = 100_000
_NO_PREFILL = (4, 6)  # from this version on


def problems(body: Json) -> list[Problem]:
    """What Anthropic would refuse, in body order."""
    validator = _Validator(body)
    validator.around()
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        validator.report("messages", "at least one message is required")
        return validator.problems
    if len(messages) > _MANY:
        validator.report("messages", f"{len(messages)} messages: at most {_MANY} are taken")
    before = len(validator.problems)
    validator.messages(messages)
    validator.end(messages)
    validator.problems[before:] = sorted(
        validator.problems[before:], key=lambda problem: element(problem.path)
    )
    validator.marks()
    return validator.problems


class _Turn(Joined):
    """The blocks of neighbouring messages of one role."""

    def having(self, kind: str) -> list[tuple[str, Json]]:
        return [(path, block) for path, block in self.held if block.get("type") == kind]


class _Validator(Validator):
    # -- around the messages ------------------------------------------------------------------------

    def around(self) -> None:
        model, limit = self.body.get("model"), self.body.get("max_tokens")
        self.require(name_of(model), "model", "field required")
        positive = isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1
        self.require(positive, "max_tokens", "a positive number is required")
        budget = object_of(self.body.get("thinking")).get("budget_tokens")
        if isinstance(budget, int) and isinstance(limit, int) and budget >= limit:
            self.report("max_tokens", "must be greater than thinking.budget_tokens")
        system = self.body.get("system")
        for number, block in enumerate(listed(system)):
            says = blocks.says(object_of(block).get("text"))
            self.require(says, f"system.{number}", "text content blocks must be non-empty")
        self.tools(self.body.get("tools"))

    def tools(self, tools: Any) -> None:
        seen: set[str] = set()
        for number, tool in enumerate(listed(tools)):
            path, name = f"tools.{number}", object_of(tool).get("name")
            if "input_schema" not in object_of(tool) and "type" in object_of(tool):
                continue  # a server tool
            self.name(name, path)
            schema = object_of(object_of(tool).get("input_schema"))
            self.require(schema.get("type") == "object", f"{path}.input_schema.type", "should be 'object'")
            self.require(str(name) not in seen, f"{path}.name", f"tool names must be unique: {name}")
            seen.add(str(name))

    def marks(self) -> None:
        """At most four cache marks, none on an empty text or on thinking."""
        marked = list(_marked(self.body, ""))
        if len(marked) > MARKS:
            self.report(
                marked[MARKS][0], f"at most {MARKS} blocks may have cache_control: {len(marked)} here"
            )
        for path, block in marked:
            if block.get("type") in blocks.THINKING or (
                block.get("type") == "text" and not block.get("text")
            ):
                self.report(
                    path, f"cache_control cannot be set on an empty text or on thinking: {block['type']}"
                )

    # -- each message and block ---------------------------------------------------------------------

    def messages(self, messages: list[Any]) -> None:
        turns: list[_Turn] = []
        for number, message in enumerate(messages):
            path, role = f"messages.{number}", object_of(message).get("role")
            if role not in _ROLES:
                self.report(f"{path}.role", f"role is {role!r}: user or assistant expected")
                continue
            if not turns or turns[-1].role != role:
                turns.append(_Turn(role, path))
            self.content(message.get("content"), path, turns[-1], last=number + 1 == len(messages))
        spoken = [turn for turn in turns if turn.role != "system"]
        for before, turn, after in with_neighbours(spoken):
            self.turn(before, turn, after)
        for before, turn, after in with_neighbours(turns):
            if turn.role == "system":
                self.system(before, turn, after)

    def content(self, content: Any, path: str, turn: _Turn, *, last: bool) -> None:
        if isinstance(content, str):
            content = [{"type": "text", "text": content}] if content else []
        if not isinstance(content, list):
            self.report(f"{path}.content", "text or a list of blocks expected")
            return
        if not content and not (last and turn.role == "assistant"):
            self.report(
                path, "all messages must have non-empty content except for a final assistant message"
            )
        for number, block in enumerate(content):
            where = f"{path}.content.{number}"
            if not isinstance(block, dict) or not isinstance(block.get("type"), str):
                self.report(where, "a block with a type expected")
                continue
            self.block(block, where, turn.role)
            turn.held.append((where, block))

    def block(self, block: Json, path: str, role: str) -> None:
        kind = block["type"]
        elsewhere = blocks.OF_A_USER if role == "assistant" else blocks.OF_A_MODEL
        if kind in elsewhere:
            self.report(path, f"a {kind} block cannot stand in a message of role {role}")
        if kind == "text" and not blocks.says(block.get("text")):
            self.report(path, "text content blocks must contain non-whitespace text")
        elif kind in _BLOCK_RULES:
            _BLOCK_RULES[kind](self, block, path)

    def thinking(self, block: Json, path: str) -> None:
        self.require(isinstance(block.get("thinking"), str), f"{path}.thinking", "field required")
        self.require(name_of(block.get("signature")), f"{path}.signature", "field required")

    def redacted(self, block: Json, path: str) -> None:
        self.require(name_of(block.get("data")), f"{path}.data", "field required")

    def id(self, id: object, path: str) -> None:
        self.require(blocks.IDS.takes(id), path, "should match pattern ^[a-zA-Z0-9_-]+$")

    def name(self, name: object, path: str) -> None:
        self.require(
            blocks.NAMES.takes(name), f"{path}.name", "should match pattern ^[a-zA-Z0-9_-]{1,128}$"
        )

    def tool_use(self, block: Json, path: str) -> None:
        self.id(block.get("id"), f"{path}.id")
        self.name(block.get("name"), path)
        self.require(isinstance(block.get("input"), dict), f"{path}.input", "an object expected")

    def tool_result(self, block: Json, path: str) -> None:
        content = block.get("content")
        self.id(block.get("tool_use_id"), f"{path}.tool_use_id")
        if block.get("is_error") and content in (None, "", []):
            self.report(f"{path}.content", "cannot be empty if is_error is true")
        elif content is not None and not isinstance(content, str) and not content:
            self.report(f"{path}.content", "an empty list is refused: leave it out")
        if isinstance(content, list):
            for number, held in enumerate(content):
                where = f"{path}.content.{number}"
                fits = object_of(held).get("type") in blocks.RESULT_CONTENT
                if self.require(fits, where, "a tool_result holds text, images and documents"):
                    self.block(held, where, "user")
        else:
            is_text = isinstance(content, str | None)
            self.require(is_text, f"{path}.content", "text or a list of blocks expected")

    def media(self, block: Json, path: str) -> None:
        source = object_of(block.get("source"))
        kind, mime, data = source.get("type"), source.get("media_type"), source.get("data")
        where = f"{path}.source"
        image = block["type"] == "image"
        if kind == "base64":
            if image and mime not in blocks.IMAGES:
                expected = "should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
                self.report(f"{where}.media_type", f"{expected}: {mime}")
            self.require(
                image or mime == blocks.PDF, f"{where}.media_type", f"should be '{blocks.PDF}': {mime}"
            )
        elif kind == "text":
            said = not image and mime == "text/plain" and blocks.says(data)
            self.require(said, where, "a document's non-empty text of type text/plain expected")
        else:
            self.require(kind in ("url", "file", "content"), where, f"unknown source: {kind}")
        field = {"base64": "data", "url": "url", "file": "file_id"}.get(str(kind))
        if field:
            self.require(name_of(source.get(field)), f"{where}.{field}", "field required")

    # -- turns --------------------------------------------------------------------------------------

    def turn(self, before: _Turn | None, turn: _Turn, after: _Turn | None) -> None:
        if turn.role == "assistant":
            self.calls(turn, after)
            if turn.held and turn.held[-1][1]["type"] in blocks.THINKING:
                self.report(turn.path, "the final block in an assistant message cannot be thinking")
            return
        called = [block.get("id") for _, block in before.having("tool_use")] if before else []
        uses = {id for id in called if isinstance(id, str)}
        seen: set[str] = set()
        later = False  # whether something else came before
        for path, block in turn.held:
            if block["type"] != "tool_result":
                later = True
                continue
            id = str(block.get("tool_use_id"))
            if id not in uses:
                self.report(
                    path, f"unexpected tool_use_id in tool_result blocks: {id}: no such call just before"
                )
            elif id in seen:
                self.report(path, f"each tool_use must have a single result: {id}")
            elif later:
                self.report(path, "tool_result blocks must come first in their turn")
            seen.add(id)

    def calls(self, turn: _Turn, after: _Turn | None) -> None:
        results = (
            {str(block.get("tool_use_id")) for _, block in after.having("tool_result")} if after else ()
        )
        seen: set[str] = set()
        for path, block in turn.having("tool_use"):
            id = str(block.get("id"))
            if id in seen:
                self.report(path, f"tool_use ids must be unique: {id}")
            elif id not in results:
                self.report(
                    path, f"tool_use ids were found without tool_result blocks immediately after: {id}"
                )
            seen.add(id)

    def system(self, before: _Turn | None, turn: _Turn, after: _Turn | None) -> None:
        if not blocks.takes_system(self.body.get("model")) and blocks.version(self.body.get("model"))[1]:
            self.report(f"{turn.path}.role", "role 'system' is not supported on this model")
        server = before and before.held and before.held[-1][1]["type"] == "server_tool_use"
        follows = before is not None and (before.role == "user" or server)
        self.require(follows, turn.path, "a system message must follow a user message")
        precedes = after is None or after.role == "assistant"
        self.require(precedes, turn.path, "a system message must be last or precede an assistant message")

    def end(self, messages: list[Any]) -> None:
        """What depends on thinking and on the model: a prefill, the thinking that begins a loop."""
        thinking = object_of(self.body.get("thinking"))
        last = object_of(messages[-1])
        path = f"messages.{len(messages) - 1}"
        if not thinks(thinking, [message for message in messages if isinstance(message, dict)]):
            self.report(path, "expected thinking first in the model's last turn, for thinking is enabled")
        if last.get("role") != "assistant":
            return
        content = last.get("content")
        held = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if thinking.get("type", "disabled") == "disabled" and any(
            object_of(block).get("type") in blocks.THINKING for block in held
        ):
            self.report(path, "with thinking disabled, a final assistant message cannot contain thinking")
        text = object_of(held[-1]).get("text") if held else None
        if isinstance(text, str):
            if text != text.rstrip():
                self.report(path, "final assistant content cannot end with trailing whitespace")
            if blocks.version(self.body.get("model"))[1:] >= _NO_PREFILL:
                self.report(
                    path, "this model does not support assistant message prefill: end with a user message"
                )


_BLOCK_RULES = {
    "thinking": _Validator.thinking, "redacted_thinking": _Validator.redacted,
    "tool_use": _Validator.tool_use,
    "tool_result": _Validator.tool_result, "image": _Validator.media, "document": _Validator.media,
}  # fmt: skip


def _marked(value: Any, path: str) -> Any:
    """Everything with a cache mark, with its path, in the order of the prompt."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _marked(item, f"{path}.{number}")
    elif isinstance(value, dict):
        for key in ("tools", "system", "messages", "content"):
            yield from _marked(value.get(key), f"{path}.{key}".lstrip("."))
        if value.get("cache_control"):
            yield path or "cache_control", value

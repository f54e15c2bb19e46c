"""Build Anthropic's request body (`POST /v1/messages`).

User messages are not joined (the API does that), so that later messages never change the bytes of earlier
ones. Consecutive model messages are joined, because no request is sent between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...session.model import Any, Json, Message
from ..array import Array
from ..media import media
from ..names import CallIds
from ..parts import arguments, blocks_of, item_of, list_of, name_of, object_of, paragraphs
from ..request import Options, Request, Tool
from ..tools import declared
from ..turns import CONTINUATION, EMPTY_MESSAGE, Turn
from . import FIELD, NAME, blocks
from .blocks import text_block, without_mark

MAX_TOKENS = 8192  # the API requires a limit
MARK = {"type": "ephemeral"}
MARKS = 4
NOTED = "(noted)"  # the model message that the API requires after a system message
_OF_A_CALL = ("caller", "toolset_name")
_AROUND = (FIELD, "max_tokens", "system", "stream", "thinking")


def build(messages: Sequence[Message], options: Options, summaries: Sequence[str]) -> Request:
    """Build the body for curated, paired messages; no element of its array depends on later ones.

    Options take precedence over the settings of an imported body.
    """
    work, settings = _Conversation(options), options.settings
    work.fill(messages, summaries)
    work.finish(last=True)
    body: Json = {"model": options.model} if options.model else {}
    budget = object_of(settings.get("thinking")).get("budget_tokens")
    default = MAX_TOKENS + (budget if isinstance(budget, int) else 0)
    limit = options.max_tokens
    body["max_tokens"] = limit if limit is not None else settings.get("max_tokens", default)
    if options.stream or "stream" in settings:
        body["stream"] = options.stream or settings["stream"]
    system, text = settings.get("system"), options.system or ""
    if system is None or system_text(system) != text:  # else imported blocks with the same text
        system = text if blocks.has_text(text) else None
    if system:
        body["system"] = system
    tools = declared(options.tools, NAME, _declare, work.notes)
    if tools:
        body["tools"] = tools
    elif work.ids.taken:
        work.notes.append(
            "the history has tool calls but no tools are declared, which Anthropic may refuse: --tools"
        )
    if "thinking" in settings:
        if options.faithful or thinks(settings["thinking"], work.array):
            body["thinking"] = settings["thinking"]
        else:
            work.notes.append(
                "thinking is left out: the model's last turn was not made with it, or is to be continued"
            )
    body[FIELD] = work.array
    body |= work.settings(*_AROUND)
    if not tools and "mcp_servers" not in body:
        body.pop("tool_choice", None)  # "tool_choice may only be specified while providing tools"
    return work.request(_marked(body) if options.cache else body)


def system_text(system: Any) -> str:
    """The text of a system prompt; blocks are joined by blank lines."""
    return system if isinstance(system, str) else paragraphs(system)


def _declare(tool: Tool) -> Json:
    """A function's declaration; its schema must have the type object."""
    function = tool.head(blocks.NAMES.fit(tool.name or "tool"))
    return {**function, "input_schema": {**tool.parameters, "type": "object"}}


def thinks(thinking: Any, messages: list[Json]) -> bool:
    """Whether thinking with a fixed budget may be enabled: the last loop of calls must begin with thinking.

    "When thinking is enabled, a final assistant message must start with a thinking block (preceding the
    lastmost set of tool_use and tool_result blocks)". A prefilled model message rules it out, too.
    """
    if object_of(thinking).get("type") != "enabled":
        return True
    first: list[Any] | None = None
    for message in reversed(messages):
        kinds = _kinds(message)
        if message.get("role") == "assistant":
            first = kinds
        elif message.get("role") == "user" and "tool_result" not in kinds:
            break
    return first is None or (first or [""])[0] in blocks.THINKING


def _kinds(message: Json) -> list[Any]:
    """The types of a message's blocks; a string counts as a text block."""
    content = message.get("content")
    return ["text"] if isinstance(content, str) else [object_of(b).get("type") for b in list_of(content)]


def _marked(body: Json) -> Json:
    """Set cache marks on the last tool, the last system block, and the ends of the newest requests.

    The API looks for an earlier mark at most 20 blocks back, so the end of the previous request is marked
    too, however many blocks were added since. Marks of an imported body are removed, because at most four
    are allowed.
    """
    result, remaining = dict(body), MARKS - ("cache_control" in body)
    for key in ("tools", "system"):
        items = blocks_of(body.get(key))
        if not items:
            continue
        result[key] = bare = [without_mark(object_of(item)) for item in items]
        for item in [item for item in bare if not item.get("defer_loading")][-1:]:
            item["cache_control"] = MARK
            remaining -= 1
    messages = result[FIELD] = list(body[FIELD])
    following = [*(message["role"] for message in messages[1:]), ""]
    ends = [
        number for number, message in enumerate(messages)
        if message["role"] == "user" != following[number] and message["content"]
    ]  # fmt: skip
    for number in ends[-remaining:]:
        *content, last = messages[number]["content"]
        marked = [*content, {**last, "cache_control": MARK}]
        messages[number] = {**messages[number], "content": marked}
    return result


class _Conversation(Array):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options)
        self.ids = CallIds(blocks.IDS.fit, faithful=options.faithful, reuse=True)

    def _emit(self, role: str, content: list[Any], sources: str | list[str]) -> None:
        last = self.array[-1]["role"] if self.array else ""
        if role == "assistant" and last == role:
            before = self.array.pop()["content"]
            if self.trace:
                merged = self.sources.pop()
                sources = [*(merged if before or not content else ()), *[str(sources)] * len(content)]
            before += content
            content = before
        elif not self.faithful and role == "assistant" and not last:
            self._emit("user", [text_block(CONTINUATION)], "")
        elif not self.faithful and role == "user" and last == "system":
            self._emit("assistant", [text_block(NOTED)], "")
        self.add({"role": role, "content": content}, sources)

    # -- user messages and results ------------------------------------------------------------------

    def add_user_turn(self, turn: Turn) -> None:
        self.finish()
        content = [block for part in turn.parts for block in self._block(part, turn, own=True)]
        if turn.item.get("role") == "system":
            self._system(content, turn.id)
            return
        if not content and not self.faithful:
            content = [text_block(EMPTY_MESSAGE)]
        self._emit("user", content, turn.id)

    def _system(self, content: list[Any], id: str) -> None:
        """Add a system message if the model accepts it here, after a user message; else a user message."""
        after = self.array[-1]["role"] if self.array else "assistant"
        fits = all(block["type"] == "text" or block["type"].startswith("tool_") for block in content)
        if blocks.takes_system(self.model) and after != "assistant" and fits:
            if content:
                self._emit("system", content, id)
            return
        texts = [block for block in content if block["type"] in ("text", "image", "document")]
        if texts or after == "assistant":
            texts = texts or [text_block(EMPTY_MESSAGE)]
            self._emit("user", texts, id)

    def add_results(self, turn: Turn) -> None:
        """Add all results of a model turn as one message."""
        self.finish()
        content = []
        for part, id, answer in zip(turn.parts, self.ids.results(turn), turn.answers, strict=True):
            stub = partial(self.stub, source=answer.message.id)
            content.append(blocks.result_block(part, id, stub))
        self._emit("user", content, turn.sources)

    # -- model messages -----------------------------------------------------------------------------

    def add_model_turn(self, turn: Turn) -> None:
        ids = iter(self.ids.calls(turn))
        own = turn.made_by(NAME, self.model)
        content: list[Any] = []
        for part in turn.parts:
            if "functionCall" in part:
                name = blocks.NAMES.fit(part["functionCall"].get("name") or "tool")
                call = {"type": "tool_use", "id": next(ids), "name": name, "input": arguments(part)}
                if own and "item" in part:
                    call |= {key: value for key, value in item_of(part).items() if key in _OF_A_CALL}
                content.append(call)
            elif not part.get("thought"):
                content += self._block(part, turn, own=own)
            elif own and isinstance(part.get("text"), str) and name_of(part.get("thoughtSignature")):
                signature = part["thoughtSignature"]
                content.append({"type": "thinking", "thinking": part["text"], "signature": signature})
        if content or self.faithful:
            self._emit("assistant", content, turn.id)

    def finish(self, *, last: bool = False) -> None:
        """Finish a model message: remove thinking at its end, and whitespace at the end of a request.

        "The final block in an assistant message cannot be `thinking`", and with thinking disabled, an
        assistant message "in the final position cannot contain `thinking`" at all.
        """
        if not self.array or self.array[-1]["role"] != "assistant" or self.faithful:
            return
        content = self.array[-1]["content"]
        if not last and content[-1].get("type") not in blocks.THINKING:
            return
        off = (
            last and object_of(self.options.settings.get("thinking")).get("type", "disabled") == "disabled"
        )
        kept = list(enumerate(content))
        while kept and kept[-1][1].get("type") in blocks.THINKING:
            kept.pop()
        if off:
            kept = [(n, block) for n, block in kept if block.get("type") not in blocks.THINKING]
        message = self.array.pop()
        sources = self.sources.pop() if self.trace else []
        content = [block for _, block in kept]
        if not content:
            return
        if last and content[-1].get("type") == "text":
            content[-1] = {**content[-1], "text": content[-1]["text"].rstrip()}
        self.add({**message, "content": content}, [sources[n] for n, _ in kept] if self.trace else [])

    # -- parts --------------------------------------------------------------------------------------

    def _block(self, part: Any, turn: Turn, *, own: bool) -> list[Any]:
        """The block for a part that is not a call (code becomes text); [] if it is not sent."""
        user, text = turn.role == "user", part.get("text")
        if isinstance(text, str):
            if not (self.faithful or blocks.has_text(text)):
                return []
            cited = own and not user and part.get("citations")
            return [{**text_block(text), "citations": cited} if cited else text_block(text)]
        if media(part) is not None:
            block = blocks.media_block(part) if user else "a model's message holds no media"
            return [text_block(self.stub(part, block, turn.id)) if isinstance(block, str) else block]
        native = blocks.native_block(part, turn.role)
        if native is not None and own:
            return [native]
        code, result = object_of(part.get("executableCode")), object_of(part.get("codeExecutionResult"))
        for text, language in ((code.get("code"), code.get("language")), (result.get("output"), "")):
            if blocks.has_text(text):
                return [text_block(f"```{str(language or '').lower()}\n{text}\n```")]
        self.left_out(part, turn.id)
        return []

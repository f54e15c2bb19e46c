"""What stands around Anthropic's messages: system, tools, settings, cache marks."""

from __future__ import annotations

from ...session.model import Any, Json
from ..array import Array
from ..base import Tool
from ..parts import listed, object_of
from ..tools import declared
from . import FIELD, NAME, blocks

MAX_TOKENS = 8192  # the API requires a limit
MARK = {"type": "ephemeral"}
MARKS = 4
_AROUND = (FIELD, "max_tokens", "system", "stream", "thinking")


def body(work: Array, *, called: bool) -> Json:
    """The whole body. Settings of an imported body go back; options given now win over them."""
    options, settings = work.options, work.options.settings
    result: Json = {"model": options.model} if options.model else {}
    budget = object_of(settings.get("thinking")).get("budget_tokens")
    default = MAX_TOKENS + (budget if isinstance(budget, int) else 0)
    limit = options.max_tokens
    result["max_tokens"] = limit if limit is not None else settings.get("max_tokens", default)
    if options.stream or "stream" in settings:
        result["stream"] = options.stream or settings["stream"]
    system, text = settings.get("system"), options.system or ""
    if system is None or system_text(system) != text:  # imported blocks stay while they say the same
        system = text if blocks.says(text) else None
    if system:
        result["system"] = system
    tools = declared(options.tools, NAME, _function, work.notes)
    if tools:
        result["tools"] = tools
    elif called:
        work.notes.append(
            "the history has tool calls but no tools are declared, which Anthropic may refuse: --tools"
        )
    if "thinking" in settings:
        if options.faithful or thinks(settings["thinking"], work.array):
            result["thinking"] = settings["thinking"]
        else:
            work.notes.append(
                "thinking is left out: the model's last turn was not made with it, or is to be continued"
            )
    result[FIELD] = work.array
    result |= work.settings(*_AROUND)
    if not tools and "mcp_servers" not in result:
        result.pop("tool_choice", None)  # "tool_choice may only be specified while providing tools"
    return _marked(result) if options.cache else result


def system_text(system: Any) -> str:
    """The texts of a system prompt, a blank line between."""
    if isinstance(system, str):
        return system
    texts = [object_of(block).get("text") for block in listed(system)]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def _function(tool: Tool) -> Json:
    """A function's declaration; its schema must be an object's."""
    function = tool.head(blocks.NAMES.fit(tool.name or "tool"))
    schema = tool.parameters
    function["input_schema"] = schema if schema.get("type") == "object" else {**schema, "type": "object"}
    return function


# -- thinking -------------------------------------------------------------------------------------------


def thinks(thinking: Any, messages: list[Json]) -> bool:
    """Whether thinking of a fixed budget may be on: the loop at the end must begin with it.

    "When thinking is enabled, a final assistant message must start with a thinking block (preceding the
    lastmost set of tool_use and tool_result blocks)"; nor can a model's unfinished message be continued.
    """
    if object_of(thinking).get("type") != "enabled":
        return True
    first: Json | None = None
    for message in reversed(messages):
        if message.get("role") == "assistant":
            first = message
        elif message.get("role") == "user" and "tool_result" not in _kinds(message):
            break
    return first is None or (_kinds(first) or [""])[0] in blocks.THINKING


def _kinds(message: Json) -> list[Any]:
    """The types of a message's blocks; a text's for content that is one text."""
    content = message.get("content")
    return ["text"] if isinstance(content, str) else [object_of(b).get("type") for b in listed(content)]


# -- cache ----------------------------------------------------------------------------------------------


def _marked(body: Json) -> Json:
    """The body with cache marks: on the last tool, the last system block, and where requests end.

    A mark is found again from at most 20 blocks further on, so the request before this one is marked where
    it ended, too: its mark is then met exactly, however much the last step added. Marks that an imported
    body had go, for there may be four.
    """
    left = MARKS - ("cache_control" in body)
    result = dict(body)
    tools = [_bare(tool) for tool in body.get("tools") or ()]
    last = next((n for n in reversed(range(len(tools))) if not tools[n].get("defer_loading")), None)
    if tools:
        result["tools"] = tools
    if last is not None:
        tools[last]["cache_control"] = MARK
        left -= 1
    system = body.get("system")
    if system:
        blocks_ = [{"type": "text", "text": system}] if isinstance(system, str) else map(_bare, system)
        result["system"] = [*blocks_]
        result["system"][-1]["cache_control"] = MARK
        left -= 1
    messages = list(body[FIELD])
    for number in _ends(messages)[-left:]:
        content = messages[number]["content"]
        marked = [*content[:-1], {**content[-1], "cache_control": MARK}]
        messages[number] = {**messages[number], "content": marked}
    return {**result, FIELD: messages}


def _bare(value: Any) -> Json:
    return {key: item for key, item in object_of(value).items() if key != "cache_control"}


def _ends(messages: list[Json]) -> list[int]:
    """Where requests ended: users' messages before a model's, and the last."""
    roles = [*(message["role"] for message in messages), ""]
    return [
        number
        for number, message in enumerate(messages)
        if roles[number] == "user" and message["content"] and roles[number + 1] != "user"
    ]

"""What stands around Anthropic's messages: system, tools, settings, cache marks."""

from __future__ import annotations

from ...session.model import Any, Json
from ..base import Options, Tool
from ..parts import object_of
from ..tools import declared
from . import FIELD, NAME, blocks

MAX_TOKENS = 8192  # the API requires a limit
MARK = {"type": "ephemeral"}
MARKS = 4
_AROUND = (FIELD, "model", "max_tokens", "system", "tools", "stream", "thinking")


def body(options: Options, messages: list[Json], notes: list[str], *, called: bool) -> Json:
    """The whole body. Settings of an imported body go back; options given now win over them."""
    settings = options.settings
    result: Json = {}
    if options.model:
        result["model"] = options.model
    result["max_tokens"] = _limit(options)
    if options.stream or "stream" in settings:
        result["stream"] = options.stream or settings["stream"]
    system = _system(options)
    if system:
        result["system"] = system
    tools = declared(options.tools, NAME, _function, notes)
    if tools:
        result["tools"] = tools
    elif called:
        notes.append(
            "the history has tool calls but no tools are declared, which Anthropic may refuse: --tools"
        )
    if "thinking" in settings:
        if options.faithful or thinks(settings["thinking"], messages):
            result["thinking"] = settings["thinking"]
        else:
            notes.append(
                "thinking is left out: the model's last turn was not made with it, or is to be continued"
            )
    result[FIELD] = messages
    result |= {key: value for key, value in settings.items() if key not in _AROUND}
    if not tools and "mcp_servers" not in result:
        result.pop("tool_choice", None)  # "tool_choice may only be specified while providing tools"
    return _marked(result) if options.cache else result


def _limit(options: Options) -> Any:
    """`max_tokens`: as asked, as imported, else a default above the thinking budget."""
    if options.max_tokens is not None:
        return options.max_tokens
    if "max_tokens" in options.settings:
        return options.settings["max_tokens"]
    budget = object_of(options.settings.get("thinking")).get("budget_tokens")
    return MAX_TOKENS + (budget if isinstance(budget, int) else 0)


def _system(options: Options) -> Any:
    """The system prompt: the imported blocks while they say the same, else the text."""
    kept, text = options.settings.get("system"), options.system or ""
    if kept is not None and system_text(kept) == text:
        return kept
    return text if blocks.says(text) else None


def system_text(system: Any) -> str:
    """The texts of a system prompt, a blank line between."""
    if isinstance(system, str):
        return system
    texts = [object_of(block).get("text") for block in system] if isinstance(system, list) else []
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
    if isinstance(content, str):
        return ["text"]
    return [object_of(block).get("type") for block in content] if isinstance(content, list) else []


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
    end = max((number for number, tool in enumerate(tools) if not tool.get("defer_loading")), default=-1)
    if end >= 0:
        tools[end] = {**tools[end], "cache_control": MARK}
        left -= 1
    if tools:
        result["tools"] = tools
    system = body.get("system")
    if isinstance(system, str):
        system = [{"type": "text", "text": system}]
    if system:
        system = [_bare(block) for block in system]
        result["system"] = [*system[:-1], {**system[-1], "cache_control": MARK}]
        left -= 1
    messages = list(body[FIELD])
    for number in _ends(messages)[-left:]:
        content = messages[number]["content"]
        last = {**content[-1], "cache_control": MARK}
        messages[number] = {**messages[number], "content": [*content[:-1], last]}
    return {**result, FIELD: messages}


def _bare(value: Any) -> Json:
    return {key: item for key, item in object_of(value).items() if key != "cache_control"}


def _ends(messages: list[Json]) -> list[int]:
    """Where requests ended: users' messages before a model's, and the last."""
    return [
        number
        for number, message in enumerate(messages)
        if message["role"] == "user"
        and message["content"]
        and (number + 1 == len(messages) or messages[number + 1]["role"] != "user")
    ]

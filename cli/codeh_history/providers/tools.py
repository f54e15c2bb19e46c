"""Tool declarations in any provider's shape, read into one form and declared again in another's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..session.model import Json

GEMINI, CHAT, RESPONSES, ANTHROPIC = "gemini", "openai-chat", "openai-responses", "anthropic"

_DATED = re.compile(r"_20\d{6}$|^mcp_toolset$")  # anthropic's server tools: web_search_20250305
_GEMINI_FUNCTIONS = ("functionDeclarations", "function_declarations")
_GEMINI_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema")
_WRAPPERS = ("tools", *_GEMINI_FUNCTIONS)
_SCHEMAS = (*_GEMINI_SCHEMAS, "inputSchema", "input_schema", "parameters")
_OF_A_FUNCTION = {"type", "name", "description", *_SCHEMAS}


@dataclass(frozen=True)
class Tool:
    """One tool: a function, or (`native`) something that only the provider of `shape` knows.

    `parameters` is a JSON Schema object, `{}` if none was given; `extra` holds the declaration's other
    keys (`strict`, `cache_control`, …). `shape` is empty for a declaration that is no provider's own.
    `source` is the element of the provider's `tools` array that declares it (several Gemini functions
    share one), so that a provider gets its own shape back verbatim.
    """

    name: str
    description: str | None
    parameters: Json
    extra: Json
    native: Json | None
    shape: str
    source: Json = field(default_factory=dict)


def read(tools: Sequence[Json]) -> list[Tool]:
    """Every tool declared, in order; a wrapper `{"tools": […]}` stands for what it holds."""
    return [tool for element in _elements(tools) for tool in _read_element(element)]


def declared(
    tools: Sequence[Json], target: str, declare: Callable[[Tool], Json], notes: list[str]
) -> list[Json]:
    """The `tools` array for a provider: its own shapes verbatim, other functions as `declare` gives them.

    Left out, with a note: another provider's native tool, and a function of a name declared before.
    """
    result: list[Json] = []
    sent: list[Json] = []  # elements already there: one that declares several tools is sent once
    names: set[str] = set()
    for tool in read(tools):
        if any(tool.source is other for other in sent):
            continue
        if tool.native is None and tool.name in names:
            notes.append(f"tool {tool.name} is declared twice: the first declaration is sent")
        elif tool.shape == target:
            sent.append(tool.source)
            result.append(tool.source)
        elif tool.native is None:
            result.append(declare(tool))
        else:
            owner = f"a tool of {tool.shape}" if tool.shape else "not a tool declaration"
            notes.append(f"tool {tool.name} is {owner}: not sent to {target}")
        names.update([tool.name] if tool.native is None else [])
    return result


def _elements(tools: Any) -> Iterator[Any]:
    if isinstance(tools, dict) and not any(key in tools for key in _WRAPPERS):
        tools = [tools]
    for element in [tools] if isinstance(tools, dict) else tools or ():
        if isinstance(element, dict) and isinstance(element.get("tools"), list) and "type" not in element:
            yield from _elements(element["tools"])
        else:
            yield element


def _read_element(element: Any) -> Iterator[Tool]:
    if not isinstance(element, dict):
        yield _native(str(element)[:40], {"value": element}, "", {})
        return
    kind, name = element.get("type"), element.get("name")
    function = element.get("function")
    if isinstance(function, dict) and isinstance(function.get("name"), str):
        yield _function(function, CHAT, element, "parameters")
    elif any(isinstance(element.get(key), list) for key in _GEMINI_FUNCTIONS):
        yield from _gemini(element)
    elif isinstance(element.get("input_schema"), dict) and isinstance(name, str):
        yield _function(element, ANTHROPIC, element, "input_schema")
    elif isinstance(name, str) and kind in ("function", None):
        shape = RESPONSES if kind else ""  # MCP and others say no type
        yield _function(element, shape, element, _schema_key(element))
    else:
        yield _native(str(name or kind or next(iter(element), "?")), element, _owner(element), element)


def _owner(element: Json) -> str:
    """The provider whose server tool this is."""
    kind = element.get("type")
    if not isinstance(kind, str):
        return GEMINI if element and "name" not in element else ""
    if _DATED.search(kind):
        return ANTHROPIC
    return CHAT if kind == "custom" and "custom" in element else RESPONSES


def _schema_key(data: Json) -> str:
    return next((key for key in _SCHEMAS if isinstance(data.get(key), dict)), "parameters")


def _gemini(element: Json) -> Iterator[Tool]:
    """A Gemini tool object: its functions, then the server tools beside them."""
    for key, value in element.items():
        if key not in _GEMINI_FUNCTIONS or not isinstance(value, list):
            yield _native(key, {key: value}, GEMINI, element)
            continue
        for function in value:
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                yield _native(str(function)[:40], {key: [function]}, GEMINI, element)
                continue
            yield _function(function, GEMINI, element, _schema_key(function))


def _native(name: str, value: Json, shape: str, source: Json) -> Tool:
    return Tool(name, None, {}, {}, value, shape, source)


def _function(data: Json, shape: str, source: Json, schema: str) -> Tool:
    description = data.get("description")
    parameters = data.get(schema)
    if not isinstance(parameters, dict):
        parameters = {}
    elif schema == "parameters" and shape in (GEMINI, ""):
        parameters = json_schema(parameters)
    return Tool(
        name=data["name"],
        description=description if isinstance(description, str) else None,
        parameters=parameters,
        extra={key: value for key, value in data.items() if key not in _OF_A_FUNCTION},
        native=None,
        shape=shape,
        source=source,
    )


_WORDS = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
_COUNTS = {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}


def json_schema(schema: Any) -> Any:
    """JSON Schema for Gemini's OpenAPI-style `Schema`; what is JSON Schema already stays as it is.

    Types become lower case, `nullable` a type union, counts written as text numbers; the order of
    properties is Gemini's own affair.
    """
    if isinstance(schema, list):
        return [json_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result: Json = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str):
            if value.upper() != "TYPE_UNSPECIFIED":
                result[key] = value.lower() if value in _WORDS else value
        elif key == "properties" and isinstance(value, dict):
            result[key] = {name: json_schema(child) for name, child in value.items()}
        elif key in ("items", "anyOf", "additionalProperties"):
            result[key] = json_schema(value)
        elif key in _COUNTS and isinstance(value, str) and value.isascii() and value.isdigit():
            result[key] = int(value)
        elif key not in ("propertyOrdering", "property_ordering", "nullable"):
            result[key] = value
    if schema.get("nullable") is True:
        _allow_null(result)
    return result


def _allow_null(schema: Json) -> None:
    kind = schema.get("type")
    if isinstance(kind, str):
        schema["type"] = [kind, "null"]
    elif isinstance(schema.get("anyOf"), list):
        schema["anyOf"] = [*schema["anyOf"], {"type": "null"}]
    if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
        schema["enum"] = [*schema["enum"], None]

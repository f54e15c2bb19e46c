"""Read tool declarations in any provider's shape, and declare them in another's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..session.model import Any, Json
from . import packages
from .parts import object_of
from .request import Tool

_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "inputSchema", "input_schema", "parameters")


def read(tools: Any) -> list[Tool]:
    """All declared tools, in order; a wrapper `{"tools": […]}` counts as its elements."""
    result: list[Tool] = []
    for element in [tools] if isinstance(tools, dict) else tools or ():
        if not isinstance(element, dict):
            result.append(Tool(name=str(element)[:40], shape="", source={}, native=True))
        elif isinstance(element.get("tools"), list) and "type" not in element:
            result += read(element["tools"])
        else:
            readers = (*(package.tools for package in packages().values()), _unknown)
            result += next(tools for reader in readers if (tools := reader(element)) is not None)
    return result


def _unknown(element: Json) -> list[Tool]:
    """A tool in no provider's shape: a function as in MCP, or something unknown."""
    name, kind = element.get("name"), element.get("type")
    if isinstance(name, str) and kind is None:
        return [function(element, "", element, clean=True)]
    name = str(name or kind or next(iter(element), "?"))
    return [Tool(name=name, shape="", source=element, native=True)]


def declared(
    tools: Sequence[Json], target: str, declare: Callable[[Tool], Json], notes: list[str]
) -> list[Json]:
    """The `tools` array for a provider: its own declarations unchanged, other functions by `declare`.

    Another provider's native tools, and functions whose name is already declared, are left out with a note.
    """
    result: list[Json] = []
    sent: list[Json] = []  # an element that declares several tools is sent once
    names: set[str] = set()
    for tool in read(tools):
        if any(tool.source is other for other in sent):
            continue
        if not tool.native and tool.name in names:
            notes.append(f"tool {tool.name} is declared twice: the first declaration is sent")
        elif tool.shape == target:
            sent.append(tool.source)
            result.append(tool.source)
        elif not tool.native:
            result.append(declare(tool))
        else:
            owner = f"a tool of {tool.shape}" if tool.shape else "not a tool declaration"
            notes.append(f"tool {tool.name} is {owner}: not sent to {target}")
        names.update([] if tool.native else [tool.name])
    return result


def function(data: Json, shape: str, source: Json, schema: str = "", *, clean: bool = False) -> Tool:
    """A function; `schema`: the key of its parameters; `clean`: these may be an OpenAPI `Schema`."""
    schema = schema or next((key for key in _SCHEMAS if isinstance(data.get(key), dict)), "")
    description, parameters = data.get("description"), object_of(data.get(schema))
    return Tool(
        name=data["name"], description=description if isinstance(description, str) else None,
        parameters=json_schema(parameters) if schema == "parameters" and clean else parameters,
        strict=data.get("strict"), shape=shape, source=source,
    )  # fmt: skip


_WORDS = {"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
_COUNTS = {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"}


def json_schema(schema: Any) -> Any:
    """Convert Gemini's OpenAPI-style `Schema` to JSON Schema; JSON Schema stays unchanged.

    Types become lower case, `nullable` becomes a type union, counts in strings become numbers; the order of
    properties, which only Gemini uses, is dropped.
    """
    if not isinstance(schema, dict):
        return [json_schema(item) for item in schema] if isinstance(schema, list) else schema
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
        kind, choices = result.get("type"), result.get("anyOf")
        if isinstance(kind, str):
            result["type"] = [kind, "null"]
        elif isinstance(choices, list):
            result["anyOf"] = [*choices, {"type": "null"}]
        if isinstance(result.get("enum"), list) and None not in result["enum"]:
            result["enum"] = [*result["enum"], None]
    return result

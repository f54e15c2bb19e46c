"""Tool declarations: every provider's shape is read, its own goes back verbatim."""

import pytest

from codeh_history.providers.tools import declared, json_schema, read

OBJECT = {"type": "object", "properties": {"p": {"type": "string"}}}
CHAT = {"type": "function", "function": {"name": "f", "parameters": OBJECT, "strict": True}}
RESPONSES = {"type": "function", "name": "f", "description": "d", "parameters": OBJECT, "strict": False}
ANTHROPIC = {"name": "f", "input_schema": OBJECT, "cache_control": {"type": "ephemeral"}}
GEMINI = {
    "functionDeclarations": [{"name": "f", "parametersJsonSchema": OBJECT}, {"name": "g"}],
    "googleSearch": {},
}

SHAPES = {
    "chat": ([CHAT], [("f", "openai-chat", False)]),
    "responses": ([RESPONSES], [("f", "openai-responses", False)]),
    "anthropic": ([ANTHROPIC], [("f", "anthropic", False)]),
    "gemini": ([GEMINI], [("f", "gemini", False), ("g", "gemini", False), ("googleSearch", "gemini", True)]),
    "snake case": ([{"function_declarations": [{"name": "f"}]}], [("f", "gemini", False)]),
    "wrapper": ([{"tools": [CHAT, {"tools": [ANTHROPIC]}]}], [("f", "openai-chat", False), ("f", "anthropic", False)]),
    "one object": (CHAT, [("f", "openai-chat", False)]),
    "wrapper alone": ({"tools": [CHAT]}, [("f", "openai-chat", False)]),
    "mcp": ([{"name": "f", "inputSchema": OBJECT}], [("f", "", False)]),
    "bare": ([{"name": "f", "parameters": OBJECT}], [("f", "", False)]),
    "openai's own": ([{"type": "web_search"}], [("web_search", "openai-responses", True)]),
    "anthropic's own": ([{"type": "web_search_20250305", "name": "web_search"}], [("web_search", "anthropic", True)]),
    "anthropic's mcp": ([{"type": "mcp_toolset", "mcp_server_name": "s"}], [("mcp_toolset", "anthropic", True)]),
    "chat's custom": ([{"type": "custom", "custom": {"name": "c"}}], [("custom", "openai-chat", True)]),
    "gemini's own": ([{"codeExecution": {}}], [("codeExecution", "gemini", True)]),
    "namespace": ([{"type": "namespace", "name": "n", "tools": [RESPONSES]}], [("n", "openai-responses", True)]),
    "nonsense": ([7, {}, "x"], [("7", "", True), ("?", "", True), ("x", "", True)]),
    "none": ([], []),
}  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), SHAPES.values(), ids=SHAPES)
def test_shape(given, expected):
    assert [(tool.name, tool.shape, tool.native is not None) for tool in read(given)] == expected


@pytest.mark.parametrize("given", [[CHAT], [ANTHROPIC], [GEMINI], [{"name": "f", "parameters": OBJECT}]])
def test_parameters_are_json_schema(given):
    assert read(given)[0].parameters == OBJECT


def test_other_keys_are_kept():
    assert read([CHAT])[0].extra == {"strict": True}
    assert read([ANTHROPIC])[0].extra == {"cache_control": {"type": "ephemeral"}}


SCHEMAS = {
    "types": ({"type": "OBJECT", "properties": {"type": {"type": "STRING"}}},
              {"type": "object", "properties": {"type": {"type": "string"}}}),
    "nullable": ({"type": "STRING", "nullable": True, "enum": ["a"]},
                 {"type": ["string", "null"], "enum": ["a", None]}),
    "nullable union": ({"anyOf": [{"type": "STRING"}], "nullable": True},
                       {"anyOf": [{"type": "string"}, {"type": "null"}]}),
    "counts": ({"type": "ARRAY", "minItems": "1", "items": {"type": "INTEGER"}},
               {"type": "array", "minItems": 1, "items": {"type": "integer"}}),
    "order": ({"type": "OBJECT", "propertyOrdering": ["b", "a"]}, {"type": "object"}),
    "unspecified": ({"type": "TYPE_UNSPECIFIED"}, {}),
    "a property's default": ({"properties": {"p": {"default": {"type": "STRING"}}}},
                             {"properties": {"p": {"default": {"type": "STRING"}}}}),
    "json schema already": (OBJECT, OBJECT),
}  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), SCHEMAS.values(), ids=SCHEMAS)
def test_openapi_schema_becomes_json_schema(given, expected):
    assert json_schema(given) == expected


def _named(tool):
    return {"made": tool.name}


def test_its_own_shape_goes_back_verbatim_and_once():
    notes = []
    other = {"type": "function", "name": "h"}
    assert declared([GEMINI, other], "gemini", _named, notes) == [GEMINI, {"made": "h"}]
    assert notes == []


def test_another_providers_own_tool_is_left_out_with_a_note():
    notes = []
    assert declared([GEMINI, 7], "openai-chat", _named, notes) == [{"made": "f"}, {"made": "g"}]  # type: ignore[list-item]
    assert notes == [
        "tool googleSearch is a tool of gemini: not sent to openai-chat",
        "tool 7 is not a tool declaration: not sent to openai-chat",
    ]


def test_a_function_is_declared_once():
    """Providers refuse two tools of one name."""
    notes = []
    assert declared([ANTHROPIC, CHAT], "openai-chat", _named, notes) == [{"made": "f"}]
    assert notes == ["tool f is declared twice: the first declaration is sent"]

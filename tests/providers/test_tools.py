"""Declarations of tools in every provider's shape, and usage in one."""

import pytest

from codeh_history.providers import usage
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


@pytest.mark.parametrize(("tools", "expected"), SHAPES.values(), ids=SHAPES)
def test_shape(tools, expected):
    assert [(tool.name, tool.shape, tool.native) for tool in read(tools)] == expected


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


@pytest.mark.parametrize(("schema", "expected"), SCHEMAS.values(), ids=SCHEMAS)
def test_openapi_schema_becomes_json_schema(schema, expected):
    assert json_schema(schema) == expected


def _named(tool):
    return {"made": tool.name}


def test_own_shape_is_sent_verbatim_once():
    notes = []
    other = {"type": "function", "name": "h"}
    assert declared([GEMINI, other], "gemini", _named, notes) == [GEMINI, {"made": "h"}]
    assert notes == []


def test_native_tool_of_another_provider_is_omitted_with_a_note():
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


@pytest.mark.parametrize(("raw", "path", "count"), [
    ({"a": 7}, ("a",), 7), ({"a": 0}, ("a",), 0), ({"a": {"b": 7}}, ("a", "b"), 7), ({"a": 7}, ("a", "b"), None),
    ({"a": -1}, ("a",), None), ({"a": True}, ("a",), None), ({"a": 1.0}, ("a",), None), ({"a": "7"}, ("a",), None),
    ({"a": 2**53}, ("a",), None), ({"a": 2**53 - 1}, ("a",), 2**53 - 1), (None, ("a",), None), ([7], (0,), None),
    ({}, ("a",), None), (7, (), 7),
])  # fmt: skip
def test_counts_are_exact_json_integers(raw, path, count):
    assert usage.count(raw, *path) == count


@pytest.mark.parametrize(("before", "after", "merged"), [
    (None, {"a": 1}, {"a": 1}), ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}), ({"a": 1}, {"a": None}, {"a": 1}),
    ({"a": 1}, {"a": 2}, {"a": 2}), ({"a": 1}, None, {"a": 1}), ({"a": 1}, "x", {"a": 1}), (None, None, None),
])  # fmt: skip
def test_last_usage_of_a_stream_counts(before, after, merged):
    assert usage.merged(before, after) == merged


def test_unknown_counts_are_omitted():
    assert usage.read({"x": 1}, {"input": "x", "output": "y"}) == {"input": 1, "raw": {"x": 1}}
    assert usage.read({}, {"input": "x"}) is None
    assert usage.read(None, {"input": "x"}) is None


def test_paths_into_objects_are_summed():
    raw = {"a": 1, "b": 2, "c": "3", "in": {"d": 4}}
    paths = {"input": "a b c nowhere", "cached": "in.d", "output": "c", "total": "a.b"}
    assert usage.read(raw, paths) == {"input": 3, "cached": 4, "raw": raw}


@pytest.mark.parametrize(("raw", "billed"), [
    ({"cache_creation": {"ephemeral_1h_input_tokens": 3}}, {"cacheWrite1h": 3}),
    ({"server_tool_use": {"web_search_requests": 2}}, {"webSearches": 2}),
    ({"prompt_tokens_details": {"audio_tokens": 4, "image_tokens": 0}}, {"inputAudio": 4}),
    ({"candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 5}, {"modality": "TEXT", "tokenCount": 9}]},
     {"outputImage": 5}),
    ({"service_tier": "batch"}, {"service_tier": "batch", "processing": "batch"}), ({"service_tier": "standard"}, {}),
    ({"speed": "fast"}, {"speed": "fast"}), ({"speed": 7}, {}), ("x", {}), (None, {}),
])  # fmt: skip
def test_separately_priced_usage_is_listed(raw, billed):
    used = {"input": 1, "output": 0, "raw": raw}
    assert usage.billed(used) == {"input": 1, **billed}

"""Validate request bodies with the models of the providers' own clients; unknown keys are rejected.

They check fields and types; only our own rules (`problems`) check the order of turns.
"""

import sys
from collections.abc import Iterable
from functools import cache, partial
from importlib import import_module
from typing import get_args, get_origin

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import get_type_hints, is_typeddict  # the clients' types are of these


def mistakes(format, body):
    """Short reasons why this provider's client rejects a body; empty if it accepts it."""
    try:
        return [*_JUDGES[format](body)]
    except ValidationError as error:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()][:8]


_TYPES = {
    "anthropic": ("anthropic.types.message_create_params", "Message"),
    "openai-chat": ("openai.types.chat.completion_create_params", "Completion"),
    "openai-responses": ("openai.types.responses.response_create_params", "Response"),
}


@cache
def _types(format):
    module, name = _TYPES[format]
    return validator(getattr(import_module(module), f"{name}CreateParamsNonStreaming"))


def _typed(format, body):
    """Validate with the client's types, without `stream` and fields that only compatible hosts know."""
    body = {key: value for key, value in body.items() if key != "stream"}
    if format == "openai-chat":
        body["messages"] = [
            {k: v for k, v in m.items() if k != "reasoning_content"} for m in body["messages"]
        ]
    _types(format)(body)
    yield from ()


def _gemini(body):
    """Validate each field with the client's model for it, which rejects unknown keys."""
    from google.genai import types

    models = {
        "contents": types.Content, "systemInstruction": types.Content, "tools": types.Tool,
        "toolConfig": types.ToolConfig, "generationConfig": types.GenerationConfig,
    }  # fmt: skip
    for name, value in body.items():
        if name not in models:
            yield f"{name}: no such field"
            continue
        for each in value if isinstance(value, list) else [value]:
            models[name].model_validate(each)


def _ollama(body):
    """Build the request as the client does from its arguments."""
    import ollama._types as types
    from ollama._client import _copy_messages

    types.ChatRequest.model_validate({**body, "messages": [*_copy_messages(body["messages"])]})
    yield from _unknown(types.ChatRequest, body)
    for message in body["messages"]:
        yield from _unknown(types.Message, message, also=("tool_call_id",))
        for call in message.get("tool_calls", ()):
            yield from _unknown(types.Message.ToolCall, call, also=("id",))
            yield from _unknown(types.Message.ToolCall.Function, call["function"])


def _unknown(model, value, also=()):
    """Keys unknown to the client; `also`: keys that only the server knows."""
    names = {*also} | {field.alias or name for name, field in model.model_fields.items()}
    yield from (f"{model.__name__}: {name}: no such field" for name in value if name not in names)


_JUDGES = {
    "gemini": _gemini, "ollama": _ollama,
    **{format: partial(_typed, format) for format in _TYPES},
}  # fmt: skip


FORBID = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


def validator(type, *, open=("InputSchemaTyped",)):
    """A function that raises ValidationError for values that this TypedDict does not allow."""
    _forbid(type, set(), set(open))
    adapter = TypeAdapter(type)

    def check(value):
        _consume(adapter.validate_python(value))

    return check


def _forbid(type, seen, open):
    """Make pydantic reject unknown keys of this TypedDict and of all it refers to."""
    if is_typeddict(type):
        if type in seen:
            return
        seen.add(type)
        if type.__name__ not in open:
            type.__pydantic_config__ = FORBID
        for hint in _hints(type).values():
            _forbid(hint, seen, open)
        return
    for inner in get_args(type) if get_origin(type) else ():
        _forbid(inner, seen, open)


@cache
def _hints(type):
    return get_type_hints(type, vars(sys.modules[type.__module__]))


def _consume(value):
    """Read a whole value, because `Iterable` fields are validated only when read."""
    if isinstance(value, dict):
        for item in value.values():
            _consume(item)
    elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        for item in value:
            _consume(item)

"""What the providers' own clients have against a request body: their models, unknown keys refused.

They know fields and types; which turns may follow one another only the rules of ours know (`problems`).
"""

from functools import cache, partial
from importlib import import_module

from pydantic import ValidationError

from structure import validator


def mistakes(format, body):
    """What the client of this provider would not take, shortly; empty where it takes the body."""
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
    """By the client's own types, without `stream` and the field of compatible hosts that OpenAI's do not know."""
    body = {key: value for key, value in body.items() if key != "stream"}
    if format == "openai-chat":
        body["messages"] = [
            {k: v for k, v in m.items() if k != "reasoning_content"} for m in body["messages"]
        ]
    _types(format)(body)
    yield from ()


def _gemini(body):
    """Each field by the model that the client sends it as; these refuse unknown keys by themselves."""
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
    """As the client itself makes its request of what it is called with."""
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
    """Keys that the client does not have; `also`: those that the server takes and its client lacks."""
    names = {*also} | {field.alias or name for name, field in model.model_fields.items()}
    yield from (f"{model.__name__}: {name}: no such field" for name in value if name not in names)


_JUDGES = {
    "gemini": _gemini, "ollama": _ollama,
    **{format: partial(_typed, format) for format in _TYPES},
}  # fmt: skip

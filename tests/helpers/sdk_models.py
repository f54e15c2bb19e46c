"""What the providers' own clients have against a request body: their models, unknown keys refused.

They know fields and types; which turns may follow one another only the rules of ours know (`problems`).
"""

from functools import cache

from pydantic import ValidationError

import openai_types
from structure import validator


def mistakes(format, body):
    """What the client of this provider would not take, shortly; empty where it takes the body."""
    if format.startswith("openai"):
        return openai_types.mistakes(format, _official(body))
    try:
        return [*_JUDGES[format](body)]
    except ValidationError as error:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()][:8]


def _official(body):
    """The body without the field of compatible hosts that the official types do not know."""
    if "messages" not in body:
        return body
    return {
        **body,
        "messages": [{k: v for k, v in m.items() if k != "reasoning_content"} for m in body["messages"]],
    }


@cache
def _anthropic_model():
    from anthropic.types import message_create_params as params

    return validator(params.MessageCreateParamsNonStreaming)


def _anthropic(body):
    _anthropic_model()(body)
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
    "anthropic": _anthropic, "gemini": _gemini, "ollama": _ollama,
}  # fmt: skip

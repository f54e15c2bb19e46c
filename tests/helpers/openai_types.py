"""The official SDK's request types as an oracle: unknown keys refused, no list left unread."""

import sys
from functools import cache

from pydantic import ConfigDict, TypeAdapter, ValidationError
from typing_extensions import is_typeddict

STRICT = ConfigDict(extra="forbid")


@cache
def adapter(format):
    """The type of a request body without streaming.

    Validation would ignore unknown keys and read `Iterable[…]` only when asked for its elements, so the
    types are made strict and the iterables lists while the adapter is built.
    """
    from openai.types.chat import completion_create_params as chat
    from openai.types.responses import response_create_params as responses

    lazy = []
    for name, module in list(sys.modules.items()):
        if name.startswith("openai.types"):
            for value in vars(module).values():
                if is_typeddict(value):
                    value.__pydantic_config__ = STRICT
            if "Iterable" in vars(module):
                lazy.append((module, vars(module)["Iterable"]))
    for module, _ in lazy:
        vars(module)["Iterable"] = list
    try:
        types = {
            "openai-chat": chat.CompletionCreateParamsNonStreaming,
            "openai-responses": responses.ResponseCreateParamsNonStreaming,
        }
        return TypeAdapter(types[format])
    finally:
        for module, was in lazy:
            vars(module)["Iterable"] = was


def mistakes(format, body):
    """What the official types have against a body, shortly."""
    given = {key: value for key, value in body.items() if key != "stream"}
    try:
        adapter(format).validate_python(given, strict=False)
    except ValidationError as error:
        return [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()][:8]
    return []

"""Read a model's context window from a program's settings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ..base.read_json import json_value
from .fields import at, object_at, objects_at
from .protocol import Place

_PI_DEFAULT = 128_000  # pi's default for a model without one
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


SETTINGS = {  # the file of each program
    "pi": Place("PI_CODING_AGENT_DIR", ".pi/agent", ("models.json",)),
    "codex": Place("CODEX_HOME", ".codex", ("config.toml",)),
    "opencode": Place("XDG_CONFIG_HOME", ".config", ("opencode/opencode.json*",)),
}


def windows(program: str, settings: bytes, model: str) -> Iterator[Any]:
    """Yield the settings' values for a model's context window, which may not be numbers."""
    text = settings.decode("utf-8", "replace")
    if program == "codex":
        with suppress(tomllib.TOMLDecodeError):
            table = tomllib.loads(text)
            if table.get("model", model) == model:
                yield table.get("model_context_window")
        return
    for unwanted in (_COMMENT, _COMMA):
        text = unwanted.sub(lambda match: match[1] or "", text)
    value = json_value(text)
    for provider in object_at(value, "provider").values():  # opencode's
        yield at(object_at(provider, "models").get(model), "limit.context")
    for provider in object_at(value, "providers").values():  # pi's
        for entry in objects_at(provider, "models"):
            if entry.get("id") == model:
                yield entry.get("contextWindow", _PI_DEFAULT)
        yield at(object_at(provider, "modelOverrides").get(model), "contextWindow")

"""The context window of a model according to a program's own settings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from ..base.read_json import json_object
from ..providers.parts import object_of
from ..session.model import Json
from .fields import object_at, objects_at
from .protocol import Place

_PI_DEFAULT = 128_000  # pi's default for a model without one
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*')
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def smallest_window(program: str, settings: bytes, model: str) -> int | None:
    """The smallest window that the settings give a model; None if they give none."""
    text = settings.decode("utf-8", "replace")
    sizes = (size for size in SETTINGS[program][1](text, model) if type(size) is int and size > 0)
    return min(sizes, default=None)


def _pi(text: str, model: str) -> Iterator[Any]:
    for provider in map(object_of, object_of(_json(text).get("providers")).values()):
        for entry in objects_at(provider, "models"):
            if entry.get("id") == model:
                yield entry.get("contextWindow", _PI_DEFAULT)
        yield object_of(object_at(provider, "modelOverrides").get(model)).get("contextWindow")


def _codex(text: str, model: str) -> Iterator[Any]:
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    if settings.get("model", model) == model:
        yield settings.get("model_context_window")


def _opencode(text: str, model: str) -> Iterator[Any]:
    for provider in map(object_of, object_of(_json(text).get("provider")).values()):
        yield object_of(object_of(object_at(provider, "models").get(model)).get("limit")).get("context")


def _json(text: str) -> Json:
    """Parse JSON with comments and trailing commas."""
    for unwanted in (_COMMENT, _COMMA):
        text = unwanted.sub(lambda match: match[1] or "", text)
    return json_object(text) or {}


SETTINGS: dict[str, tuple[Place, Callable[[str, str], Iterator[Any]]]] = {
    "pi": (Place("PI_CODING_AGENT_DIR", ".pi/agent", ("models.json",)), _pi),
    "codex": (Place("CODEX_HOME", ".codex", ("config.toml",)), _codex),
    "opencode": (Place("XDG_CONFIG_HOME", ".config", ("opencode/opencode.json*",)), _opencode),
}

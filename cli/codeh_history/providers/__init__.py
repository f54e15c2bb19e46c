"""The provider formats. A new one is a package with the five functions of `base.Format` and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from .base import Format

FORMATS = {
    "gemini": "gemini",
    "openai-chat": "openai_chat",
    "openai-responses": "openai_responses",
    "anthropic": "anthropic",
}


def load(name: str) -> Format:
    """The format of this name; its modules are imported only when a function of it is called."""
    return cast("Format", import_module(f"{__name__}.{FORMATS[name]}"))

"""The sentence that says that a tool call failed: every provider and every reader gets this very one."""

from __future__ import annotations

_BEGINNING, _MIDDLE = "Tool call ", " failed with error: "


def sentence(name: str, reason: str) -> str:
    """What is stored under `error` of the result."""
    return f"{_BEGINNING}{name}{_MIDDLE}{reason}"


def is_sentence(text: object) -> bool:
    """Whether a text says by itself that a call failed."""
    return isinstance(text, str) and text.startswith(_BEGINNING) and _MIDDLE in text

"""JSON text without importing a JSON library: the fast lane's only need of one."""

from __future__ import annotations

_ESCAPES = [
    ("\\", "\\\\"),
    ('"', '\\"'),
    ("\n", "\\n"),
    ("\r", "\\r"),
    ("\t", "\\t"),
    ("\b", "\\b"),
    ("\f", "\\f"),
]
_ESCAPES += [(chr(c), f"\\u{c:04x}") for c in range(32) if chr(c) not in "\n\r\t\b\f"]


def quote(text: str) -> str:
    """The text as a JSON string, the same bytes as the JSON library would write."""
    for raw, escaped in _ESCAPES:
        if raw in text:
            text = text.replace(raw, escaped)
    return f'"{text}"'

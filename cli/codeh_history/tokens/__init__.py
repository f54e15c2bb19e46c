"""Token counts: exact offline for o200k_base and cl100k_base, approximate on request, cached."""

from __future__ import annotations

from .counter import Characters, Counter, open_counter
from .formula import (
    ByteBound,
    history_tokens,
    message_tokens,
    part_tokens,
    parts_tokens,
    summary_text,
    system_tokens,
    text_tokens,
    tools_tokens,
)

__all__ = [
    "ByteBound",
    "Characters",
    "Counter",
    "history_tokens",
    "message_tokens",
    "open_counter",
    "part_tokens",
    "parts_tokens",
    "summary_text",
    "system_tokens",
    "text_tokens",
    "tools_tokens",
]

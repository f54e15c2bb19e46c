"""Token counts: exact offline for o200k_base and cl100k_base, approximate on request, remembered."""

from __future__ import annotations

from .counter import Counter, open_counter
from .formula import (
    byte_bound,
    history_tokens,
    message_tokens,
    part_tokens,
    system_tokens,
    text_tokens,
    tools_tokens,
)

__all__ = [
    "Counter",
    "byte_bound",
    "history_tokens",
    "message_tokens",
    "open_counter",
    "part_tokens",
    "system_tokens",
    "text_tokens",
    "tools_tokens",
]

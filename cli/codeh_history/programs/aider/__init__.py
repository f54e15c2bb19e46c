"""aider: a Markdown file that all its runs in a folder are appended to (`.aider.chat.history.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..protocol import Head

NAME = "aider"
START = b"# aider chat started at "


def recognises(head: Head) -> bool:
    return head.data.lstrip().startswith(START) or b"\n" + START in head.data

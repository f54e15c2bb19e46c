"""Recognise Antigravity's databases and refuse them, because their format is not public."""

from __future__ import annotations

from collections.abc import Iterable

from .model import Session
from .protocol import Head, Program, Source, Unreadable

_WHY = """Antigravity's conversations cannot be read, because their format is not public; its prompts are \
text in history.jsonl, its plans in brain, both in ~/.gemini/antigravity-cli"""


def recognises(head: Head) -> bool:
    return head.tables.keys() >= {"steps", "gen_metadata"}


def read(_source: Source, _program: Program) -> Iterable[Session]:
    """Raise Unreadable."""
    raise Unreadable(_WHY)


PROGRAM = Program("antigravity", "Antigravity", recognises, read)

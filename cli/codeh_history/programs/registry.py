"""The programs whose sessions can be read, and those whose files can be written.

To add one, write a module with a `PROGRAM` (`protocol.Program`) and add a line to `PROGRAMS`; `MODULE:NAME`
is a fork, declared in the module of its original. The first program in this order that recognises a file
reads it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from . import pairs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..session.view import View
    from .model import Session
    from .protocol import Head, Program, SessionInfo, Source, Written

PROGRAMS = {
    "qwen-code": "qwen_code",  # before claude-code, whose lines have the same ids
    "claude-code": "claude_code",
    "codex": "codex",
    "pi": "pi",
    "gemini-cli": "gemini_cli",
    "kimi-code": "kimi_code",
    "kimi-cli": "kimi_code:KIMI_CLI",
    "roo-code": "cline:ROO_CODE",  # before cline, which would recognise its files too
    "cline": "cline",
    "kilo": "opencode:KILO",  # before opencode, which would recognise its files too
    "opencode": "opencode",
    "copilot-cli": "copilot",
    "cursor": "cursor",
    "vscode": "vscode",
    "antigravity": "antigravity",
    "chatgpt": "chatgpt",
    "claude-ai": "claude_ai",
    "llm": "llm",
    "openai-jsonl": "openai_jsonl",
    "sharegpt": "sharegpt",
    "aider": "aider",
    "langchain": "langchain",
    "atif": "atif",
    "goose": "goose",
}
# programs with a writer
WRITTEN = ("claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "pi", "copilot-cli", "kilo")


@cache
def program(name: str) -> Program:
    """Load a program's declaration from its module."""
    module, _, attribute = PROGRAMS[name].partition(":")
    declared: Program = getattr(import_module(f"{__package__}.{module}"), attribute or "PROGRAM")
    return declared


def detect_program(head: Head) -> str | None:
    """The name of the program that recognises a file; None if there is none."""
    return next((name for name in PROGRAMS if program(name).recognises(head)), None)


def is_own_session(name: str, head: Head) -> bool:
    """Whether a file in this program's own folders is one of its sessions."""
    return program(name).recognises(head) or program(name).recognises_own(head)


def read(name: str, source: Source) -> Iterator[Session]:
    """Yield the sessions in a file, with a problem for each unmatched call or result."""
    declared = program(name)
    for session in declared.read(source, declared):
        if declared.pairs is not None:
            pairs.report(session, declared.pairs, declared.title)
        yield session


def write(name: str, view: View, about: SessionInfo) -> Written:
    """Make the file that this program resumes; the view's calls and results must be paired."""
    from . import writing

    return writing.write(program(name), view, about)

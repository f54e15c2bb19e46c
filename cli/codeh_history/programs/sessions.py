"""The programs whose sessions are read, and those that resume what is written for them.

A new one is a module with a `PROGRAM` (`protocol.Program`) and a line in `PROGRAMS`; a file is the first's
that recognises it, in this order.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from . import pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ..session.view import View
    from .model import Session
    from .protocol import About, Head, Place, Program, Source, Written

PROGRAMS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "pi": "pi",
    "gemini-cli": "gemini_cli",
    "opencode": "opencode",
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
WRITTEN = ("claude-code", "codex", "gemini-cli", "opencode", "pi")  # those that have a writer


@cache
def program(name: str) -> Program:
    """What a program declares of itself."""
    declared: Program = import_module(f"{__package__}.{PROGRAMS[name]}").PROGRAM
    return declared


def places(name: str) -> Sequence[Place]:
    """Where a program keeps its sessions; nothing for a product that only exports files."""
    return program(name).places


def superseded(name: str, paths: Iterable[str]) -> Collection[str]:
    """Those of a program's files in whose stead it resumes a newer one of the same session."""
    return program(name).superseded(paths)


def detect_program(head: Head) -> str | None:
    """The program whose file begins so; None for none of them."""
    return next((name for name in PROGRAMS if program(name).recognises(head)), None)


def keeps(name: str, head: Head) -> bool:
    """Whether a file in this program's own place, which begins so, is one of its sessions."""
    own = program(name)
    return own.recognises(head) or (own.is_kept is not None and own.is_kept(head))


def read(name: str, source: Source) -> Iterator[Session]:
    """The sessions in a file of this program, with what it would not send of their calls and results."""
    own = program(name)
    for session in own.read(source, own):
        if own.pairs is not None:
            pairs.report(session, own.pairs, own.title)
        yield session


def held(name: str, view: View) -> View:
    """What `written` of a view holds: of its thinking what this program may be given again."""
    from . import writing

    return writing.without_unsent(writing.prepared(view, name)[0], program(name))


def written(name: str, view: View, about: About) -> Written:
    """A file that this program resumes, of a view whose calls and results are paired."""
    from . import writing

    return writing.write(program(name), view, about)

"""The programs whose sessions are read, and those that go on with what is written for them.

A package each behind the protocols of `protocol`: a new one is such a package and a line in `PROGRAMS`.
They are asked in this order whose a file is.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ..session.view import View
    from .model import Session
    from .protocol import About, Head, Place, Program, ReadModule, Source, WriteModule, Written

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
WRITTEN = (
    "claude-code",
    "codex",
    "gemini-cli",
    "opencode",
    "pi",
)  # those whose package has a module `write`


@cache
def package(name: str) -> Program:
    return cast("Program", import_module(f"{__package__}.{PROGRAMS[name]}"))


def places(name: str) -> Sequence[Place]:
    """Where a program keeps its sessions; nothing for a product that only exports files."""
    return getattr(package(name), "PLACES", ())


def superseded(name: str, paths: Iterable[str]) -> Collection[str]:
    """Those of a program's files in whose stead it resumes a newer one of the same session."""
    own = getattr(package(name), "superseded", None)
    found: Collection[str] = own(paths) if own is not None else ()
    return found


def whose(head: Head) -> str | None:
    """The program whose file begins so; None for none of them."""
    return next((name for name in PROGRAMS if package(name).recognises(head)), None)


def keeps(name: str, head: Head) -> bool:
    """Whether a file in this program's own place, which begins so, is one of its sessions."""
    own = package(name)
    return own.recognises(head) or getattr(own, "is_kept", own.recognises)(head)


def read(name: str, source: Source) -> Iterable[Session]:
    """The sessions in a file of this program."""
    module: ReadModule = _module(name, "read")
    return module.read(source)


def held(name: str, view: View) -> View:
    """What `written` of a view holds: of its thinking what this program may be given again."""
    from . import writing

    module: WriteModule = _module(name, "write")
    return writing.without_unsent(writing.prepared(view, name)[0], module.THINKING_OF)


def written(name: str, view: View, about: About) -> Written:
    """A file that this program goes on with, of a view whose calls and results are paired."""
    from . import writing

    module: WriteModule = _module(name, "write")
    prepared, left = writing.prepared(view, name)
    made = module.write(prepared, about)
    return made._replace(left=left + made.left)


def _module(name: str, part: str) -> Any:
    return import_module(f"{__package__}.{PROGRAMS[name]}.{part}")

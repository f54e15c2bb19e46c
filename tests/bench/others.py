"""Sessions of other programs, for `import --all`: large ones of four programs, and many small ones of one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from uuid import UUID

import coding
import orjson
from measure import Run

SIZE = 300_000
LONG_AGO = 1_780_000_000  # what was written just now is read again


def large(home: Path, program: Callable[..., Run], copies: int) -> None:
    """A coding session, as often in each program's own place."""
    own = home.parent / "coding"
    session = coding.session(own / "sessions" / "large.jsonl", SIZE)
    for to in ("claude-code", "codex", "gemini-cli", "pi"):
        run = program("export", session.stem, "--to", to, "--install", "--cwd", "/", home=own)
        for _ in range(copies):
            replace(run, env={**run.env, "HOME": str(home)}).once()
    for file in home.rglob("*.jsonl"):
        os.utime(file, (LONG_AGO, LONG_AGO))


def many(home: Path, copies: int) -> Callable[[], None]:
    """Sessions of two messages; what makes three of them grow by a prompt."""
    from program_files import Claude

    numbers = count()
    held: list[tuple[Path, Claude]] = []
    for number in range(copies):
        file = Claude()
        file.user(f"u{number}", "ask " * 40)
        file.said(f"a{number}", "say " * 80)
        path = file.write(home / ".claude" / "projects" / "-", str(UUID(int=number + 1)))
        os.utime(path, (LONG_AGO, LONG_AGO))
        held.append((path, file))

    def grow() -> None:
        for path, file in held[:3]:
            file.user(f"more{next(numbers)}", "more")
            with path.open("ab") as opened:
                opened.write(orjson.dumps(file.lines[-1]) + b"\n")
            os.utime(path, (LONG_AGO, LONG_AGO + next(numbers)))

    return grow

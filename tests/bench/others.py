"""Sessions of other programs, for `import --all`: large ones of four programs, and many small ones of one."""

import os
from dataclasses import replace
from itertools import count
from uuid import UUID

import coding
import orjson

SIZE = 300_000
LONG_AGO = 1_780_000_000  # what was written just now is read again


def large(home, program, copies):
    """A coding session, as often in each program's own place."""
    own = home.parent / "coding"
    session = coding.session(own / "sessions" / "large.jsonl", SIZE)
    for to in ("claude-code", "codex", "gemini-cli", "pi"):
        run = program("export", session.stem, "--to", to, "--install", "--cwd", "/", home=own)
        for _ in range(copies):
            replace(run, env={**run.env, "HOME": str(home)}).once()
    for file in home.rglob("*.jsonl"):
        os.utime(file, (LONG_AGO, LONG_AGO))


def many(home, copies):
    """Sessions of two messages; what makes three of them grow by a prompt."""
    from program_files import Claude

    numbers = count()
    held = []
    for number in range(copies):
        file = Claude()
        file.user(f"u{number}", "ask " * 40)
        file.model(f"a{number}", "say " * 80)
        path = file.write(home / ".claude" / "projects" / "-", str(UUID(int=number + 1)))
        os.utime(path, (LONG_AGO, LONG_AGO))
        held.append((path, file))

    def grow():
        for path, file in held[:3]:
            file.user(f"more{next(numbers)}", "more")
            with path.open("ab") as opened:
                opened.write(orjson.dumps(file.lines[-1]) + b"\n")
            os.utime(path, (LONG_AGO, LONG_AGO + next(numbers)))

    return grow

"""What `import --all` did, for people: a table of the sessions that changed, and a sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...base.env import Env
from ...base.words import prefixes
from ...render import changes
from ...session.model import Json
from ...store.resolve import ids

COLUMNS = ("session", "action", "lines", "from")


def tell(env: Env, lines: Sequence[Json]) -> int:
    """Print these JSON lines of `import --all` as a table with a sum; 0, as nothing failed in here."""
    if not lines:
        env.note("nothing new")
        return 0
    short = prefixes([line["session"] or "" for line in lines], (name for name, _ in ids(env)))
    rows = [
        (
            short[line["session"] or ""],
            line["action"],
            line.get("records"),
            line.get("reason") or line["path"],
        )
        for line in lines
    ]
    changes.draw(env, COLUMNS, rows, flexible=1)
    env.note(total(lines))
    return 0


def total(lines: Sequence[Json]) -> str:
    """`8 imported (6 claude-code, 2 codex), 1 failed (1 pi)`."""
    actions = Counter(line["action"] for line in lines)
    return ", ".join(f"{count} {action} ({_programs(lines, action)})" for action, count in actions.items())


def _programs(lines: Sequence[Json], action: str) -> str:
    found = Counter(line["program"] for line in lines if line["action"] == action)
    return ", ".join(f"{count} {program}" for program, count in found.most_common())

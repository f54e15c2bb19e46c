"""`import --all`: every session of the programs whose files are found, made for cron.

Which files are as they were is remembered in the cache: a file whose stamp is known is not opened.
Nothing of theirs is written or locked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, TryAgain
from ...base.words import prefixes
from ...programs import sessions
from ...render import changes
from ...render.progress import progress
from ...session.model import Json
from ...store import program_files
from ...store.cache import Remembered
from ...store.program_files import folders
from ...store.program_files.folders import ProgramFile
from ...store.resolve import ids
from . import copy

COLUMNS = ("session", "action", "lines", "from")
_AGAIN = (TryAgain.exit_code, InputOutput.exit_code)  # what failed so may succeed, though nothing changes


def run(
    env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool, jsonl: bool = False,
) -> int:  # fmt: skip
    """Bring every session up to date, a JSON line for each that changed or failed; the exit code.

    A terminal gets a table and a sum instead, unless `jsonl`.
    """
    cache = Remembered(env.home, "import", 3)
    files = [
        file for file in folders.files_of(env, programs)
        if cache.get(file.path, file.stamp) is None and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    table = not jsonl and env.terminal(env.stdout)
    rows: list[Json] = []
    tell = rows.append if table else lambda row: env.write(orjson.dumps(row) + b"\n")
    first = 0  # the exit code of the first failure
    try:
        with progress(env, "importing", len(files), 1) as bar:
            for number, file in enumerate(files, 1):
                code = 0
                try:
                    for row in _imported(env, file, branches=branches):
                        tell(row)
                except HistoryError as error:
                    code = error.exit_code
                    tell(_row(file, None, "failed", reason=str(error)))
                first = first or code
                if code not in _AGAIN:
                    cache.keep(file.path, file.stamp, True)
                bar.done(number, len(files))
    finally:
        if table:
            summarize(env, rows)
    cache.save()
    return first


def _imported(env: Env, source: ProgramFile, *, branches: bool) -> Iterator[Json]:
    """A row for each session of a file that changed."""
    with program_files.opened(source.path) as file:
        if file.size == 0:
            return
        if not sessions.keeps(source.program, file.head):
            raise BadData(f"{source.path}: not a session of {source.program}")
        read = program_files.sessions_in(file, source.program, newest=True)
        for session in copy.with_branches(read, branches=branches):
            brought = copy.bring(env, session, source.path) if session.items else None
            if brought is None or not (brought.records or brought.created):
                continue
            more = {
                "reason": brought.apart, "left": dict(session.left), "problems": len(session.problems)
            }  # fmt: skip
            yield _row(
                source, brought.id, "imported" if brought.created else "updated", records=brought.records,
                **{key: value for key, value in more.items() if value},
            )  # fmt: skip


def _row(file: ProgramFile, session: str | None, action: str, **more: object) -> Json:
    return {"session": session, "program": file.program, "path": file.path, "action": action, **more}


def summarize(env: Env, lines: Sequence[Json]) -> None:
    """The lines for people: a table, and `8 imported (6 claude-code, 2 codex), 1 failed (1 pi)`."""
    if not lines:
        env.note("nothing new")
        return
    short = prefixes([line["session"] or "" for line in lines], (name for name, _ in ids(env)))
    fields = [(line["session"] or "", line.get("reason") or line["path"], line) for line in lines]
    rows = [[short[id], line["action"], line.get("records"), where] for id, where, line in fields]
    changes.draw(env, COLUMNS, rows, flexible=1)
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(line["action"], Counter())[line["program"]] += 1
    sums = []
    for action, programs in counts.items():
        by_program = ", ".join(f"{count} {name}" for name, count in programs.most_common())
        sums.append(f"{programs.total()} {action} ({by_program})")
    env.note(", ".join(sums))

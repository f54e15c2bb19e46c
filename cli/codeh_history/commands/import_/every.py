"""`import --all`: every session of the programs whose files are found, made for cron.

Which files are what they were is remembered in one file of the cache, safe to delete: a file whose stamp is
known is not opened. Nothing of theirs is written or locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from ...access import copy
from ...base.env import Env
from ...base.errors import BadData, HistoryError, TryAgain
from ...session.model import Json
from ...store import program_file, program_folders
from ...store.program_folders import Known
from ..progress import progress
from .program import with_branches


def run(env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool) -> int:
    """Bring every session up to date, a JSON line for each that changed or failed; the exit code."""
    known = Known(env)
    files = [
        file for file in program_folders.found(env, programs)
        if not known.has(file) and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    failed: list[int] = []
    with progress(env, "importing") as told:
        for number, file in enumerate(files, 1):
            try:
                for line in brought(env, file.program, file.path, branches=branches):
                    told.print(orjson.dumps(line) + b"\n")
            except HistoryError as error:
                failed.append(error.exit_code)
                line = _line(None, file.program, file.path, "failed", reason=str(error))
                told.print(orjson.dumps(line) + b"\n")
            if not failed or failed[-1] != TryAgain.exit_code:
                known.keep(file)
            told.done(number, len(files))
    known.save()
    return failed[0] if failed else 0


def brought(env: Env, program: str, path: str, *, branches: bool) -> Iterator[Json]:
    """Bring the sessions of a file up to date; a line for each that changed."""
    with program_file.opened(path) as file:
        if file.size == 0:
            return
        if program_file.whose(file) != program:
            raise BadData(f"{path}: not a session of {program}")
        for session in with_branches(program_file.sessions_in(file, program), branches=branches):
            if not session.items:
                continue
            found = copy.bring(env, session, path)
            if found.records or found.created:
                action = "imported" if found.created else "updated"
                yield _line(
                    found.id, program, path, action, records=found.records,
                    **({"reason": found.apart} if found.apart else {}),
                    **({"left": dict(session.left)} if session.left else {}),
                    **({"problems": len(session.problems)} if session.problems else {}),
                )  # fmt: skip


def _line(session: str | None, program: str, path: str, action: str, **more: object) -> Json:
    return {"session": session, "program": program, "path": path, "action": action, **more}

"""`import --all`: every session of the programs whose files are found, made for cron.

Which files are what they were is remembered in one file of the cache, safe to delete: a file whose stamp is
known is not opened, and of one that only grew the end is read. Nothing of theirs is written or locked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import orjson

from ...access import copy, grown
from ...access.copy import Brought
from ...base.env import Env
from ...base.errors import BadData, HistoryError, TryAgain
from ...programs import sessions
from ...programs.model import Session
from ...render.progress import progress
from ...session.model import Json
from ...store import program_file, program_folders
from ...store.program_file import File
from ...store.program_folders import Found, Known
from ..list_.processes import shared
from .program import with_branches


def run(env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool) -> int:
    """Bring every session up to date, a JSON line for each that changed or failed; the exit code."""
    known = Known(env)
    files = [
        file for file in program_folders.found(env, programs)
        if not known.has(file) and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    if not files:
        return 0
    work = partial(_outcome, env, known, branches=branches)
    codes: list[int] = []
    done = shared(work, files, [file.stamp[1] for file in files])
    with progress(env, "importing") as told:
        for number, (place, data) in enumerate(done, 1):
            lines, code, grows = orjson.loads(data)
            for line in lines:
                env.write(orjson.dumps(line) + b"\n")
            codes += [code] if code else []
            if code != TryAgain.exit_code:
                known.keep(files[place], grows)
            told.done(number, len(files))
    known.save()
    return codes[0] if codes else 0


def _outcome(env: Env, known: Known, file: Found, *, branches: bool) -> bytes:
    """What comes of a file: its lines to print, the exit code, and what to know of it when it has grown."""
    made = _File(env, file, known.grows(file) if not branches else None, branches=branches)
    lines: list[Json] = []
    code = 0
    try:
        lines.extend(made.brought())
    except HistoryError as error:
        code = error.exit_code
        lines.append(made.line(None, "failed", reason=str(error)))
    return orjson.dumps([lines, code, made.grows and list(made.grows)])


class _File:
    """A file whose sessions are brought up to date; `grows`: what to know of it when it has grown."""

    def __init__(self, env: Env, file: Found, before: Sequence[Any] | None, *, branches: bool) -> None:
        self.env = env
        self.file = file
        self.before = grown.Known(*before) if before else None
        self.branches = branches
        self.grows: grown.Known | None = None

    def brought(self) -> Iterator[Json]:
        """A line for each session that changed."""
        with program_file.opened(self.file.path) as file:
            if file.size == 0:
                return
            if not sessions.package(self.file.program).recognises(file.head):
                raise BadData(f"{self.file.path}: not a session of {self.file.program}")
            more = grown.bring(self.env, file, self.file.program, self.before) if self.before else None
            if more is None:
                yield from self.whole(file)
                return
            found, self.grows = more
            if found.records:
                yield self.line(found, "updated", records=found.records)

    def whole(self, file: File) -> Iterator[Json]:
        for session in with_branches(
            program_file.sessions_in(file, self.file.program), branches=self.branches
        ):
            if not session.items:
                continue
            found = copy.bring(self.env, session, self.file.path)
            self.grows = grown.known(self.env, file, session, found.id)
            if found.records or found.created:
                yield self.told(session, found)

    def told(self, session: Session, found: Brought) -> Json:
        return self.line(
            found, "imported" if found.created else "updated", records=found.records,
            **({"reason": found.apart} if found.apart else {}),
            **({"left": dict(session.left)} if session.left else {}),
            **({"problems": len(session.problems)} if session.problems else {}),
        )  # fmt: skip

    def line(self, found: Brought | None, action: str, **more: object) -> Json:
        return {
            "session": found.id if found else None, "program": self.file.program, "path": self.file.path,
            "action": action, **more,
        }  # fmt: skip

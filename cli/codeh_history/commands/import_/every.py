"""`import --all`: every session of the programs whose files are found, made for cron.

Which files are what they were is remembered in the cache: a file whose stamp is known is not opened.
Nothing of theirs is written or locked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Self

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, TryAgain
from ...base.processes import shared
from ...programs import sessions
from ...programs.model import Session
from ...render.progress import progress
from ...session.model import Json
from ...store import program_files
from ...store.cache import Known
from ...store.program_files import File, folders
from ...store.program_files.folders import Found
from . import copy, summary
from .copy import Brought
from .program import with_branches

_AGAIN = (TryAgain.exit_code, InputOutput.exit_code)  # what failed so may succeed, though nothing changes


def run(
    env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool, jsonl: bool = False,
) -> int:  # fmt: skip
    """Bring every session up to date, a JSON line for each that changed or failed; the exit code.

    A terminal gets a table and a sum instead, unless `jsonl`.
    """
    known = Known(env.home, "import", 3)
    files = [
        file for file in folders.found(env, programs)
        if known.get(file.path, file.stamp) is None and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    table = not jsonl and env.terminal(env.stdout)
    if not files:
        return summary.tell(env, []) if table else 0
    work = partial(_outcomes, env, branches=branches)
    codes: dict[int, int] = {}
    done = shared(work, files, [file.stamp.size for file in files])
    with progress(env, "importing") as told, _InTurn(env, table=table) as said:
        for number, (place, data) in enumerate(done, 1):
            lines, code = orjson.loads(data)
            said.add(place, lines)
            if code:
                codes[place] = code
            if code not in _AGAIN:
                known.keep(files[place].path, files[place].stamp, True)
            told.done(number, len(files))
    known.save()
    return codes[min(codes)] if codes else 0


class _InTurn:
    """Prints the lines of each file in the order of the files; when interrupted, all there is.

    `table`: keeps them in `lines`, for a table at the end.
    """

    def __init__(self, env: Env, *, table: bool) -> None:
        self.env = env
        self.table = table
        self.lines: list[Json] = []
        self.turn = 0
        self.held: dict[int, list[Json]] = {}

    def __enter__(self) -> Self:
        return self

    def add(self, place: int, lines: list[Json]) -> None:
        self.held[place] = lines
        while self.turn in self.held:
            self._write(self.turn)
            self.turn += 1

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for place in sorted(self.held):
            self._write(place)
        if self.table and (self.lines or kind is None):
            summary.tell(self.env, self.lines)

    def _write(self, place: int) -> None:
        lines = self.held.pop(place)
        self.lines += lines if self.table else ()
        for line in lines if not self.table else ():
            self.env.write(orjson.dumps(line) + b"\n")


def _outcomes(env: Env, files: Iterable[Found], *, branches: bool) -> Iterator[bytes]:
    """Of each file: its lines to print, and the exit code."""
    for found in files:
        file = _File(env, found, branches=branches)
        file.bring()
        yield orjson.dumps([file.lines, file.code])


class _File:
    """A file whose sessions are brought up to date.

    `lines`: to print; `code`: to exit with.
    """

    def __init__(self, env: Env, file: Found, *, branches: bool) -> None:
        self.env = env
        self.file = file
        self.branches = branches
        self.lines: list[Json] = []
        self.code = 0

    def bring(self) -> None:
        try:
            self.lines.extend(self.brought())
        except HistoryError as error:
            self.code = error.exit_code
            self.lines.append(self.line(None, "failed", reason=str(error)))

    def brought(self) -> Iterator[Json]:
        """A line for each session that changed."""
        with program_files.opened(self.file.path) as file:
            if file.size == 0:
                return
            if not sessions.keeps(self.file.program, file.head):
                raise BadData(f"{self.file.path}: not a session of {self.file.program}")
            yield from self.whole(file)

    def whole(self, file: File) -> Iterator[Json]:
        for session in with_branches(
            program_files.sessions_in(file, self.file.program, newest=True), branches=self.branches
        ):
            if not session.items:
                continue
            found = copy.bring(self.env, session, self.file.path)
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

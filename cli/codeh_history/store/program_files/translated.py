"""Translate another program's file into the lines of a session, so that every reader can read it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator

from ...base.errors import BadData
from ...programs import records
from ...programs.model import Problem, Session
from ...session.records import TORN, Damage, dumps
from . import File, opened, program_of, sessions_in


class Translated(bytes):
    """The lines, with the damage in the original file."""

    damage: list[Damage]


def of_file(fd: int, path: str) -> Translated | None:
    """Translate a program's file; None if it is ours. Raises BadData if it contains several sessions."""
    file = File(fd, path)
    program = program_of(file)
    if program is None:
        return None
    sessions = sessions_in(file, program)
    session = next(iter(sessions), None)
    if session is None:
        raise BadData(f"{path}: no session of {program} in it")
    if next(sessions, None) is not None:
        raise BadData(f"{path}: more than one session of {program}; `codeh-history import` them")
    return lines(session, path)


def each(path: str) -> Iterator[Translated]:
    """Yield each session in a program's file, translated."""
    with opened(path) as file:
        program = program_of(file)
        for session in sessions_in(file, program) if program is not None else ():
            yield lines(session, path)


def of_bytes(data: bytes) -> Translated | None:
    """Translate a program's data from a pipe; None if it is ours."""
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        return of_file(file.fileno(), "")


def lines(session: Session, path: str) -> Translated:
    """Translate a session that was read from this file."""
    first = dumps(
        records.header(session, records.session_id(session), os.path.abspath(path) if path else "-")
    )
    translated = Translated(first + b"\n" + records.lines(records.records(session), path or "stdin"))
    translated.damage = []
    for problem in filter(is_reported, session.problems):
        mended = f" ({problem.mended})" if problem.mended else ""
        translated.damage.append(Damage(problem.line, -1, problem.reason + mended, mended=bool(mended)))
    return translated


def is_reported(problem: Problem) -> bool:
    """Return whether readers report a problem; they ignore the torn last line of a file being written."""
    return problem.reason != TORN and (problem.effect == "skips" or problem.mended is not None)

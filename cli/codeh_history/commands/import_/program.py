"""Files of other programs: each session in them copied, or its copy brought up to date."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO

from ...base.env import Env
from ...base.errors import BadData
from ...base.words import some
from ...programs.model import AS_BRANCHES, Problem, Session
from ...session.records import dumps
from ...store import program_files
from ...views.view import MOST_NAMED
from . import copy
from .copy import Brought
from .options import Options


def bring(env: Env, options: Options, file: IO[bytes], name: str, form: str) -> bool:
    """Bring in the sessions of another program's file; whether it is one."""
    source = program_files.File(file.fileno(), "" if name == "-" else name)
    program = program_files.program_of(source, form)
    if program is None:
        return False
    where = "stdin" if name == "-" else name
    for session in with_branches(program_files.sessions_in(source, program), branches=options.branches):
        into = options.into if session.parent is None or not options.branches else None
        if options.strict:
            check_whole(where, session)
        brought = copy.bring(env, session, os.path.abspath(name) if name != "-" else "-", into)
        if brought.records or brought.created:
            tell(env, options, where, session, brought)
        env.write(f"{brought.id}\n".encode("utf-8", "surrogateescape"))
    return True


def with_branches(sessions: Iterable[Session], *, branches: bool) -> Iterator[Session]:
    """The sessions of a file; with `branches`, each followed by its branches."""
    for session in sessions:
        if not branches:
            session.branches = tuple  # they hold all of the file, and it in turn
            yield session
            continue
        session.used = tuple  # they are sessions of their own
        for kind in AS_BRANCHES:
            session.left.pop(kind, None)
        yield session
        yield from session.branches()
        session.branches = tuple


def check_whole(where: str, session: Session) -> None:
    """Refuse a session of which something is lost (`--strict`)."""
    for problem in session.problems:
        if problem.effect in ("skips", "lacks"):
            raise BadData(f"{where}: {_at(problem)}{problem.reason}; nothing was imported")


def tell(env: Env, options: Options, where: str, session: Session, brought: Brought) -> None:
    """Note what is not as in the source: what was damaged, and how much was left out, a line a kind.

    What was said comes first; records that the program keeps for itself are one line without `--verbose`.
    """
    if brought.apart:
        env.note(f"{where}: {brought.apart}: new messages went to {brought.id}")
    problems = [problem for problem in session.problems if problem.mended or problem.effect == "skips"]
    for problem in problems[:MOST_NAMED]:
        mended = f" ({problem.mended})" if problem.mended else ""
        env.note(f"{where}: {_at(problem)}{problem.reason}{mended}")
    if (more := len(problems) - MOST_NAMED) > 0:
        env.note(f"{where}: and {more} more (`codeh-history verify {where}` lists all)")
    if options.report:
        for problem in session.problems:
            env.report(dumps({"session": brought.id, **problem._asdict()}))
    own = session.interface
    records = sum(session.left[kind] for kind in own)
    for kind, count in sorted(session.left.items(), key=lambda item: (item[0] in own, item[0])):
        if options.verbose or kind not in own:
            env.note(f"{where}: not imported: {count} {kind}")
        if options.report:
            env.report(dumps({"session": brought.id, "left": kind, "count": count}))
    if records and not options.verbose:
        env.note(f"{where}: not imported: {some(records, 'interface record')} (-v names them)")


def _at(problem: Problem) -> str:
    return f"line {problem.line}: " if problem.line else ""

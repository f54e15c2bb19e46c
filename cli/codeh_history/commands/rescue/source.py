"""Read what is readable in a session file, ours or another program's, and its problems."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, Usage
from ...base.read_json import json_object
from ...base.words import is_id
from ...programs import registry
from ...programs.model import Entry, Session, Summary
from ...session.fold import fold
from ...session.model import Json
from ...session.records import dumps, lines_of, parse
from ...session.view import View
from ...store import program_files
from ...store.paths import SERVER
from ...store.program_files import FIRST_LINES, File, head_of, translated
from ...store.read import read_bytes, read_log
from ...store.resolve import Target, for_reading
from ..verify import program_problem
from ..verify import session as verifying


class Recovered(NamedTuple):
    """A session as far as it can be read.

    `program`: None for a session of this format. `problems`: as in `verify --json`.
    `left`: counts of what was not imported, by kind.
    """

    target: Target
    id: str
    view: View
    problems: list[Json]
    program: str | None = None
    left: Counter[str] = Counter()  # noqa: RUF012 - never changed


def read(env: Env, option: str | None, argument: str | None) -> Recovered:
    """Read a session, or a file with any name; raise BadData if no message can be read."""
    name = argument or option
    if name == "-":
        raise Usage("-: rescue reads a file or a session, never a stream")
    if name and not is_id(name) and os.path.isfile(name):
        target = Target(name, "argument" if argument else "-s")
    else:
        target = for_reading(env, option, argument)
    if not target.path.startswith(SERVER):
        with program_files.opened(target.path) as file:
            program = program_of(file)
            if program is not None:
                return _of_a_program(file, program, target)
    return _of_session(env, target)


# -- other programs --------------------------------------------------------------------------------------


def program_of(file: File) -> str | None:
    """Detect the program; if the first lines are damaged, by the first readable ones."""
    program = program_files.program_of(file)
    if program is None and not file.head.tables and not file.head.whole:
        objects = (line for line in file.lines() if json_object(line) is not None)
        head = head_of(b"".join(islice(objects, FIRST_LINES)))
        program = registry.detect_program(head)
        if program is not None:
            file.head = head
    return program


def _of_a_program(file: File, program: str, target: Target) -> Recovered:
    read = program_files.sessions_in(file, program)
    session = next(read, None)
    if session is not None and next(read, None) is not None:
        raise BadData(f"{target.path}: more than one session of {program}; import it, and rescue one")
    items = list(_usable(session)) if session is not None else []
    if session is None or not items:
        raise BadData(f"{target.path}: it contains no readable message of {program}")
    session.items = items
    view = fold(parse(lines_of(translated.lines(session, target.path))))
    problems = [*map(program_problem, session.problems)]
    return Recovered(target, session.id, view, problems, program, session.left)


def _usable(session: Session) -> Iterator[Entry | Summary]:
    """Yield the items; skip repeated lines, and summaries without text, whose messages come back."""
    summaries = [item for item in session.items if isinstance(item, Summary)]
    covered = {id for summary in summaries if summary.text.strip() for id in summary.covers}
    doubled = {problem.line for problem in session.problems if problem.effect == "doubles"}
    seen: set[bytes] = set()
    for item in session.items:
        if isinstance(item, Summary):
            if item.text.strip() or item.id in covered:
                yield item
            else:
                why = "the text of a summary is lost"
                session.problem(item.line, "forgets", why, "what it stood for is read")
            continue
        pieces = []
        for piece in item.pieces:
            parts = dumps(piece.parts)
            if parts not in seen or piece.line not in doubled:
                pieces.append(piece)
            seen.add(parts)
        repeats = len(item.pieces) - len(pieces)
        if repeats and item.id not in covered:
            session.left["line that stands there twice"] += repeats
            item.pieces = pieces
        if pieces or not repeats:
            yield item


# -- this format -----------------------------------------------------------------------------------------


def _of_session(env: Env, target: Target) -> Recovered:
    view = fold(read_log(read_bytes(target.path)))
    if view.log.refers:
        from ...views.stored_parts import hydrated

        view = hydrated(env, view, lost={})
    if not view.summaries and all(message.after is not None for message in view.all.values()):
        raise BadData(f"{target.path}: it contains no readable message")
    problems: list[Json] = [
        {"line": p.line, "reason": p.reason} for p in verifying.verify(env, target).problems
    ]
    return Recovered(target, view.id or target.id, view, problems)

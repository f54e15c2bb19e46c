"""Copy other programs' sessions, and update the copies by appending what is new."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, TryAgain
from ...base.words import is_id, prefixes
from ...programs import records, registry
from ...programs.changes import Changes, changes, for_new_copy
from ...programs.fields import omit_empty
from ...programs.model import AS_BRANCHES, Session
from ...render import changes as rendering
from ...render.progress import tracked
from ...session.fold import fold
from ...session.model import Json, origin
from ...session.records import dumps
from ...session.redactions import REDACTION
from ...session.view import View
from ...store import create, log, program_files, read
from ...store.cache import Remembered
from ...store.locked import Locked
from ...store.paths import id_of, path_of
from ...store.program_files import folders
from ...store.program_files.folders import ProgramFile
from ...store.resolve import ids

COLUMNS = ("session", "action", "lines", "from")
_RETRY = (TryAgain.exit_code, InputOutput.exit_code)  # failures to retry although the file is unchanged


class Imported(NamedTuple):
    """The session that a source was imported into, how many records were added, and whether it is new."""

    id: str
    records: int
    created: bool
    conflict: str | None = None  # why another session was created


def import_session(env: Env, session: Session, path: str, into: str | None = None) -> Imported:
    """Copy a program's session from `path`, or append what is new to its copy; durable on return.

    If the copy was continued here, it is left unchanged and the source is copied to `ID-2`; with `into`,
    that raises BadData.
    """
    id = records.session_id(session)
    ids = itertools.chain([id], (f"{id}-{number}" for number in itertools.count(2)))
    targets = (path_of(env, id) for id in ids) if into is None else [create.path_for_into(env, into)]
    before = conflict = None
    for target in targets:
        if not create.is_taken(target):
            try:
                return _create(env, session, path, target, before)._replace(conflict=conflict)
            except BadData:
                if not create.is_taken(target):  # otherwise another process imported it meanwhile
                    raise
        imported = _append(env, session, target)
        if not imported.conflict:
            return imported
        before, conflict = fold(read.read_log(read.read_bytes(target))), imported.conflict
    raise BadData(f"{target}: {conflict}; --into NEW imports it as another session")


def with_branches(sessions: Iterable[Session], *, branches: bool) -> Iterator[tuple[Session, bool]]:
    """Yield each session and True; with `branches`, followed by its branches and False."""
    for session in sessions:
        if not branches:
            session.branches = tuple  # releases the file
            yield session, True
            continue
        session.agent_usage = tuple  # sub-agents are imported as sessions
        for kind in AS_BRANCHES:
            session.skipped.pop(kind, None)
        yield session, True
        yield from ((branch, False) for branch in session.branches())
        session.branches = tuple


def _create(env: Env, session: Session, path: str, target: str, related: View | None) -> Imported:
    """Create a copy; redactions of `related`, a copy that diverged, else of the parent, apply to it too."""
    parent: Json | None = None
    if related is not None:
        ids = {item.id for item in session.items}
        last = next((m.id for m in reversed(related.messages) if m.id in ids), None)
        parent = {"session": related.id, "at": last}
    elif session.parent and is_id(session.parent["session"]):  # the source may contain anything
        main = path_of(env, session.parent["session"])
        related = fold(read.read_log(read.read_bytes(main))) if create.is_taken(main) else None
    redactions: list[bytes] = []
    converted = records.records(session)
    if related is not None:  # they share their beginning
        redactions = [r.raw + b"\n" for r in related.log.records if r.data["type"] == REDACTION]
        converted = for_new_copy(session, related)
    new = records.lines(converted, path)
    first = dumps(records.header(session, id_of(target), path, parent)) + b"\n"
    create.copy_session(env, target, b"".join([first, *redactions, new]), renamed=False)
    return Imported(id_of(target), new.count(b"\n"), created=True)


def _append(env: Env, session: Session, target: str) -> Imported:
    """Append what the copy lacks; write nothing if it is complete or has diverged."""
    missing = Changes([])

    def build(locked: Locked) -> bytes:
        nonlocal missing
        view = fold(read.read_log(locked.read()))
        source = origin(view.header)
        if (source.get("from"), source.get("id")) != (session.program, session.id):
            raise BadData(f"{target}: another session of that id; --into NEW imports it as another session")
        if view.log.refers:
            from ...views.stored_parts import hydrated

            view = hydrated(env, view, lost={})
        missing = changes(session, view)
        return b"" if missing.conflict else records.lines(missing.records, target)

    log.append(env, target, build)
    added = 0 if missing.conflict else len(missing.records)
    return Imported(id_of(target), added, created=False, conflict=missing.conflict)


def import_all(
    env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool, jsonl: bool = False,
) -> int:  # fmt: skip
    """Import what is new in every session; print a JSON line for each that changed or failed.

    On a terminal, print a table and totals unless `jsonl`. Return the exit code of the first failure.
    """
    cache = Remembered(env.home, "import with branches" if branches else "import", 3)
    present = [*folders.files_of(env, programs)]
    if not present:
        env.note("no sessions of other programs found; `import FOLDER` imports those of another folder")
        return 0
    files = [
        file for file in present
        if cache.get(file.path, file.stamp) is None and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    files.sort(  # the newest file of a moved session last, because the program resumes that one
        key=lambda file: (programs.index(file.program), os.path.basename(file.path), file.stamp.changed)
    )
    table = not jsonl and env.terminal(env.stdout)
    rows: list[Json] = []
    first = 0  # exit code of the first failure
    try:
        for file in tracked(env, "importing", files) if files else ():
            code = 0
            for row in _imported(env, file, branches=branches):
                code = row.pop("code", 0)
                line = {"session": None, "program": file.program, "path": file.path, **row}
                rows.append(line) if table else env.print_json(line)
            if code not in _RETRY:
                cache.keep(file.path, file.stamp, True)
            first = first or code
    finally:
        if table:
            summarize(env, rows)
    cache.save()
    return first


def _imported(env: Env, source: ProgramFile, *, branches: bool) -> Iterator[Json]:
    """Import a file; yield what changed in each session, or why it failed and the exit code."""
    try:
        with program_files.opened(source.path) as file:
            if file.size == 0:
                return
            if not registry.is_own_session(source.program, file.head):
                raise BadData(f"{source.path}: not a session of {source.program}")
            read = program_files.sessions_in(file, source.program, newest=True)
            for session, _ in with_branches(read, branches=branches):
                imported = import_session(env, session, source.path) if session.items else None
                if imported is not None and (imported.records or imported.created):
                    counts = {"left": dict(session.skipped), "problems": len(session.problems)}
                    yield {
                        "session": imported.id, "action": "imported" if imported.created else "updated",
                        "records": imported.records, **omit_empty(reason=imported.conflict, **counts),
                    }  # fmt: skip
    except HistoryError as error:
        yield {"action": "failed", "reason": str(error), "code": error.exit_code}


def summarize(env: Env, rows: Sequence[Json]) -> None:
    """Print a table, and note `8 imported, 1 failed`."""
    short = prefixes([row["session"] or "" for row in rows], (name for name, _ in ids(env)))
    fields = [(row["session"] or "", row.get("reason") or row["path"], row) for row in rows]
    table = [[short[id], row["action"], row.get("records"), where] for id, where, row in fields]
    rendering.draw(env, COLUMNS, table, flexible=1)
    counts = Counter(row["action"] for row in rows)
    env.note(", ".join(f"{count} {action}" for action, count in counts.items()) or "nothing new")

"""Copy other programs' sessions, and update the copies by appending what is new."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, TryAgain
from ...base.processes import shared
from ...base.words import is_id, prefixes
from ...programs import records, registry
from ...programs.changes import changes, for_new_copy
from ...programs.model import AS_BRANCHES, Session
from ...render import changes as rendering
from ...render.progress import progress
from ...session.fold import View, fold
from ...session.model import Json, origin
from ...session.records import dumps, parse
from ...session.redactions import REDACTION
from ...store import create, log, program_files, read
from ...store.cache import Remembered
from ...store.paths import id_of, path_of
from ...store.program_files import folders
from ...store.program_files.folders import ProgramFile
from ...store.protocol import Locked
from ...store.resolve import ids

COLUMNS = ("session", "action", "lines", "from")
_AGAIN = (TryAgain.exit_code, InputOutput.exit_code)  # failures to retry although the file is unchanged


class Imported(NamedTuple):
    """The session that a source was imported into, how many records were added, and whether it is new."""

    id: str
    records: int
    created: bool
    conflict: str | None = None  # why another session was created


def import_session(env: Env, session: Session, path: str, into: str | None = None) -> Imported:
    """Copy a program's session from `path`, or append to its copy what is new; durable on return.

    A copy that was continued here is left unchanged, and the source is copied to `ID-2` instead; with
    `into`, that is BadData.
    """
    id = records.session_id(session)
    ids = itertools.chain([id], (f"{id}-{number}" for number in itertools.count(2)))
    targets = (path_of(env, id) for id in ids) if into is None else [create.asked_path(env, into)]
    before = conflict = None
    for target in targets:
        if not create.taken(target):
            return _copied(env, session, path, target, before)._replace(conflict=conflict)
        imported = _appended(env, session, target)
        if not imported.conflict:
            return imported
        before, conflict = fold(read.read_log(read.read_bytes(target))), imported.conflict
    raise BadData(f"{target}: {conflict}; --into NEW imports it as another session")


def with_branches(sessions: Iterable[Session], *, branches: bool) -> Iterator[Session]:
    """Yield the sessions; with `branches`, each followed by its branches."""
    for session in sessions:
        if not branches:
            session.branches = tuple  # frees the file that they refer to
            yield session
            continue
        session.used = tuple  # imported as sessions
        for kind in AS_BRANCHES:
            session.left.pop(kind, None)
        yield session
        yield from session.branches()
        session.branches = tuple


def _copied(env: Env, session: Session, path: str, target: str, before: View | None = None) -> Imported:
    """Create a copy. `before`: an earlier, diverged copy, whose redactions apply here too."""
    parent: Json | None = None
    if before is not None:
        ids = {item.id for item in session.items}
        last = next((m.id for m in reversed(before.messages) if m.id in ids), None)
        parent = {"session": before.id, "at": last}
    else:
        main = session.parent["session"] if session.parent else ""  # the source may contain anything
        if is_id(main) and create.taken(main := path_of(env, main)):
            before = fold(read.read_log(read.read_bytes(main)))  # the branch shares its beginning
    base, made = b"", records.records(session)
    if before is not None:
        redactions = (record.raw for record in before.log.records if record.data["type"] == REDACTION)
        base, made = b"".join(raw + b"\n" for raw in redactions), for_new_copy(session, before)
    new = records.lines(made, path)
    body = base + new
    first = dumps(records.header(session, id_of(target), path, parent)) + b"\n"

    def build(locked: Locked) -> bytes:
        if not locked.created:
            raise BadData(f"{target}: exists already; import again")
        return body

    log.append(env, target, build, create=True, header=lambda: first)
    return Imported(id_of(target), new.count(b"\n"), created=True)


def _appended(env: Env, session: Session, target: str) -> Imported:
    """Append what the copy lacks; write nothing if it is complete or has diverged."""
    data = read.read_bytes(target)
    first = parse([data.partition(b"\n")[0]]).records
    of = origin(first[0].data if first else None)
    if (of.get("from"), of.get("id")) != (session.program, session.id):
        raise BadData(f"{target}: another session of that id; --into NEW imports it as another session")
    missing = changes(session, _view(env, data))
    if missing.conflict or not missing.records:
        return Imported(id_of(target), 0, created=False, conflict=missing.conflict)
    stored = 0

    def build(locked: Locked) -> bytes:
        nonlocal stored
        now = locked.read()
        again = missing if now == data else changes(session, _view(env, now))
        if again.conflict:
            raise BadData(f"{target}: {again.conflict} meanwhile; import again")
        stored = len(again.records)
        return records.lines(again.records, target)

    log.append(env, target, build)
    return Imported(id_of(target), stored, created=False)


def _view(env: Env, data: bytes) -> View:
    view = fold(read.read_log(data))
    if view.log.refers:
        from ...views.stored_parts import hydrated

        view = hydrated(env, view, lost={})
    return view


def import_all(
    env: Env, programs: Sequence[str], earliest: int | None, *, branches: bool, jsonl: bool = False,
) -> int:  # fmt: skip
    """Import what is new in every session; print a JSON line for each that changed or failed.

    On a terminal, print a table and a summary unless `jsonl`. Return the exit code of the first failure.
    """
    cache = Remembered(env.home, "import", 3)
    files = [
        file for file in folders.files_of(env, programs)
        if cache.get(file.path, file.stamp) is None and (earliest is None or file.millis >= earliest)
    ]  # fmt: skip
    table = not jsonl and env.terminal(env.stdout)
    rows: list[Json] = []
    codes: dict[int, int] = {}  # exit codes of failures, by place
    work = partial(_outcomes, env, branches=branches)
    try:
        with progress(env, "importing", len(files), 1) as bar:
            results = shared(work, files, [file.stamp.size for file in files])
            for number, (place, data) in enumerate(results, 1):
                lines, code = orjson.loads(data)
                for line in lines:
                    rows.append(line) if table else env.write(orjson.dumps(line) + b"\n")
                if code:
                    codes[place] = code
                if code not in _AGAIN:
                    cache.keep(files[place].path, files[place].stamp, True)
                bar.done(number, len(files))
    finally:
        if table:
            summarize(env, rows)
    cache.save()
    return codes[min(codes)] if codes else 0


def _outcomes(env: Env, files: Iterable[ProgramFile], *, branches: bool) -> Iterator[bytes]:
    """Import files, perhaps in another process; yield each one's rows and exit code as JSON."""
    for file in files:
        rows: list[Json] = []
        code = 0
        try:
            rows.extend(_imported(env, file, branches=branches))
        except HistoryError as error:
            code = error.exit_code
            rows.append(_row(file, None, "failed", reason=str(error)))
        yield orjson.dumps([rows, code])


def _imported(env: Env, source: ProgramFile, *, branches: bool) -> Iterator[Json]:
    """Import a file; yield a row for each session that changed."""
    with program_files.opened(source.path) as file:
        if file.size == 0:
            return
        if not registry.is_own_session(source.program, file.head):
            raise BadData(f"{source.path}: not a session of {source.program}")
        read = program_files.sessions_in(file, source.program, newest=True)
        for session in with_branches(read, branches=branches):
            imported = import_session(env, session, source.path) if session.items else None
            if imported is None or not (imported.records or imported.created):
                continue
            more: Json = {"records": imported.records, "reason": imported.conflict}
            more |= {"left": dict(session.left), "problems": len(session.problems)}
            action = "imported" if imported.created else "updated"
            kept = {key: value for key, value in more.items() if value or key == "records"}
            yield _row(source, imported.id, action, **kept)


def _row(file: ProgramFile, session: str | None, action: str, **more: object) -> Json:
    return {"session": session, "program": file.program, "path": file.path, "action": action, **more}


def summarize(env: Env, lines: Sequence[Json]) -> None:
    """Print a table, and note `8 imported (6 claude-code, 2 codex), 1 failed (1 pi)`."""
    if not lines:
        env.note("nothing new")
        return
    short = prefixes([line["session"] or "" for line in lines], (name for name, _ in ids(env)))
    fields = [(line["session"] or "", line.get("reason") or line["path"], line) for line in lines]
    rows = [[short[id], line["action"], line.get("records"), where] for id, where, line in fields]
    rendering.draw(env, COLUMNS, rows, flexible=1)
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(line["action"], Counter())[line["program"]] += 1
    sums = []
    for action, programs in counts.items():
        by_program = ", ".join(f"{count} {name}" for name, count in programs.most_common())
        sums.append(f"{programs.total()} {action} ({by_program})")
    env.note(", ".join(sums))

"""Sessions of other programs as sessions here: copied, and brought up to date by appending what is new."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, InputOutput, TryAgain
from ...base.words import is_id, prefixes
from ...programs import records, sessions
from ...programs.changes import anew, changes
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
_AGAIN = (TryAgain.exit_code, InputOutput.exit_code)  # what failed so may succeed, though nothing changes


class Brought(NamedTuple):
    """Into which session a source was brought, how many records that took, and whether it is new."""

    id: str
    records: int
    created: bool
    apart: str | None = None  # why it is not the session that it was brought into before


def bring(env: Env, session: Session, path: str, into: str | None = None) -> Brought:
    """Copy a session of a program, or append to its copy what is new; `path`: where it stands.

    It is durable on return. A copy that went another way since (it was continued here) stays as it is: the
    next one of its name, `ID-2`, is the source as it is now; with `into` that is BadData.
    """
    id = records.session_id(session)
    ids = itertools.chain([id], (f"{id}-{number}" for number in itertools.count(2)))
    targets = (path_of(env, id) for id in ids) if into is None else [create.asked_path(env, into)]
    before = apart = None
    for target in targets:
        if not create.taken(target):
            return _copied(env, session, path, target, before)._replace(apart=apart)
        brought = _appended(env, session, target)
        if not brought.apart:
            return brought
        before, apart = fold(read.read_log(read.read_bytes(target))), brought.apart
    raise BadData(f"{target}: {apart}; --into NEW imports it as another session")


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


def _copied(env: Env, session: Session, path: str, target: str, before: View | None = None) -> Brought:
    """A new session; `before`: the copy that went another way. What was redacted there stays so here."""
    parent: Json | None = None
    if before is not None:
        ids = {item.id for item in session.items}
        last = next((m.id for m in reversed(before.messages) if m.id in ids), None)
        parent = {"session": before.id, "at": last}
    else:
        main = session.parent["session"] if session.parent else ""  # a source may name anything
        if is_id(main) and create.taken(main := path_of(env, main)):
            before = fold(read.read_log(read.read_bytes(main)))  # a branch begins as that did
    base, made = b"", records.records(session)
    if before is not None:
        redactions = (record.raw for record in before.log.records if record.data["type"] == REDACTION)
        base, made = b"".join(raw + b"\n" for raw in redactions), anew(session, before)
    new = records.lines(made, path)
    body = base + new
    first = dumps(records.header(session, id_of(target), path, parent)) + b"\n"

    def build(locked: Locked) -> bytes:
        if not locked.created:
            raise BadData(f"{target}: exists already; import again")
        return body

    log.append(env, target, build, create=True, header=lambda: first)
    return Brought(id_of(target), new.count(b"\n"), created=True)


def _appended(env: Env, session: Session, target: str) -> Brought:
    """Append what a copy lacks; write nothing if that is nothing, or if copy and source diverged."""
    data = read.read_bytes(target)
    first = parse([data.partition(b"\n")[0]]).records
    of = origin(first[0].data if first else None)
    if (of.get("from"), of.get("id")) != (session.program, session.id):
        raise BadData(f"{target}: another session of that id; --into NEW imports it as another session")
    missing = changes(session, _view(env, data))
    if missing.apart or not missing.records:
        return Brought(id_of(target), 0, created=False, apart=missing.apart)
    stored = 0

    def build(locked: Locked) -> bytes:
        nonlocal stored
        now = locked.read()
        again = missing if now == data else changes(session, _view(env, now))
        if again.apart:
            raise BadData(f"{target}: {again.apart} meanwhile; import again")
        stored = len(again.records)
        return records.lines(again.records, target)

    log.append(env, target, build)
    return Brought(id_of(target), stored, created=False)


def _view(env: Env, data: bytes) -> View:
    view = fold(read.read_log(data))
    if view.log.refers:
        from ...views.stored_parts import hydrated

        view = hydrated(env, view, lost={})
    return view


def import_all(
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
        for session in with_branches(read, branches=branches):
            brought = bring(env, session, source.path) if session.items else None
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
    rendering.draw(env, COLUMNS, rows, flexible=1)
    counts: dict[str, Counter[str]] = {}
    for line in lines:
        counts.setdefault(line["action"], Counter())[line["program"]] += 1
    sums = []
    for action, programs in counts.items():
        by_program = ", ".join(f"{count} {name}" for name, count in programs.most_common())
        sums.append(f"{programs.total()} {action} ({by_program})")
    env.note(", ".join(sums))

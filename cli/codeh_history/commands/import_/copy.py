"""Sessions of other programs as sessions here: copied, and brought up to date by appending what is new."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import BadData
from ...base.words import is_id
from ...programs import records
from ...programs.changes import anew, changes
from ...programs.model import AS_BRANCHES, Session
from ...session.fold import View, fold
from ...session.imported import origin
from ...session.model import Json
from ...session.records import dumps, parse
from ...session.redactions import REDACTION
from ...store import create, log, read
from ...store.paths import id_of, path_of
from ...store.protocol import Locked


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

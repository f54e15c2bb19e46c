"""Bring conversations of other programs, and in other forms, into sessions here, and print their ids."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from itertools import groupby

from .. import programs
from ..access import copy
from ..access.copy import Brought
from ..access.source import Source, is_bundle, source
from ..access.view import tell_damage, tell_lost
from ..base.env import Env
from ..base.errors import BadData, Usage
from ..base.options import ALLOW_MISSING, QUIET, REPORT, STRICT, Options, argument, option
from ..blocks import Lost, batches, fetch, names, open_stores, sizes
from ..blocks.protocol import BlockStore, is_block_id
from ..programs import sessions, toolkit
from ..programs.model import Session
from ..session.by_reference import Blocks, referring
from ..session.fold import kind_of
from ..session.model import Json, Part
from ..session.records import check_message, dumps
from ..session.rules import ROLE_OF_KIND
from ..store import create, program_file
from ..store.log import Locked
from ..store.resolve import Target

EXAMPLES = """\
  codeh-history import ~/.claude/projects/*/*.jsonl   # again: only what is new since
  codeh-history import ~/.codeh/sessions/old.json --into old
  codeh-history import request.json --from anthropic --into demo
  codeh-history import *.json            # a session each, named like its file
  codeh-history import demo.tar          # a bundle: `export demo --bundle demo.tar` of another machine
"""


FORMS = (*sessions.PROGRAMS, *programs.IMPORTERS)


class Given(Options):
    files: Sequence[str] = argument("FILE|-...", "Files to import, a session each.")
    from_: str = option("FORM", f"auto, {', '.join(FORMS)}.", default="auto")
    into: str | None = option("NEW", "The new session's id or path (one file).")
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING
    strict: bool = STRICT
    quiet: bool = QUIET


def run(env: Env, given: Given) -> None:
    if given.from_ not in ("auto", *FORMS):
        raise Usage(f"--from {given.from_}: auto, {', '.join(FORMS)}")
    if given.into is not None and len(given.files) > 1:
        raise Usage("--into names one session; import one file at a time")
    for name in given.files:
        where = "stdin" if name == "-" else name
        with source(env, name) as file:
            if given.from_ == "auto" and is_bundle(file.head):
                from ..access import bundle

                env.write(
                    f"{bundle.unpack(env, file, where, given.into)}\n".encode("utf-8", "surrogateescape")
                )
                continue
            if by_program(env, given, file, name):
                continue
            data = file.rest()
        tell = partial(tell_damage, env, Target(where, where), strict=given.strict)
        records = programs.read(data, given.from_, where, tell=tell)
        for number, record in enumerate(records):
            check(record, f"{where}: message {number}")
        records = by_our_blocks(env, records, where, allow_missing=given.allow_missing)
        path = create.free_path(env, given.into, "imported" if name == "-" else name)
        id = create.session(env, path, lambda locked, given=records: lines(env, locked, given))  # type: ignore[misc]
        env.write(f"{id}\n".encode("utf-8", "surrogateescape"))


def by_program(env: Env, given: Given, file: Source, name: str) -> bool:
    """Bring in the sessions of another program's file; whether it is one."""
    if given.from_ in programs.IMPORTERS:
        return False
    file.settle()
    found = program_file.File(file.fd, "" if name == "-" else name)
    program = program_file.whose(found, given.from_)
    if program is None:
        return False
    where = "stdin" if name == "-" else name
    for session in program_file.sessions_in(found, program):
        brought = copy.bring(env, session, os.path.abspath(name) if name != "-" else "-", given.into)
        if brought.records or brought.created:
            tell_brought(env, given, where, session, brought)
        env.write(f"{brought.id}\n".encode("utf-8", "surrogateescape"))
    return True


def tell_brought(env: Env, given: Given, where: str, session: Session, brought: Brought) -> None:
    """Note what is not as in the source: what was damaged, and how much was left out, a line a kind."""
    if brought.apart:
        env.note(f"{where}: {brought.apart}: what is new went to {brought.id}")
    for problem in session.problems:
        mended = f" ({problem.mended})" if problem.mended else ""
        at = f"line {problem.line}: " if problem.line else ""
        if given.strict and problem.effect == "skips":
            raise BadData(f"{where}: {at}{problem.reason}")
        if problem.mended or problem.effect == "skips":
            env.note(f"{where}: {at}{problem.reason}{mended}")
        if given.report:
            env.report(dumps({"session": brought.id, **problem._asdict()}))
    for kind, count in sorted(session.left.items()):
        env.note(f"{where}: not imported: {count} {kind}")
        if given.report:
            env.report(dumps({"session": brought.id, "left": kind, "count": count}))


def by_our_blocks(env: Env, records: list[Json], where: str, *, allow_missing: bool) -> list[Json]:
    """The records, whose blocks can all be read, and lie in the store under our ids."""
    if all(record.get("type") != "ref" for record in records):
        return records
    lost: Lost | None = {} if allow_missing else None
    records = adopted(env, records, where, lost)
    tell_lost(env, where, lost)
    return records


def check(record: Json, where: str) -> None:
    """Refuse what the new session could not be read back with."""
    if record.get("type", "message") != "message":
        return
    known = isinstance(record.get("parts"), list)
    reason = check_message({"id": "", **record}) if known else "no `parts`"
    if reason:
        raise BadData(f"{where}: {reason}; nothing was imported")


def lines(env: Env, locked: Locked, records: list[Json]) -> bytes:
    """The records as lines, with ids and times where the source has none."""
    now = env.now()
    offset = locked.offset
    chunks: list[bytes] = []
    for record in records:
        kind = record.get("type", "message")
        fields: Json = {"type": kind}
        if kind == "message":
            of = kind_of(record)
            fields.update(
                id=record.get("id") or env.new_id(locked.session, offset), ts=record.get("ts") or now
            )
            fields["kind"] = of
            if ROLE_OF_KIND[of]:
                fields["role"] = ROLE_OF_KIND[of]
        elif kind == "ref":
            fields.update(id=record["id"], ts=record.get("ts") or now)
        elif kind == "meta":
            fields["ts"] = now
        chunk = dumps({**fields, **{k: v for k, v in record.items() if k not in fields}}) + b"\n"
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)


_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_:.-]{0,255}")  # what may be asked of a store


def adopted(env: Env, records: Sequence[Json], where: str, lost: Lost | None = None) -> list[Json]:
    """The records, those that name another program's blocks naming ours; BadData names what is missing."""
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return list(records)
    stores = open_stores(env)
    ours = dict.fromkeys(id for ref in refs for id in ref["blockIds"] if is_block_id(id))
    held = sizes(stores, ours)
    for batch in (*batches(held), [id for id in ours if id not in held]):
        fetch(stores, batch, lost)
    theirs = [ref for ref in refs if not all(map(is_block_id, ref["blockIds"]))]
    blocks: Blocks = {}
    made: dict[str, Json] = {}
    for place, group in groupby(theirs, key=_place):
        some = list(group)
        parts = _parts(stores, [id for ref in some for id in ref["blockIds"]], *place, where)
        for ref in some:
            made[ref["id"]], new = _ours(ref, [parts[id] for id in ref["blockIds"]])
            blocks |= new
    if blocks:
        stores[0].mset(blocks)
    return [_clean(made.get(record.get("id", ""), record)) for record in records]


def _place(ref: Json) -> tuple[str, str]:
    return str(ref.get("flowId") or ""), str(ref.get("workspaceId") or "")


def _clean(record: Json) -> Json:
    return {key: value for key, value in record.items() if key != "workspaceId"}


def _ours(ref: Json, parts: list[Part]) -> tuple[Json, Blocks]:
    """The same message by our blocks, and these."""
    message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
    found = referring({**message, "type": "message", "parts": parts}, None, ref["flowId"], every=True)
    assert found is not None  # noqa: S101 - with `every` each message with parts is
    return found


def _parts(
    stores: Sequence[BlockStore], ids: Sequence[str], flow: str, workspace: str, where: str
) -> dict[str, Part]:
    """The parts that these blocks hold, whoever's they are."""
    wanted = list(dict.fromkeys(ids))
    for name in (*wanted, *filter(None, (flow, workspace))):
        if not _SAFE.fullmatch(name):
            raise BadData(f"{where}: {name[:80]}: no block id; nothing was imported")
    heads = ["", f"{flow}:msg:", f"{workspace}:{flow}:msg:"]
    found: dict[str, bytes] = dict(fetch(stores, [id for id in wanted if is_block_id(id)], {}))
    for store in stores:
        left = [id for id in wanted if id not in found and not is_block_id(id)]
        if left:
            found |= store.foreign(left, heads)
    parts: dict[str, Part] = {}
    for id in wanted:
        part = toolkit.part(found[id]) if id in found else None
        if part is None:
            why = "holds no part that can be read" if id in found else "is missing"
            raise BadData(f"{where}: block {id} {why} ({names(stores)}); nothing was imported")
        parts[id] = part
    return parts

"""Import sessions of other programs, and conversations in other formats; print their ids."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO

from ...base.env import Env
from ...base.errors import BadData, Lost, Usage
from ...base.input import empty_stdin
from ...base.options import ALLOW_MISSING, IDENTITY, REPORT, STRICT, Verb, argument, flag, option
from ...base.times import moment
from ...base.words import plural
from ...programs import forms, registry
from ...programs.forms import reimport
from ...programs.model import Problem, Session
from ...session.by_reference import Blocks, summary_in, to_references
from ...session.fold import fold
from ...session.model import AS_REF, ROLE_OF_KIND, Json
from ...session.records import check, dumps
from ...session.view import kind_of
from ...store import create, log, program_files, read
from ...store.blocks import fetch, open_stores
from ...store.blocks.protocol import is_block_id
from ...store.locked import Locked
from ...store.paths import id_of, is_path
from ...store.program_files import folders
from ...store.resolve import Target
from ...sync.encryption import Encryption, is_bundle, is_encrypted
from ...views.stored_parts import foreign_parts, parts_of, place_of
from ...views.view import MOST_NAMED, report_damage, report_missing_blocks
from . import copy
from .copy import Imported

EXAMPLES = """\
  codeh-history import ~/.claude/projects/*/*.jsonl   # again: only what is new since
  codeh-history import --all             # whatever is new in every session of every program; for cron
  codeh-history import ~/.codeh/sessions/old.json   # as session `old`; again: only what is new since
  codeh-history import request.json --from anthropic --into demo
  codeh-history import *.json            # a session each, named like its file
  codeh-history import demo.tar.age --identity key.txt   # an encrypted one: `export --bundle --encrypt-to`
  codeh-history import demo.tar          # a bundle: `export demo --bundle demo.tar` of another machine
"""
HEAD = 512  # bytes needed to recognise a bundle
FORMS = (*registry.PROGRAMS, *forms.IMPORTERS)


class Options(Verb):
    files: Sequence[str] | None = argument("[FILE|-]...", "Files, or a program's folder.")
    from_: Sequence[str] = option(
        "FORM", f"auto, {', '.join(FORMS)}; with --all repeatable.", choices=("auto", *FORMS)
    )
    all_: bool = flag(
        "All sessions of all programs; a JSON line for each that changed.",
        excludes=("files", "into", "allow_missing"),
    )
    since: str | None = option("D", "With --all: files changed since: 2h, 7d, a date.", requires=("all_",))
    into: str | None = option("NEW", "Id or path of the new session (for one file).")
    identity: Sequence[str] = IDENTITY
    branches: bool = flag("Also import abandoned branches and sub-agents as sessions.")
    jsonl: bool = flag("With --all on a terminal: JSON lines, not a table.")
    verbose: bool = flag("Also count each kind of interface records that are not imported.", short="-v")
    report: bool = REPORT
    allow_missing: bool = ALLOW_MISSING
    strict: bool = STRICT


def run(env: Env, options: Options) -> int:
    if options.all_:
        programs = tuple(form for form in options.from_ if form != "auto") or tuple(registry.PROGRAMS)
        if not set(programs) <= registry.PROGRAMS.keys():
            raise Usage(
                f"--all --from {', '.join(programs)}: must be one of {', '.join(registry.PROGRAMS)}"
            )
        earliest = moment(env.millis(), options.since) if options.since is not None else None
        return copy.import_all(env, programs, earliest, branches=options.branches, jsonl=options.jsonl)
    names: list[str] = []
    for name in options.files or (["-"] if env.piped() else []):
        paths = folders.below(name) if os.path.isdir(name) else [name]
        names += paths
        if not paths:
            raise BadData(f"{name}: no program keeps sessions in this folder; pass files instead")
    if not names:
        raise Usage("import: no FILE given; pass files, - for stdin, or --all")
    if len(options.from_) > 1:
        raise Usage("more than one --from requires --all")
    if options.into is not None and len(names) > 1:
        raise Usage("--into names one session; pass one file")
    for name in names:
        for id in one_file(env, options, name, options.from_[0] if options.from_ else "auto"):
            env.print(id)
    return 0


def one_file(env: Env, options: Options, name: str, form: str) -> Iterator[str]:
    """Import a file; yield the id of each session."""
    where = "stdin" if name == "-" else name
    with opened(env, name) as file:
        head = file.read(HEAD)
        file.seek(0)
        if name == "-" and not head:
            raise BadData(f"stdin: {empty_stdin(env)}")
        if is_encrypted(head):
            file = io.BytesIO(Encryption((), options.identity).decrypt(file.read(), where))
        if is_encrypted(head) or (form == "auto" and is_bundle(head)):
            from ...sync import bundle

            yield bundle.unpack(env, file, where, options.into)
            return
        source = program_files.File(file.fileno(), "" if name == "-" else name)
        program = None if form in forms.IMPORTERS else program_files.program_of(source, form)
        if program is not None:
            yield from of_program(env, options, source, program)
            return
        data = file.read()
    damaged = partial(report_damage, env, Target(where, where), strict=options.strict)
    records = forms.read(data, form, where, on_log=damaged)
    for number, record in enumerate(records):
        if reason := check({"type": "message", "id": "", **record}):
            raise BadData(f"{where}: message {number}: {reason}; nothing was imported")
    records = with_own_blocks(env, records, where, allow_missing=options.allow_missing)
    yield store_records(env, records, name, options.into)


def of_program(env: Env, options: Options, source: program_files.File, program: str) -> Iterator[str]:
    """Import the sessions of another program's file."""
    where, path = source.path or "stdin", os.path.abspath(source.path) if source.path else "-"
    read = program_files.sessions_in(source, program)
    empty = chosen = program in options.from_  # --from reads any file, perhaps without a message
    for session, is_main in copy.with_branches(read, branches=options.branches):
        if chosen and not session.items:
            continue
        empty = False
        lost = (problem for problem in session.problems if problem.effect in ("skips", "lacks"))
        if options.strict and (problem := next(lost, None)):
            raise BadData(f"{where}: {_at(problem)}{problem.reason}; nothing was imported")
        imported = copy.import_session(env, session, path, options.into if is_main else None)
        if imported.records or imported.created:
            note_result(env, options, where, session, imported)
        yield imported.id
    if empty:
        raise BadData(f"{where}: no message of {program} in it; nothing was imported")


def note_result(env: Env, options: Options, where: str, session: Session, imported: Imported) -> None:
    """Note damage, and how many records were not imported, one line per kind.

    Without `--verbose`, one line counts all interface records of the program.
    """
    notes = [f"{imported.conflict}: new messages went to {imported.id}"] if imported.conflict else []
    problems = [problem for problem in session.problems if problem.mended or problem.effect == "skips"]
    for problem in problems[:MOST_NAMED]:
        mended = f" ({problem.mended})" if problem.mended else ""
        notes += [f"{_at(problem)}{problem.reason}{mended}"]
    if (more := len(problems) - MOST_NAMED) > 0:
        notes.append(f"and {more} more (`codeh-history verify {where}` lists all)")
    interface = session.interface
    skipped = sorted(session.skipped.items(), key=lambda item: (item[0] in interface, item[0]))
    counts = [plural(count, kind) for kind, count in skipped if options.verbose or kind not in interface]
    if not options.verbose and (records := sum(session.skipped[kind] for kind in interface)):
        counts.append(f"{plural(records, 'interface record')} (-v names them)")
    for note in [*notes, *(f"not imported: {count}" for count in counts)]:
        env.note(f"{where}: {note}")
    if options.report:
        lines = [problem._asdict() for problem in session.problems]
        for line in (*lines, *({"left": kind, "count": count} for kind, count in skipped)):
            env.report(dumps({"session": imported.id, **line}))


def _at(problem: Problem) -> str:
    return f"line {problem.line}: " if problem.line else ""


def store_records(env: Env, records: list[Json], name: str, into: str | None) -> str:
    """Create a session, or append missing records to the one named like the file; return its id."""
    if name == "-" and into is None:
        path = create.free_path(env, None, "imported")
    else:
        path = create.path_for_into(env, into or create.id_like(name))
    if not create.is_taken(path):
        return create.session(env, path, partial(lines, env, records=records), with_cwd=False)

    def build(locked: Locked) -> bytes:
        try:
            missing = reimport.missing(records, fold(read.read_log(locked.read())))
        except reimport.ContentConflict as error:
            raise BadData(f"{path}: {error}; --into NEW imports it as another session") from None
        return lines(env, locked, missing)

    log.append(env, path, build)
    return path if into is not None and is_path(into) else id_of(path)


@contextmanager
def opened(env: Env, name: str) -> Iterator[IO[bytes]]:
    """Open a file (`-`: stdin) for import; copy a pipe to a temporary file first."""
    if name == "-":
        env.note_terminal_input()
    try:
        fd = os.dup(env.stdin) if name == "-" else os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Usage(f"{name}: no such file") from None
    with open(fd, "rb") as file, tempfile.TemporaryFile() as temporary:
        if stat.S_ISREG(os.fstat(fd).st_mode) and file.tell() == 0:
            yield file
            return
        shutil.copyfileobj(file, temporary)
        temporary.seek(0)
        yield temporary


def lines(env: Env, locked: Locked, records: list[Json]) -> bytes:
    """The records as lines; missing ids and times are added."""
    now, written = env.now(), bytearray()
    for record in records:
        kind = record.get("type", "message")
        fields: Json = {"type": kind}
        if kind in ("message", "ref"):
            fields["id"] = record.get("id") or env.new_id(locked.session, locked.offset + len(written))
            fields["ts"] = record.get("ts") or now
        elif kind == "meta":
            fields["ts"] = now
        if kind == "message":
            fields["kind"] = kind_of(record)
            fields |= {"role": role} if (role := ROLE_OF_KIND[fields["kind"]]) else {}
        written += dumps({**fields, **{k: v for k, v in record.items() if k not in fields}}) + b"\n"
    return bytes(written)


def with_own_blocks(env: Env, records: list[Json], where: str, *, allow_missing: bool) -> list[Json]:
    """Copy the parts in another program's blocks to blocks here; return records that refer to the copies.

    Raises BadData if a block is missing.
    """
    refs = [record for record in records if record.get("type") == "ref" and record.get("blockIds")]
    if not refs:
        return records
    lost: Lost | None = {} if allow_missing else None
    stores = open_stores(env)
    ours = fetch(stores, (id for ref in refs for id in ref["blockIds"] if is_block_id(id)), lost)
    new: Blocks = {}
    changed: dict[str, Json] = {}
    for ref in refs:
        ids = ref["blockIds"]
        others = [id for id in ids if not is_block_id(id)]
        if not others:
            if (summary := summary_in(ours.get(ids[0], b""))) is not None:
                changed[ref["id"]] = summary
            continue
        try:
            parts = parts_of(stores, [id for id in ids if is_block_id(id)], ours)
            parts |= foreign_parts(stores, others, place_of(ref))
        except BadData as error:
            raise BadData(f"{where}: {error}; nothing was imported") from None
        message = {key: value for key, value in ref.items() if key not in ("blockIds", "flowId", "kind")}
        message |= {"type": "message", "parts": [parts[id] for id in ids]}
        by_reference = to_references(message, None, ref["flowId"], every=True)
        assert by_reference is not None  # noqa: S101 - `every` converts any message with parts
        record, blocks = by_reference
        if AS_REF in record:
            record[AS_REF] = {**record[AS_REF], "blockIds": record["blockIds"]}  # the original content, too
        changed[ref["id"]] = record
        new |= blocks
    if new:
        stores[0].mset(new)
    report_missing_blocks(env, where, lost)
    records = [changed.get(record.get("id", ""), record) for record in records]
    return [{key: value for key, value in record.items() if key != "workspaceId"} for record in records]

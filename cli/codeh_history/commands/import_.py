"""Import sessions of other programs, and conversations in other formats; print their ids."""

from __future__ import annotations

import io
import itertools
import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO, NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Lost, TryAgain, Usage
from ..base.input import empty_stdin
from ..base.options import ALLOW_MISSING, IDENTITY, REPORT, STRICT, Verb, argument, flag, option
from ..base.times import moment
from ..base.words import is_id, plural, prefixes
from ..programs import forms, registry
from ..programs import records as program_records
from ..programs.fields import omit_empty
from ..programs.forms import reimport
from ..programs.model import Problem, Session, with_branches
from ..programs.records import Changes, changes, for_new_copy
from ..render import changes as rendering
from ..render.progress import tracked
from ..session.fold import fold
from ..session.model import ROLE_OF_KIND, Json, origin
from ..session.records import check, dumps
from ..session.redactions import REDACTION
from ..session.view import View, kind_of
from ..store import create, log, program_files, read
from ..store.cache import Remembered
from ..store.locked import Locked
from ..store.paths import id_of, is_path, path_of
from ..store.program_files import folders
from ..store.program_files.folders import ProgramFile
from ..store.resolve import Target, ids
from ..sync.encryption import Encryption, is_bundle, is_encrypted
from ..views.stored_parts import with_own_blocks
from ..views.view import MOST_NAMED, report_damage, report_missing_blocks

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
COLUMNS = ("session", "action", "lines", "from")
_RETRY = (TryAgain.exit_code, InputOutput.exit_code)  # failures to retry although the file is unchanged


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
        return import_all(env, programs, earliest, branches=options.branches, jsonl=options.jsonl)
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
            from ..sync import bundle

            yield bundle.unpack(env, file, where, options.into)
            return
        source = program_files.File(file.fileno(), "" if name == "-" else name)
        program = None if form in forms.IMPORTERS else program_files.program_of(source, form)
        if program is not None:
            yield from of_program(env, options, source, program)
            return
        if source.head.tables:
            raise BadData(f"{where}: a database of an unknown program; nothing was imported")
        data = file.read()
    damaged = partial(report_damage, env, Target(where, where), strict=options.strict)
    records = forms.read(data, form, where, on_log=damaged)
    for number, record in enumerate(records):
        if reason := check({"type": "message", "id": "", **record}):
            raise BadData(f"{where}: message {number}: {reason}; nothing was imported")
    lost: Lost | None = {} if options.allow_missing else None
    records = with_own_blocks(env, records, where, lost)
    report_missing_blocks(env, where, lost)
    yield store_records(env, records, name, options.into)


def of_program(env: Env, options: Options, source: program_files.File, program: str) -> Iterator[str]:
    """Import the sessions of another program's file."""
    where, path = source.path or "stdin", os.path.abspath(source.path) if source.path else "-"
    read = program_files.sessions_in(source, program)
    empty = chosen = program in options.from_  # --from reads any file, perhaps without a message
    for session, is_main in with_branches(read, branches=options.branches):
        if chosen and not session.items:
            continue
        empty = False
        lost = (problem for problem in session.problems if problem.effect in ("skips", "lacks"))
        if options.strict and (problem := next(lost, None)):
            raise BadData(f"{where}: {_at(problem)}{problem.reason}; nothing was imported")
        imported = import_session(env, session, path, options.into if is_main else None)
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


# -- copies of programs' sessions, updated by appending what is new ----------------------------------------


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
    id = program_records.session_id(session)
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
    converted = program_records.records(session)
    if related is not None:  # they share their beginning
        redactions = [r.raw + b"\n" for r in related.log.records if r.data["type"] == REDACTION]
        converted = for_new_copy(session, related)
    new = program_records.lines(converted, path)
    first = dumps(program_records.header(session, id_of(target), path, parent)) + b"\n"
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
            from ..views.stored_parts import hydrated

            view = hydrated(env, view, lost={})
        missing = changes(session, view)
        return b"" if missing.conflict else program_records.lines(missing.records, target)

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

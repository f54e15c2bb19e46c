"""Write a session in another format, or as a file for another program to continue."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import PurePath

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Lost, NegativeAnswer, NotFound, Usage, reason
from ..base.folders import ensure_dir
from ..base.options import ALLOW_MISSING, ENCRYPT_TO, Reading, flag, option
from ..formats import EXPORTERS, export
from ..programs.registry import WRITTEN
from ..render.progress import tracked
from ..session.fold import fold
from ..session.model import Json, origin
from ..session.view import View
from ..store import new_file, read
from ..store.resolve import Target, for_reading, ids
from ..views.selection import Selection, selected
from ..views.view import report_missing_blocks, view_of

STRAY = "the session is the only argument; the form is --to FORM"
EXAMPLES = """\
  codeh-history export demo --to contents > demo.json
  codeh-history export demo --to html -o demo.html
  codeh-history export --all --to html --output pages    # an index, and a page per session
  codeh-history export demo --bundle demo.tar    # to take it to another machine: `import demo.tar` there
  codeh-history export demo --bundle demo.tar.age --encrypt-to age1...   # encrypted to this key
  codeh-history export demo --to codex --install # to resume it in Codex: prints the command
  codeh-history export --program claude-code --from-dir OLD --cwd NEW   # a moved project; then --install
  codeh-history export demo --role user --range :5.. --to markdown    # only the prompts from the fifth on
  codeh-history export demo --to refs            # [{flowId, blockIds, role}], the parts in the block store
"""
TEXTS = ("markdown", "html")  # for reading only
FORMS = (*EXPORTERS, *WRITTEN)
ONLY_WITH: dict[str, Sequence[str]] = {
    "last": ("exchanges",), "workspace": ("refs",), "cwd": WRITTEN, "title": WRITTEN, "install": WRITTEN,
    "all": ("html",),
}  # fmt: skip


class Options(Selection, Reading):
    to: str | None = option("FORM", f"{', '.join(FORMS)} (default: contents).", choices=FORMS)
    bundle: str | None = option(
        "FILE|-", "The session and its blocks in one file.",
        excludes=("to", "redact", "output", *ONLY_WITH, *Selection.DEFAULTS),
    )  # fmt: skip
    encrypt_to: Sequence[str] = ENCRYPT_TO.but(requires=("bundle",))
    last: int | None = option("N", "With --to exchanges: only the last N.", long="-n", least=1)
    workspace: str | None = option("W", "With --to refs: in sidekick's wrapper.", rare=True)
    cwd: str | None = option("DIR", "With a program: its working directory.")
    title: str | None = option("T", "With a program: the session's title there.", rare=True)
    output: str | None = option("FILE|-", "Write a new file instead of stdout.", "-o")
    install: bool = flag("With a program: put it where the program looks.", excludes=("output",))
    all: bool = flag("With --to html: all sessions and an index, in --output.")
    program: str | None = option(
        "PROGRAM", "Continue its sessions of --from-dir in --cwd.", choices=WRITTEN,
        requires=("from_dir",), excludes=("to", "output", "title", "all", "redact", *Selection.DEFAULTS),
    )  # fmt: skip
    from_dir: str | None = option("OLD", "With --program: the moved directory.", requires=("program",))
    redact: bool = flag("Replace secrets; best effort.")
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> int:
    if options.program is not None:
        return move_sessions(env, options, options.program)
    to = options.to or "contents"
    for name in options.specified(*ONLY_WITH):
        if to not in ONLY_WITH[name]:
            raise Usage(f"{options.DECLARED[name].label(name)} requires --to {'|'.join(ONLY_WITH[name])}")
    if options.all:
        return pages(env, options)
    target = for_reading(env, options.session, options.argument)
    lost: Lost | None = {} if options.allow_missing or to in TEXTS else None
    if options.bundle is not None:
        from ..sync import bundle
        from ..sync.encryption import Encryption

        encryption = Encryption(options.encrypt_to, ()) if options.encrypt_to else None
        bundle.pack(env, target, options.bundle, lost, encryption)
    elif to in WRITTEN:
        from ..talk.send import program

        view = view_for(env, target, options, lost)
        file = program.make(env, view, to, cwd=options.cwd, title=options.title, install=options.install)
        next = program.put(env, file, options.output, install=options.install)
        program.note_left_out(env, file)
        env.note(f"{view.id or to}: {next}")
    else:
        write(env, target, to, options, lost)
    report_missing_blocks(env, target.id, lost, strict=options.strict)
    return 0


def write(env: Env, target: Target, to: str, options: Options, lost: Lost | None) -> None:
    """Write the session in a format, and note what the format cannot hold."""
    view = view_for(env, target, options, lost, hydrate=to != "refs")
    if to == "refs":
        from ..views import persist

        persist.store_parts(env, view)
        if view.summaries:
            names = ", ".join(summary.id for summary in view.summaries)
            env.note(f"{target.id}: each summary is a reference of its own ({names})")
    exported = export(view, to, options.last if to == "exchanges" else options.workspace)
    if options.output in (None, "-"):
        env.write(exported.data)
    else:
        new_file.write(options.output, exported.data)
    if any(exported.left_out.values()):
        from ..programs.writing import format_counts

        env.note(f"{target.id}: left out: {format_counts(exported.left_out)}")


def pages(env: Env, options: Options) -> int:
    """Write a page per session and an index, replacing earlier ones; continue after a failure."""
    from ..formats import html

    if options.output in (None, "-") or options.specified("session", "argument"):
        raise Usage("--all requires --to html and --output DIR, and takes no session")
    folder = os.path.abspath(str(options.output))
    ensure_dir(folder)
    entries: list[tuple[str, str, str]] = []
    code = 0
    for id, path in tracked(env, "pages", list(ids(env))):
        try:
            view = view_for(env, Target(path, ""), options, {})
        except (HistoryError, OSError) as error:
            env.warn(f"{id}: no page: {reason(error)}")
            code = BadData.exit_code
            continue
        last = next((message.ts for message in reversed(view.messages) if message.ts), "")
        entries.append((last, f"{id}.html", html.title_of(view)))
        new_file.write_over(os.path.join(folder, f"{id}.html"), export(view, "html").data)
    newest = [(file, title) for _, file, title in sorted(entries, reverse=True)]
    new_file.write_over(os.path.join(folder, "index.html"), html.index(newest))
    return code


def move_sessions(env: Env, options: Options, program: str) -> int:
    """Copy a program's sessions of one directory to another; print a JSON line for each.

    If the program files sessions by directory, the copies have the same ids. Only --install writes them.
    """
    from ..store.program_files import translated
    from .list_ import program_rows

    if not options.cwd or not options.from_dir or options.specified("session", "argument"):
        raise Usage("--from-dir OLD requires --cwd NEW, and takes no session")
    old, new = _paths(options.from_dir), _paths(options.cwd)
    if not os.path.isdir(new[0]):
        raise NotFound(f"--cwd {new[0]} does not exist; name the directory that {old[0]} became")
    if set(old) & set(new):
        raise Usage(f"--from-dir and --cwd are both {new[0]}; name the directory's old and new path")
    rows = [row for row in program_rows(env, (program,)) if _new_place(row["cwd"], old, new)]
    code = 0 if rows else NegativeAnswer.exit_code
    for path in sorted({row["path"] for row in rows}):
        try:
            for view in (fold(read.read_log(data)) for data in translated.each(path)):
                place = _new_place((view.header or {}).get("cwd"), old, new)
                if place and view.messages and not origin(view.header).get("agent"):
                    env.print_json(_move(env, view, program, place, path, options))
        except (HistoryError, OSError) as error:
            env.print_json({"path": path, "action": "failed", "reason": reason(error)})
            code = code or getattr(error, "exit_code", InputOutput.exit_code)
    if not rows or not options.install:
        env.note(
            "nothing was written; add --install" if rows else f"no session of {program} begun in {old[0]}"
        )
    return code


def _paths(folder: str) -> tuple[str, str]:
    """The directory's absolute path, and the one that programs store: with links above it resolved."""
    path = os.path.abspath(folder)
    parent, name = os.path.split(path)
    return path, os.path.join(os.path.realpath(parent), name)


def _new_place(cwd: object, old: Sequence[str], new: Sequence[str]) -> str | None:
    """Where a directory is after the move; None if it was not in `old`, or is already in `new`."""
    above = next((name for name in old if PurePath(str(cwd)).is_relative_to(name)), None)
    inside = (name for name in new if above and PurePath(name).is_relative_to(above))
    if above is None or any(PurePath(str(cwd)).is_relative_to(name) for name in inside):
        return None
    return os.path.normpath(os.path.join(new[0], os.path.relpath(str(cwd), above)))


def _move(env: Env, view: View, program: str, cwd: str, path: str, options: Options) -> Json:
    """Copy a session to another directory unless the program already has it there; return its line."""
    from ..programs import registry
    from ..talk.send import program as writer

    id = str(origin(view.header)["id"])
    same_id = id if registry.program(program).by_folder else None
    file = writer.make(env, view, program, cwd=cwd, install=options.install, of=("moved", id), id=same_id)
    before = writer.installed(env, file, in_folder=same_id is not None)
    if options.install and not before:
        writer.put(env, file, None, install=True)
    action = "exists" if before else "written" if options.install else "planned"
    place = before[0] if before else file.place or None
    resume = writer.command(file, file.written.resume)
    return {"session": view.id, "path": path, "action": action, "to": place, "resume": resume}


def view_for(
    env: Env, target: Target, options: Options, lost: Lost | None, *, hydrate: bool = True
) -> View:
    """The selected part of the session; with --redact, secrets are replaced and counted on stderr."""
    if not options.redact:
        view = view_of(env, target, strict=options.strict, hydrate=hydrate, lost=lost)
        return selected(env, view, options, target.id)
    from ..filters.redact import run as redacting
    from ..filters.redact.redactor import Redactor
    from ..views.persist import hydrated_stream

    redactor = Redactor()
    lines = hydrated_stream(env, target, lost=lost, strict=options.strict)
    view = fold(read.read_log(b"".join(redacting.rewritten(lines, lines, redactor))))
    redacting.report(env, target.id, redactor)
    return selected(env, view, options, target.id)

"""Write a session in another format, or as a file for another program to continue."""

from __future__ import annotations

import os
from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import BadData, HistoryError, Lost, Usage, reason
from ..base.folders import ensure_dir
from ..base.options import ALLOW_MISSING, ENCRYPT_TO, Reading, flag, option
from ..base.words import some
from ..formats import EXPORTERS, export
from ..programs.registry import WRITTEN
from ..render.progress import progress
from ..session.fold import View, fold
from ..store import new_file, read
from ..store.resolve import Target, for_reading, ids
from ..views.view import tell_lost, view_of

STRAY = "the session is the only argument; the form is --to FORM"
EXAMPLES = """\
  codeh-history export demo --to contents > demo.json
  codeh-history export demo --to markdown | less
  codeh-history export demo --to html -o demo.html
  codeh-history export --all --to html --output pages    # an index and a page a session
  codeh-history export demo --to exchanges -n 20
  codeh-history export demo --bundle demo.tar    # to take it to another machine: `import demo.tar` there
  codeh-history export demo --bundle demo.tar.age --encrypt-to age1...   # encrypted to this key
  codeh-history export demo --to codex --install # to resume it in Codex: prints the command
  codeh-history export demo --to claude-code --cwd ~/project --output demo-for-claude.jsonl
  codeh-history export demo --to refs            # [{flowId, blockIds, role}], the parts in the block store
"""
TEXTS = ("markdown", "html")  # for reading only
FORMS = (*EXPORTERS, *WRITTEN)
ONLY_WITH: dict[str, Sequence[str]] = {
    "last": ("exchanges",), "workspace": ("refs",), "cwd": WRITTEN, "title": WRITTEN, "install": WRITTEN,
    "all": ("html",),
}  # fmt: skip


class Options(Reading):
    to: str | None = option("FORM", f"{', '.join(FORMS)} (default: contents).", choices=FORMS)
    bundle: str | None = option(
        "FILE|-", "The session and its blocks in one file.",
        excludes=("to", "redact", "output", *ONLY_WITH),
    )  # fmt: skip
    encrypt_to: Sequence[str] = ENCRYPT_TO.but(requires=("bundle",))
    last: int | None = option("N", "With --to exchanges: only the last N.", long="-n", least=1)
    workspace: str | None = option("W", "With --to refs: in sidekick's wrapper.")
    cwd: str | None = option("DIR", "With a program: its working directory.")
    title: str | None = option("T", "With a program: the session's title there.")
    output: str | None = option("FILE|-", "Write a new file instead of stdout.", "-o")
    install: bool = flag("With a program: put it where the program looks.", excludes=("output",))
    all: bool = flag("With --to html: all sessions, a page each and an index, in the folder --output.")
    redact: bool = flag("Replace secrets; best effort.")
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> int:
    to = options.to or "contents"
    check(options, to)
    if options.all:
        return pages(env, options)
    target = for_reading(env, options.session, options.argument)
    lost: Lost | None = {} if options.allow_missing or to in TEXTS else None
    if options.bundle is not None:
        from ..sync import bundle
        from ..sync.sealing import Seal

        bundle.pack(
            env, target, options.bundle, lost, Seal(options.encrypt_to, ()) if options.encrypt_to else None
        )
    else:
        write(env, target, to, options, lost)
    tell_lost(env, target.id, lost, strict=options.strict)
    return 0


def check(options: Options, to: str) -> None:
    """Raise Usage for options that cannot be combined."""
    for name in options.specified(*ONLY_WITH):
        if to not in ONLY_WITH[name]:
            raise Usage(f"{options.SPELLED[name].label(name)} requires --to {'|'.join(ONLY_WITH[name])}")
    if options.all and (options.output in (None, "-") or options.specified("session", "argument")):
        raise Usage("--all requires --to html and --output DIR, and takes no session")


def write(env: Env, target: Target, to: str, options: Options, lost: Lost | None) -> None:
    """Write the session in the chosen format, and note what the format cannot hold."""
    view = viewed(env, target, options, lost, hydrate=to != "refs")
    if to in WRITTEN:
        for_program(env, view, to, options)
        return
    if to == "contents" and view.summaries:
        env.note(
            f"{target.id}: left out: {some(len(view.summaries), 'summary')}; contents cannot hold them"
        )
    if to == "refs":
        from ..views import persist

        persist.store_parts(env, view)
        if view.summaries:
            names = ", ".join(summary.id for summary in view.summaries)
            env.note(f"{target.id}: each summary is a reference of its own ({names})")
    made = export(view, to, options.last if to == "exchanges" else options.workspace)
    if options.output in (None, "-"):
        env.write(made.data)
    else:
        new_file.write(options.output, made.data)
    if any(made.left.values()):
        from ..programs.writing import format_counts

        env.note(f"{target.id}: left out: {format_counts(made.left)}")


def for_program(env: Env, view: View, to: str, options: Options) -> None:
    """Write a file that a program resumes; note what it lacks and the next step."""
    from ..talk.send import program

    made = program.make(env, view, to, cwd=options.cwd, title=options.title, install=options.install)
    next = program.put(env, made, options.output, install=options.install)
    program.tell_left(env, made)
    env.note(f"{view.id or to}: {next}")


def pages(env: Env, options: Options) -> int:
    """Write a page per session and an index, replacing earlier ones; continue after a failure."""
    from ..formats import html

    folder = os.path.abspath(str(options.output))
    ensure_dir(folder)
    entries: list[tuple[str, str, str]] = []
    unread = 0
    sessions = list(ids(env))
    with progress(env, "pages") as bar:
        for number, (id, path) in enumerate(sessions, 1):
            target = Target(path, "")
            try:
                view = viewed(env, target, options, {})
            except (HistoryError, OSError) as error:
                env.complain(f"{id}: no page: {reason(error)}")
                unread += 1
            else:
                entries.append((html.last_time(view), f"{id}.html", html.title_of(view)))
                new_file.over(os.path.join(folder, f"{id}.html"), export(view, "html").data)
            bar.done(number, len(sessions))
    newest = [(file, title) for _, file, title in sorted(entries, reverse=True)]
    new_file.over(os.path.join(folder, "index.html"), html.index(newest))
    return BadData.exit_code if unread else 0


def viewed(env: Env, target: Target, options: Options, lost: Lost | None, *, hydrate: bool = True) -> View:
    """The session's view; with --redact, secrets are replaced and counted on stderr."""
    if not options.redact:
        return view_of(env, target, strict=options.strict, hydrate=hydrate, lost=lost)
    from ..filters.redact import Redactor
    from ..filters.redact import run as redacting
    from ..views.hydrate import hydrated_stream

    redactor = Redactor()
    lines = hydrated_stream(env, target, lost=lost, strict=options.strict)
    view = fold(read.read_log(b"".join(redacting.rewritten(lines, lines, redactor))))
    redacting.report(env, target.id, redactor)
    return view

"""Where a rescued session is written: a new session of ours, or a new file for its program."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import Usage
from ...base.options import JSON, QUIET, REPORT, SESSION, OptionSet, argument, flag, option
from ...programs import sessions
from ...session.model import Summary
from ...session.records import dumps
from ...store import create
from .. import fork
from .reduction import Reduced
from .source import Recovered


class Options(OptionSet):
    argument: str | None = argument("[FILE|SESSION]", "What to rescue; it is not changed.")
    budget: str | None = option("N", "Tokens; without, 60 % of the model's window where it is above that.")
    to: str | None = option(
        "PROGRAM", f"{', '.join(sessions.WRITTEN)}; without, the one it is of.", choices=sessions.WRITTEN
    )
    cwd: str | None = option("DIR", "The working directory to continue in.")
    title: str | None = option("T", "The title.")
    output: str | None = option("FILE|NEW", "New file, or for a session the new id.")
    install: bool = flag("Put it where the program looks.", excludes=("output",))
    dry_run: bool = flag("Print what would be done; write nothing.")
    json: bool = JSON
    report: bool = REPORT
    session: str | None = SESSION
    quiet: bool = QUIET


class Out(NamedTuple):
    """Where it was written (None: stdout, or nowhere), as which session of ours, and what resumes it.

    `place`: where a file is to be put before its program finds it; `left`: what was not written, by kind.
    `there`: where the same was installed before, so that nothing was written.
    """

    path: str | None = None
    id: str | None = None
    resume: str | None = None
    place: str | None = None
    printed: bool = False
    there: str | None = None
    left: dict[str, int] = {}  # noqa: RUF012 - never changed


def destination(options: Options, session: Recovered) -> str | None:
    """The program it is written for; None for a session of ours. Usage for options of programs only."""
    to = options.to or session.program
    if to in sessions.WRITTEN:
        return to
    if of_programs := options.specified("cwd", "title", "install"):
        programs = "|".join(sessions.WRITTEN)
        raise Usage(f"--{of_programs[0]} requires --to {programs}: this is written as a session here")
    return None


def write(env: Env, options: Options, session: Recovered, done: Reduced, to: str | None) -> Out:
    """Write the session that was brought back; the original stays as it is."""
    if to is None:
        return _ours(env, options, session, done)
    from ...send import program

    contents = [dumps([message.kind, message.parts]) for message in done.fitted.messages]
    summaries = [summary.text for summary in done.fitted.summaries]
    of = (
        (session.id, options.title, summaries, contents) if options.install else ()
    )  # the same has the same id
    made = program.make(
        env, done.fitted, to, cwd=options.cwd, title=options.title, install=options.install, of=of
    )
    out = Out(left=dict(made.written.left), resume=program.command(made, made.written.resume))
    if options.install and (installed := program.installed(env, made)):
        path, id = installed
        return out._replace(there=path, resume=program.command(made, [*made.written.resume[:-1], id]))
    program.put(env, made, options.output, install=options.install)
    if options.install:
        return out._replace(path=made.place or shlex.join(made.written.imported))
    if options.output in (None, "-"):
        return out._replace(printed=True, place=made.place or None)
    resume = program.resumed(made, os.path.abspath(options.output))
    if resume is None:
        return out._replace(path=options.output, place=made.place)
    return out._replace(path=options.output, resume=resume)


def _ours(env: Env, options: Options, session: Recovered, done: Reduced) -> Out:
    """A new session here; of one of ours the header names what it was made of."""
    kept = {message.id for message in done.fitted.messages}
    summaries = [
        summary
        if kept.issuperset(summary.covers)
        else Summary(
            fields={**summary.fields, "covers": [id for id in summary.covers if id in kept]},
            place=summary.place,
            raw=None,
        )
        for summary in done.fitted.summaries
    ]
    view = done.fitted.with_messages(done.fitted.messages, summaries)
    path = create.free_path(env, options.output, f"{session.id}-rescued")
    last = next((message.id for message in reversed(view.messages)), None)
    parent = {"session": session.id, "at": last} if session.program is None else None
    id = fork.written(env, path, view, parent, begun_here=False)
    return Out(path, id, f"codeh-history ask -s {id}")

"""Recover a session that is broken or too long: read, repair, curate, compact, write a new one."""

from __future__ import annotations

import os
import shlex
from typing import Any

import orjson

from ...base import amounts
from ...base.env import Env
from ...base.errors import Usage
from ...base.options import JSON, QUIET, REPORT, SESSION, OptionSet, argument, flag, option
from ...programs.registry import WRITTEN
from ...session.model import Json, Summary
from ...session.records import dumps
from ...session.view import View
from ...store import create
from ...store.resolve import named
from .. import fork
from . import report, steps
from .steps import Recovered, Reduced

EXAMPLES = """\
  codeh-history rescue                           # the newest sessions and their problems
  codeh-history rescue ~/.claude/projects/DIR/UUID.jsonl --install    # prints how to resume it
  codeh-history rescue ~/.codex/sessions/2026/01/02/rollout-….jsonl --dry-run   # prints what it would do
  codeh-history rescue FILE --budget 60k --to codex --install         # resume in another program
  codeh-history rescue demo                                           # creates demo-rescued
"""


class Options(OptionSet):
    argument: str | None = argument("[FILE|SESSION]", "What to rescue; it is only read.")
    budget: str | None = option("N", "Tokens (default: 60 % of the model's window, if above it).")
    to: str | None = option("PROGRAM", f"{', '.join(WRITTEN)} (default: the same).", choices=WRITTEN)
    cwd: str | None = option("DIR", "The working directory to continue in.")
    title: str | None = option("T", "The title.")
    output: str | None = option("FILE|NEW", "New file, or the id of a new session here.")
    install: bool = flag("Put it where the program looks.", excludes=("output",))
    dry_run: bool = flag("Print what would be done; write nothing.")
    json: bool = JSON
    report: bool = REPORT
    session: str | None = SESSION
    quiet: bool = QUIET


def run(env: Env, options: Options) -> None:
    if named(env, options.session, options.argument) is None:
        alone = options.specified("budget", "to", "cwd", "title", "output", "install", "dry_run", "report")
        if alone:
            raise Usage(f"--{alone[0].replace('_', '-')}: name a FILE or SESSION")
        report.newest(env, json=options.json)
        return
    budget = amounts.tokens(options.budget) if options.budget is not None else None
    session = steps.read(env, options.session, options.argument)
    to = destination(options, session)
    done = steps.reduced(env, session.view, to, budget)
    changed = session.problems or done.facts["compacted"]
    wanted = changed or options.specified("to", "output", "install", "budget")
    printed = to is not None and options.output in (None, "-") and not options.install
    # a terminal shows it, but saves nothing
    lost = printed and options.output is None and env.terminal(env.stdout)
    writes = wanted and not options.dry_run and not lost
    out = write(env, options, session, done, to) if writes else {}
    for line in done.report if options.report else ():
        env.report(orjson.dumps(line))
    rescue = report.as_json(session, done, to, out)
    if not options.json:
        report.write(env, rescue, done.earlier)
    elif printed and writes:  # stdout has the session
        env.report(orjson.dumps(rescue))
    else:
        env.write(orjson.dumps(rescue) + b"\n")


def destination(options: Options, session: Recovered) -> str | None:
    """The program to write for; None for a session here. Raise Usage for options of programs only."""
    to = options.to or session.program
    if to in WRITTEN:
        return to
    if of_programs := options.specified("cwd", "title", "install"):
        programs = "|".join(WRITTEN)
        raise Usage(f"--{of_programs[0]} requires --to {programs}: this is written as a session here")
    return None


def write(env: Env, options: Options, session: Recovered, done: Reduced, to: str | None) -> Json:
    """Write the rescued session; return where it was written and how to resume it."""
    if to is None:
        return _as_session(env, options, session, done.view)
    from ...talk.send import program

    of: tuple[Any, ...] = ()
    if options.install:  # the same session gets the same id
        contents = [dumps([message.kind, message.parts]) for message in done.view.messages]
        of = (session.id, options.title, [summary.text for summary in done.view.summaries], contents)
    made = program.make(
        env, done.view, to, cwd=options.cwd, title=options.title, install=options.install, of=of
    )
    out = {"resume": program.command(made, made.written.resume), "not_written": dict(made.written.left)}
    if options.install:
        if installed := program.installed(env, made):
            path, id = installed
            return {**out, "there": path, "resume": program.command(made, [*made.written.resume[:-1], id])}
        program.put(env, made, None, install=True)
        return {**out, "written": made.place or shlex.join(made.written.imported)}
    program.put(env, made, options.output)
    if options.output in (None, "-"):
        return {**out, "place": made.place or None}
    written = str(options.output)
    if resumed := program.resumed(made, os.path.abspath(written)):
        return {**out, "written": written, "resume": resumed}
    return {**out, "written": written, "place": made.place}


def _as_session(env: Env, options: Options, session: Recovered, view: View) -> Json:
    """Create a session here; its header names the session that it was made from."""
    kept = {message.id for message in view.messages}
    summaries = [
        summary if kept.issuperset(summary.covers) else Summary(
            fields={**summary.fields, "covers": [id for id in summary.covers if id in kept]},
            place=summary.place, raw=None,
        )
        for summary in view.summaries
    ]  # fmt: skip
    path = create.free_path(env, options.output, f"{session.id}-rescued")
    last = next((message.id for message in reversed(view.messages)), None)
    parent = {"session": session.id, "at": last} if session.program is None else None
    id = fork.written(env, path, view.with_messages(view.messages, summaries), parent, begun_here=False)
    return {"written": path, "id": id, "resume": f"codeh-history ask -s {id}"}

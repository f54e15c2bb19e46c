"""Where a rescued session is written: a new session of ours, or a new file for its program."""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import Usage
from ...programs import sessions
from ...session.model import Summary
from ...session.records import dumps
from ...session.view import View
from ...store import create
from .. import fork
from .options import Options
from .reduction import Reduced
from .source import Found

_OF_PROGRAMS = ("cwd", "title", "install")


class Out(NamedTuple):
    """Where it went (None: stdout, or nowhere), as which session of ours, and what goes on with it.

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


def destination(given: Options, found: Found) -> str | None:
    """The program it is written for; None for a session of ours. Usage where the options say otherwise."""
    to = given.to or found.program
    if to in sessions.WRITTEN:
        return to
    if of_programs := given.specified(*_OF_PROGRAMS):
        name = of_programs[0].replace("_", "-")
        raise Usage(
            f"--{name} goes with --to {'|'.join(sessions.WRITTEN)}: this is written as a session here"
        )
    return None


def write(env: Env, given: Options, found: Found, done: Reduced, to: str | None) -> Out:
    """Write the session that was brought back; the original stays as it is."""
    if to is None:
        return _ours(env, given, found, done)
    from ...send import program

    of = _content(given, found, done) if given.install else ()
    made = program.make(
        env, done.fitted, to, cwd=given.cwd, title=given.title, install=given.install, of=of
    )
    out = Out(left=dict(made.written.left), resume=program.command(made, made.written.resume))
    if given.install and (there := program.installed(env, made)):
        path, known = there
        return out._replace(there=path, resume=program.command(made, [*made.written.resume[:-1], known]))
    if given.install:
        program.install(env, made)
        return out._replace(path=made.place or shlex.join(made.written.imported))
    if given.output in (None, "-"):
        program.print_out(env, made)
        return out._replace(printed=True, place=made.place or None)
    program.save(made, given.output)
    resume = program.resumed(made, os.path.abspath(given.output))
    if resume is None:
        return out._replace(path=given.output, place=made.place)
    return out._replace(path=given.output, resume=resume)


def _content(given: Options, found: Found, done: Reduced) -> tuple[object, ...]:
    """What the id of an installed session is made of, so that the same is installed once."""
    messages = [dumps([message.kind, message.parts]) for message in done.fitted.messages]
    summaries = [summary.text for summary in done.fitted.summaries]
    return found.id, given.title, summaries, messages


def _ours(env: Env, given: Options, found: Found, done: Reduced) -> Out:
    """A new session here; of one of ours the header names what it was made of."""
    view = done.fitted.with_messages(done.fitted.messages, _summaries(done.fitted))
    path = create.free_path(env, given.output, f"{found.id}-rescued")
    last = next((message.id for message in reversed(view.messages)), None)
    parent = {"session": found.id, "at": last} if found.program is None else None
    id = fork.written(env, path, view, parent, here=False)
    return Out(path, id, f"codeh-history ask -s {id}")


def _summaries(view: View) -> list[Summary]:
    """The summaries, naming nothing that stays behind in the session that was rescued."""
    there = {message.id for message in view.messages}
    return [
        summary
        if (covers := [id for id in summary.covers if id in there]) == summary.covers
        else Summary(fields={**summary.fields, "covers": covers}, place=summary.place, raw=None)
        for summary in view.summaries
    ]

"""Print a session as context for a system prompt: recent exchanges in full, then the summaries."""

from typing import Annotated, Optional

import typer

from ..access.late_media import Deferred
from ..access.view import open_view, tell_lost
from ..base import timezone
from ..base.env import Env
from ..blocks import Lost
from ..send import context
from .options import AllowMissing, Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history context demo
  codeh-history context demo --recent 3 --tz Europe/Berlin
  codeh-history payload next --to gemini --system "$(codeh-history context demo)"
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    recent: Annotated[
        int, typer.Option("--recent", metavar="N", min=0, help="So many exchanges in full.")
    ] = 10,
    now: Annotated[
        Optional[str], typer.Option("--now", metavar="T", help="The time that ages are told from.")
    ] = None,
    tz: Annotated[
        Optional[str],
        typer.Option("--tz", metavar="Z", help="The time zone of days: Europe/Berlin, UTC, +02:00."),
    ] = None,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    moment = timezone.now(env, now)
    timezone.local(tz)
    lost: Optional[Lost] = {} if allow_missing else None
    media = Deferred(measured=True)
    target, view = open_view(env, session, argument, strict=strict, media=media, lost=lost)
    tell_lost(env, target.id, lost)
    env.write(context.prompt_of(view, moment, tz, recent).encode("utf-8", "replace"))
    return 0

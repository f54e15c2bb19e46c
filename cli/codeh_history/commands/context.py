"""Print a session as context for a system prompt: recent exchanges in full, then the summaries."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import Usage
from ..base.options import ALLOW_MISSING, Reading, option
from ..base.times import local, to_millis
from ..formats import context
from ..formats.entries import entries
from ..views.view import open_view

EXAMPLES = """\
  codeh-history context demo
  codeh-history context demo --recent 3 --tz Europe/Berlin
  codeh-history payload next --to gemini --system "$(codeh-history context demo)"
"""


class Options(Reading):
    recent: int = option("N", "Number of exchanges in full.", least=0, default=10)
    now: str | None = option("T", "The time that ages are relative to.")
    tz: str | None = option("Z", "The time zone of days: Europe/Berlin, UTC, +02:00.")
    allow_missing: bool = ALLOW_MISSING


def run(env: Env, options: Options) -> None:
    now = env.millis() if options.now is None else to_millis(options.now)
    if now is None:
        raise Usage(f"--now {options.now}: expected a time such as 2026-01-31T12:00:00Z")
    zone = local(options.tz)
    _, view = open_view(env, options, allow_missing=options.allow_missing)
    summaries = [summary.text for summary in view.summaries]
    prompt = context.prompt(entries(view.messages), summaries, now, zone, options.recent)
    env.write(prompt.encode("utf-8", "replace"))

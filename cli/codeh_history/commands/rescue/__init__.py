"""Recover a session that is broken or too long: read, repair, curate, compact, write a new one."""

from __future__ import annotations

import orjson

from ...base import amounts
from ...base.env import Env
from ...base.errors import Usage
from ...store.resolve import named
from . import newest, output, report, source
from .output import Options, Out
from .reduction import reduced

__all__ = ["Options", "run"]

EXAMPLES = """\
  codeh-history rescue                           # the newest sessions, and what is wrong with each
  codeh-history rescue ~/.claude/projects/DIR/UUID.jsonl --install    # says by which command to go on
  codeh-history rescue ~/.codex/sessions/2026/01/02/rollout-….jsonl --dry-run   # says what it would do
  codeh-history rescue FILE --budget 60k --to codex --install         # resume in another program
  codeh-history rescue demo                                           # a new session; `demo` stays as it is
"""


def run(env: Env, options: Options) -> None:
    if named(env, options.session, options.argument) is None:
        alone = options.specified("budget", "to", "cwd", "title", "output", "install", "dry_run", "report")
        if alone:
            raise Usage(f"--{alone[0].replace('_', '-')}: name a FILE or SESSION")
        newest.show(env, json=options.json)
        return
    budget = amounts.tokens(options.budget) if options.budget is not None else None
    session = source.read(env, options.session, options.argument)
    to = output.destination(options, session)
    done = reduced(env, session.view, to, budget)
    wanted = session.problems or done.compacted or options.specified("to", "output", "install", "budget")
    lost = to is not None and not options.specified("output", "install") and env.terminal(env.stdout)
    writes = wanted and not options.dry_run and not lost  # nobody resumes what a terminal showed
    out = output.write(env, options, session, done, to) if writes else Out()
    for line in done.report if options.report else ():
        env.report(orjson.dumps(line))
    report.tell(env, report.as_json(session, done, to, out), out, json=options.json)

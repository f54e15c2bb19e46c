"""Print an anonymous, deterministic copy of a session, for tests and bug reports."""

from typing import Annotated, Optional

import typer

from .. import stream
from ..env import Env
from ..redaction import Redactor
from ..talk import anonymous, filtering, redacting
from ..talk.hydrating import Hydration
from ..talk.reading import view_of
from .options import Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history fixture demo > fixtures/demo.jsonl
  codeh-history payload fixtures/demo.jsonl --to anthropic --model M --pretty > fixtures/demo.json
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    rules: Annotated[
        Optional[str],
        typer.Option("--rules", metavar="FILE", help="JSON object: kind, regular expression."),
    ] = None,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    redactor = Redactor(redacting.rules(rules))
    target = filtering.target_of(env, session, argument)
    view = view_of(env, target, strict=strict)
    whole = Hydration(env).lines(stream.lines(view))
    lines = redacting.stream(whole, whole, redactor)
    home, *users = (env.environ.get(name) for name in ("HOME", "USER", "LOGNAME"))
    env.write(b"".join(anonymous.lines(lines, home, *users)))
    return redacting.report(env, target.id, redactor)

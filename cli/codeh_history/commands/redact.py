"""Replace secrets by [redacted:kind]: on stdout, or with -i in the file, which cannot be undone."""

import sys
from collections.abc import Iterable
from typing import Annotated, Optional

import typer

from ..access import result as filtering
from ..access import rewrite as rewriting
from ..access.hydrate import Hydration
from ..access.view import view_of
from ..base.env import Env
from ..base.errors import NegativeAnswer, Usage
from ..base.escape import visible
from ..filters.redact import Redactor, left_elsewhere
from ..filters.redact import run as redacting
from ..session import stream
from ..session.records import lines_of
from ..store import read
from .options import Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history redact demo > shareable.jsonl
  codeh-history redact demo -i --yes             # cannot be undone
  codeh-history redact demo --rules rules.json   # {"ticket": "TICKET-[0-9]+"}
"""
STRAY = "the session is the only argument"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    rules: Annotated[
        Optional[str],
        typer.Option("--rules", metavar="FILE", help="JSON object: kind, regular expression."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="With -i: do not ask.")] = False,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", "-i", help="Rewrite the session instead of printing: cannot be undone."),
    ] = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    redactor = Redactor(redacting.rules(rules))
    target = filtering.target_of(env, session, argument)
    if not in_place:
        lines = list(stream.lines(view_of(env, target, strict=strict)))
        env.write(b"".join(redacting.rewritten(lines, whole(env, lines), redactor)))
        return redacting.report(env, target.id, redactor)
    rewriting.check(target)
    if not yes:
        ask(env, target.id)
    before = read.read_bytes(target.path)

    def rewrite(data: bytes) -> list[bytes]:
        redactor.forget()
        return redacting.rewritten(lines_of(data), whole(env, lines_of(data)), redactor)

    rewriting.in_place(env, target, rewrite, strict=strict)
    code = redacting.report(env, target.id, redactor)
    if left_elsewhere.Needles(redactor.certain()).within_file(target.path):
        env.complain(f"{target.id}: what was removed is still in it, in an id or a signature: see `verify`")
        code = 1
    for place in left_elsewhere.places(env, target, before, redactor.removed):
        env.complain(f"{target.id}: what was removed is still in {place}")
        code = 1
    return code


def whole(env: Env, lines: Iterable[bytes]) -> list[bytes]:
    """The lines with what lies in the block store: secrets are looked for there too."""
    return Hydration(env).lines(lines)


def ask(env: Env, session: str) -> None:
    """Consent from a terminal; without one, --yes is needed."""
    if not env.terminal(env.stdin):
        raise Usage(f"redact -i rewrites {session} for good, which cannot be undone: say --yes")
    sys.stderr.write(
        f"redact -i rewrites {visible(session)}, undone content too, which cannot be undone. Go on? [y/N] "
    )
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NegativeAnswer("nothing was changed")

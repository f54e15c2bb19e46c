"""Replace secrets by [redacted:kind]: on stdout, or with -i in the file, for good. Best effort."""

import sys
from collections.abc import Iterable
from typing import Annotated, Optional

import typer

from .. import stream
from ..env import Env
from ..errors import NegativeAnswer, Usage
from ..escape import visible
from ..records import lines_of
from ..redaction import Redactor
from ..store import read
from ..talk import filtering, redacting, remains, rewriting
from ..talk.hydrating import Hydration
from ..talk.reading import view_of
from .options import Argument, InPlace, Quiet, Session, Strict

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
    in_place: InPlace = False,
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
        env.write(b"".join(redacting.stream(lines, whole(env, lines), redactor)))
        redacting.report(env, target.id, redactor)
        return 0
    rewriting.check(target)
    if not yes:
        ask(env, target.id)
    before = read.read_bytes(target.path)

    def rewrite(data: bytes) -> list[bytes]:
        redactor.counts.clear()
        return redacting.rewritten(data, whole(env, lines_of(data)), redactor)

    rewriting.in_place(env, target, rewrite, strict=strict)
    redacting.report(env, target.id, redactor)
    for place in remains.places(env, target, before, redactor.removed):
        env.note(f"{target.id}: what was removed is still in {place}")
    return 0


def whole(env: Env, lines: Iterable[bytes]) -> list[bytes]:
    """The lines with what lies in the block store: secrets are looked for there too."""
    return Hydration(env).lines(lines)


def ask(env: Env, session: str) -> None:
    """Consent from a terminal; without one, --yes is needed."""
    if not env.terminal(env.stdin):
        raise Usage(f"redact -i rewrites {session} for good: say --yes")
    sys.stderr.write(f"redact -i rewrites {visible(session)} for good, undone content too. Go on? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise NegativeAnswer("nothing was changed")

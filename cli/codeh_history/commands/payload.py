"""Print the request body that sends a session to a provider."""

import typer

from ..base.env import Env
from ..base.options import Request
from ..send import payload
from .options import Argument, Quiet, Session, Strict
from .signature import taking

EXAMPLES = """\
  codeh-history payload demo --to gemini | curl -sSN --json @- -H @gem.hdr "$URL"
  codeh-history payload demo --to anthropic --model claude-opus-4-8 --stream --budget 32k
  codeh-history curate demo | codeh-history payload - --raw --to openai-chat --model gpt-5.1
  codeh-history payload demo --to gemini --remove '<follow-up>.*?</follow-up>' --policy loop --budget 32k
  codeh-history payload fixtures/x.jsonl --to anthropic --model M --pretty | diff - golden.json
"""
STRAY = "the session is the only argument; text is appended with `append -m`"


@taking(Request)
def command(
    ctx: typer.Context,
    given: Request,
    argument: Argument = None,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    payload.send(env, argument, session, given, strict=strict)
    return 0

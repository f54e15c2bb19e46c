"""Append a prompt, send the session through a command, and store the answer."""

from typing import Annotated, Optional

import typer

from ...append.given import Given
from ...base import amounts
from ...base.env import Env
from ...base.errors import Usage
from ...base.options import Request
from ...receive.notice import tell
from ...send import payload
from ...store.resolve import for_writing
from ..options import MaxBytes, Quiet, Session
from ..signature import taking
from . import prompt

EXAMPLES = """\
  export CODEH_TO=gemini CODEH_VIA='curl -sSN --fail-with-body --json @- -H @gem.hdr "$URL"'
  codeh-history ask -s demo -m "Why is the sky blue?"
  git diff | codeh-history ask -s demo -m "Review this:"
  codeh-history ask -s demo                                # resend what was not answered
  codeh-history ask -s demo -m "List the files" --tools @tools.json
  while codeh-history calls -s demo --via ./tool; do codeh-history ask -s demo || break; done
"""
STRAY = "say -m TEXT"

Message = Annotated[
    Optional[list[str]], typer.Option("--message", "-m", metavar="TEXT", help="Text; repeatable.")
]
File = Annotated[
    Optional[list[str]],
    typer.Option("--file", "-F", metavar="FILE|-", help="Text from a file, after the -m texts."),
]
Attach = Annotated[Optional[list[str]], typer.Option("--attach", metavar="FILE", help="Attach a file.")]
Via = Annotated[
    Optional[str],
    typer.Option(
        "--via", metavar="CMD", help="Run by sh -c: body on stdin, response on stdout; $CODEH_VIA."
    ),
]
NoStdin = Annotated[
    bool, typer.Option("--no-stdin", help="Leave what is piped in alone: in loops over lines, in hooks.")
]
Id = Annotated[bool, typer.Option("--id", help="Print the id of the answer instead of its text.")]
Echo = Annotated[bool, typer.Option("--echo", help="Print the text as it arrives, as it does without.")]
Key = Annotated[
    Optional[str], typer.Option("--key", metavar="K", help="Store the prompt once under this key.")
]


@taking(Request, without=("pretty",))
def command(
    ctx: typer.Context,
    message: Message = None,
    file: File = None,
    attach: Attach = None,
    via: Via = None,
    *,
    request: Request,
    no_stdin: NoStdin = False,
    id: Id = False,
    echo: Echo = False,
    max_bytes: MaxBytes = None,
    key: Key = None,
    session: Session = None,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    most = amounts.size(max_bytes)
    via = via or env.environ.get("CODEH_VIA")
    if not via:
        raise Usage("--via CMD (or CODEH_VIA) says how to reach the provider")
    payload.provider_of(env, request.to)
    payload.checked(request)
    if id and echo:
        raise Usage("--id and --echo: one of them")
    target = for_writing(env, session)
    given = Given(message=message or (), file=file or (), attach=attach or (), key=key)
    received = prompt.ask(env, target, given, request, via, echo=not id, stdin=not no_stdin, most=most)
    tell(env, target.id, received, echo=not id)
    return 0

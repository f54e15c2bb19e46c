"""List the tool calls that wait for a result, or answer each with a command."""

from typing import Annotated, Optional

import orjson
import typer

from ..access.late_media import Deferred
from ..access.view import open_view, tell_lost
from ..base import amounts
from ..base.env import Env
from ..blocks import Lost
from ..session.pairing import open_calls
from .options import AllowMissing, Argument, MaxBytes, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history calls demo | jq -r .name
  codeh-history calls -s demo --via ./tool     # CODEH_CALL_NAME, CODEH_CALL_ID; args on stdin
  while codeh-history calls --via ./tool; do codeh-history ask || break; done
"""


def command(
    ctx: typer.Context,
    argument: Argument = None,
    via: Annotated[
        Optional[str],
        typer.Option("--via", metavar="CMD", help="Run by sh -c for each call; its stdout is the result."),
    ] = None,
    allow_missing: AllowMissing = False,
    max_bytes: MaxBytes = None,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    most = amounts.size(max_bytes)
    lost: Optional[Lost] = {} if allow_missing else None
    target, view = open_view(env, session, argument, strict=strict, media=Deferred(), lost=lost)
    tell_lost(env, target.id, lost)
    calls = open_calls(view.messages)
    for call in calls:
        if via is None:
            line = {"message": call.message.id, "id": call.id, "name": call.name, "args": call.args}
            if call.damage:
                line |= {"damaged": call.damage, "arguments": call.arguments}
            env.write(orjson.dumps(line) + b"\n")
        else:
            from ..receive.tool_call import answer

            answer(env, target, call, via, most)
    return 0 if calls else 1

"""List the tool calls that wait for a result, or answer each with a command."""

from typing import Annotated, Optional

import orjson
import typer

from ..env import Env
from ..pairing import Call, open_calls
from ..records import dumps
from ..store import log
from ..store.log import Locked
from ..store.resolve import Target
from ..talk import asking
from ..talk.compose import response_of
from ..talk.deferring import Deferred
from ..talk.reading import locked_view, open_view
from .options import Argument, Quiet, Session, Strict

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
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    target, view = open_view(env, session, argument, strict=strict, media=Deferred())
    calls = open_calls(view.messages)
    for call in calls:
        if via is None:
            line = {"message": call.message.id, "id": call.id, "name": call.name, "args": call.args}
            env.write(orjson.dumps(line) + b"\n")
        else:
            answer(env, target, call, via)
    return 0 if calls else 1


def answer(env: Env, target: Target, call: Call, via: str) -> None:
    """Run a command for one call and store what it printed, or how it failed; prints the result's id."""
    environ = {"CODEH_CALL_NAME": call.name, "CODEH_CALL_ID": call.id}
    code, out, err = asking.tool(via, orjson.dumps(call.args) + b"\n", environ)
    if code == 0:
        response = response_of(out.decode("utf-8", "replace").removesuffix("\n"))
    else:
        reason = err.decode("utf-8", "replace").strip() or f"exit {code}"
        response = {"error": f"Tool call {call.name} failed with error: {reason}"}
        env.note(f"{target.id}: {call.name} ({call.id}): exit {code}, stored as a failed result")
    id = {"id": call.id} if call.given else {}
    part = {"functionResponse": {**id, "name": call.name, "response": response}}
    stored: list[str] = []

    def build(locked: Locked) -> bytes | None:
        view = locked_view(env, locked)
        if not any(
            c.message.id == call.message.id and c.part == call.part for c in open_calls(view.messages)
        ):
            env.note(f"{target.id}: {call.name} ({call.id}) was answered meanwhile")
            return None
        stored.append(env.new_id(locked.session, locked.offset))
        record = {
            "type": "message",
            "id": stored[0],
            "ts": env.now(),
            "kind": "tool",
            "role": "user",
            "parts": [part],
        }
        return dumps(record) + b"\n"

    log.append(env, target.path, build)
    env.stored = stored[0] if stored else None
    env.write("".join(f"{id}\n" for id in stored).encode())

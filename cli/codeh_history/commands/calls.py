"""List the tool calls that wait for a result, or answer each with a command."""

from __future__ import annotations

from ..base import config
from ..base.env import Env
from ..base.errors import Usage
from ..base.options import ALLOW_MISSING, MAX_BYTES, MOST_BYTES, PROFILE, Reading, option
from ..session.model import Json
from ..session.pairing import Call, open_calls
from ..store.resolve import Target, for_reading
from ..views.view import measured_view

EXAMPLES = """\
  codeh-history calls demo | jq -r .name
  codeh-history calls -s demo --via ./tool     # CODEH_CALL_NAME, CODEH_CALL_ID; args on stdin
  while codeh-history calls --via ./tool; do codeh-history ask || break; done
"""


class Options(Reading):
    via: str | None = option("CMD", "Shell command for each call; its stdout is the result.")
    allow_missing: bool = ALLOW_MISSING
    max_bytes: int | None = MAX_BYTES
    profile: str | None = PROFILE


def run(env: Env, options: Options) -> int:
    most = options.max_bytes or MOST_BYTES
    via = config.command(env, "calls.via", options.profile, options.via)
    if not (options.via or options.profile):
        via = None  # calls.via from the configuration applies only with -p
    target = for_reading(env, options.session, options.argument)
    if via is not None and target.path == "-":
        raise Usage("- (a stream on stdin) cannot be written; name a session")
    calls = waiting(env, target, options)
    for call in calls:
        if via is None:
            env.print_json(line_of(call))
        else:
            from ..talk.append.text import print_ids
            from ..talk.receive.run_command import answer_call, by_command

            print_ids(env, target, answer_call(env, target, call, by_command(via, most)), created=False)
    if not calls and env.terminal(env.stdout):
        env.note(f"{target.id}: no open calls")
    return 0 if calls else 1


def waiting(env: Env, target: Target, options: Options) -> list[Call]:
    """The calls that have no result."""
    view = measured_view(env, target, strict=options.strict, allow_missing=options.allow_missing)
    return open_calls(view.messages)


def line_of(call: Call) -> Json:
    """A call as JSON: `message, id, name, args`, and what is wrong with a damaged call."""
    line: Json = {"message": call.message.id, "id": call.id, "name": call.name, "args": call.args}
    return line | {"damaged": call.damage, "arguments": call.arguments} if call.damage else line

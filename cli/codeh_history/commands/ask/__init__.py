"""Append a prompt, send the session through a command, and store the answer."""

from __future__ import annotations

from collections.abc import Sequence

from ...append import given as append
from ...base import amounts
from ...base.env import Env
from ...base.errors import Usage
from ...base.jobs import Request
from ...base.options import MAX_BYTES, Options, Writing, flag, option
from ...receive.notice import tell
from ...send import payload
from ...store.resolve import for_writing
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


class _Prompt(Options):
    message: Sequence[str] = option("TEXT", "Text; repeatable.", "-m")
    file: Sequence[str] = option("FILE|-", "Text from a file, after the -m texts.", "-F")
    attach: Sequence[str] = option("FILE", "Attach a file.")
    via: str | None = option("CMD", "Run by sh -c: body on stdin, response on stdout; $CODEH_VIA.")


class _Answer(Writing):
    no_stdin: bool = flag("Leave what is piped in alone: in loops over lines, in hooks.")
    id: bool = flag("Print the id of the answer instead of its text.")
    echo: bool = flag("Print the text as it arrives, as it does without.")
    max_bytes: str | None = MAX_BYTES
    key: str | None = option("K", "Store the prompt once under this key.")


class Given(_Answer, Request, _Prompt, without=("pretty",)):
    """A prompt, the request that sends it, and what becomes of the answer."""


def run(env: Env, given: Given) -> int:
    most = amounts.size(given.max_bytes)
    via = given.via or env.environ.get("CODEH_VIA")
    if not via:
        raise Usage("--via CMD (or CODEH_VIA) says how to reach the provider")
    payload.provider_of(env, given.to)
    payload.checked(given)
    if given.id and given.echo:
        raise Usage("--id and --echo: one of them")
    target = for_writing(env, given.session)
    message, request = given.part(append.Given), given.part(Request)
    echo = not given.id
    received = prompt.ask(
        env, target, message, request, via, echo=echo, stdin=not given.no_stdin, most=most
    )
    tell(env, target.id, received, echo=echo)
    return 0

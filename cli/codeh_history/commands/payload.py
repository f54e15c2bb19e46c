"""Print the request body that sends a session to a provider."""

from __future__ import annotations

from ..base.env import Env
from ..base.jobs import Request
from ..base.options import PROFILE, Reading
from ..config.layers import asked
from ..send.payload import body_of

EXAMPLES = """\
  codeh-history payload demo --to gemini | curl -sSN --json @- -H @gem.hdr "$URL"
  codeh-history payload demo --to anthropic --model claude-opus-4-8 --stream --budget 32k
  codeh-history curate demo | codeh-history payload - --raw --to openai-chat --model gpt-5.1
  codeh-history payload demo --to gemini --remove '<follow-up>.*?</follow-up>' --policy loop --budget 32k
  codeh-history payload fixtures/x.jsonl --to anthropic --model M --pretty | diff - golden.json
"""
STRAY = "the session is the only argument; the provider is --to PROVIDER, text is appended with `append -m`"


class Given(Reading, Request):
    profile: str | None = PROFILE


def run(env: Env, given: Given) -> None:
    held = asked(env, given, given.profile)
    pieces = body_of(
        env, given.argument, given.session, held.request, under=held.under, strict=given.strict
    )
    for piece in pieces:
        env.write(piece)

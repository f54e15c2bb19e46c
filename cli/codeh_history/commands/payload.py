"""Print the request body that sends a session to a provider."""

from __future__ import annotations

from ..base.config import resolve
from ..base.env import Env
from ..base.options import PROFILE, Reading
from ..base.shared_options import Sending
from ..talk.send.payload import body_of

EXAMPLES = """\
  codeh-history payload demo --to gemini | curl -sSN --json @- -H @gem.hdr "$URL"
  codeh-history payload demo --to anthropic --model claude-opus-4-8 --stream --budget 32k
  codeh-history curate demo | codeh-history payload - --raw --to openai-chat --model gpt-5.1
  codeh-history payload demo --to gemini --remove '<follow-up>.*?</follow-up>' --policy loop --budget 32k
  codeh-history payload fixtures/x.jsonl --to anthropic --model M --pretty | diff - golden.json
"""
STRAY = "the session is the only argument; the provider is --to PROVIDER, text is appended with `append -m`"


class Options(Reading, Sending):
    profile: str | None = PROFILE


def run(env: Env, options: Options) -> None:
    resolved = resolve(env, options, options.profile)
    request, base = resolved.request, resolved.base
    pieces = body_of(env, options.argument, options.session, request, base=base, strict=options.strict)
    for piece in pieces:
        env.write(piece)

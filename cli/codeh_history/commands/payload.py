"""Print the request body that sends a session to a provider."""

from typing import Annotated

import typer

from ..talk import payload
from . import request_options as request
from .options import AllowMissing, Argument, Quiet, Session, Strict

EXAMPLES = """\
  codeh-history payload demo --to gemini | curl -sSN --json @- -H @gem.hdr "$URL"
  codeh-history payload demo --to anthropic --model claude-opus-4-8 --stream --budget 32k
  codeh-history curate demo | codeh-history payload - --raw --to openai-chat --model gpt-5.1
  codeh-history payload fixtures/x.jsonl --to anthropic --model M --pretty | diff - golden.json
"""
STRAY = "the session is the only argument; text is appended with `append -m`"


def command(
    ctx: typer.Context,
    argument: Argument = None,
    to: request.To = None,
    model: request.Model = None,
    system: request.System = None,
    tools: request.Tools = None,
    set_: request.Set = None,
    max_tokens: request.MaxTokens = None,
    stream: request.Stream = False,
    budget: request.Budget = None,
    counter: request.Counter = None,
    raw: request.Raw = False,
    thoughts: request.Thoughts = "keep",
    unanswered: request.Unanswered = "error",
    prefill: request.Prefill = False,
    pretty: Annotated[bool, typer.Option("--pretty", help="Indented JSON.")] = False,
    cache: request.Cache = False,
    context: request.Context = False,
    persist: request.Persist = False,
    user_template: request.UserTemplate = None,
    system_template: request.SystemTemplate = None,
    var: request.Var = None,
    allow_missing: AllowMissing = False,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    return payload.run(
        ctx.obj, to=to, argument=argument, session=session, model=model, system=system, tools=tools,
        set=set_ or (), max_tokens=max_tokens, stream=stream, budget=budget, counter=counter, raw=raw,
        thoughts=thoughts, unanswered=unanswered, prefill=prefill, pretty=pretty, cache=cache,
        context=context, persist=persist, user_template=user_template, system_template=system_template,
        var=var or (), allow_missing=allow_missing, strict=strict, quiet=quiet,
    )  # fmt: skip

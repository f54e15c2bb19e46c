"""Print the request body that sends a session to a provider."""

from typing import Annotated, Optional

import typer

from ..talk import payload
from .options import Argument, Quiet, Session, Strict

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
    to: Annotated[
        Optional[str],
        typer.Option(
            "--to",
            metavar="PROVIDER",
            help="gemini, openai-chat, openai-responses or anthropic; $CODEH_TO.",
        ),
    ] = None,
    model: Annotated[
        Optional[str], typer.Option("--model", metavar="MODEL", help="The provider's model name.")
    ] = None,
    system: Annotated[
        Optional[str], typer.Option("--system", metavar="TEXT|@FILE", help="The system prompt.")
    ] = None,
    tools: Annotated[
        Optional[str],
        typer.Option("--tools", metavar="@FILE", help="Tool declarations, in any provider's shape."),
    ] = None,
    set_: Annotated[
        Optional[list[str]],
        typer.Option("--set", metavar="PATH=JSON", help="Set a field of the body, last of all."),
    ] = None,
    max_tokens: Annotated[
        Optional[int],
        typer.Option(
            "--max-tokens", metavar="N", min=1, help="Longest answer (Anthropic: 8192 by default)."
        ),
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Ask for a stream (Gemini's is in the URL).")
    ] = False,
    budget: Annotated[
        Optional[str],
        typer.Option("--budget", metavar="N", help="Compact to this many tokens (32k) first, or exit 5."),
    ] = None,
    counter: Annotated[
        Optional[str], typer.Option("--counter", metavar="C", help="Whose tokens --budget counts.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Only the curation that provider rules force.")
    ] = False,
    thoughts: Annotated[
        str, typer.Option("--thoughts", metavar="T", help="keep, old or all: which thoughts go.")
    ] = "keep",
    unanswered: Annotated[
        str, typer.Option("--unanswered", metavar="U", help="Open calls at the end: error, stub or drop.")
    ] = "error",
    prefill: Annotated[
        bool, typer.Option("--prefill", help="Allow the model's message at the end.")
    ] = False,
    pretty: Annotated[bool, typer.Option("--pretty", help="Indented JSON.")] = False,
    cache: Annotated[bool, typer.Option("--cache", help="Place provider cache marks.")] = False,
    context: Annotated[
        bool, typer.Option("--context", help="Put the context prompt in the system prompt.")
    ] = False,
    persist: Annotated[bool, typer.Option("--persist", help="Persist the session's blocks first.")] = False,
    user_template: Annotated[
        Optional[str],
        typer.Option("--user-template", metavar="FILE", help="Jinja; renders the last user message."),
    ] = None,
    system_template: Annotated[
        Optional[str],
        typer.Option("--system-template", metavar="FILE", help="Jinja; renders the system prompt."),
    ] = None,
    var: Annotated[
        Optional[list[str]], typer.Option("--var", metavar="K=V", help="A template variable.")
    ] = None,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    return payload.run(
        ctx.obj, to=to, argument=argument, session=session, model=model, system=system, tools=tools,
        set=set_ or (), max_tokens=max_tokens, stream=stream, budget=budget, counter=counter, raw=raw,
        thoughts=thoughts, unanswered=unanswered, prefill=prefill, pretty=pretty, cache=cache,
        context=context, persist=persist, user_template=user_template, system_template=system_template,
        var=var or (), strict=strict, quiet=quiet,
    )  # fmt: skip

"""Summarise the oldest exchanges of a session, reversibly: nothing is deleted."""

from contextlib import closing
from typing import Annotated, Optional

import orjson
import typer

from .. import providers
from ..access import result as filtering
from ..access.view import view_of
from ..base import amounts
from ..base.env import Env
from ..base.errors import SummariserFailed, Usage
from ..store.resolve import Target
from ..summaries import one as summarizing
from ..summaries.one import Settings
from ..summaries.writer import Outline, Summariser
from ..tokens import open_counter
from .options import Argument, Quiet, Session, Strict
from .progress import progress

EXAMPLES = """\
  codeh-history summarize demo                              # the built-in outline, offline
  codeh-history summarize demo --via 'llm -m MODEL'         # prompt on stdin, text on stdout
  codeh-history summarize demo --via 'curl -sS --fail-with-body --json @- -H @k.hdr "$URL"' \\
    --to openai-chat --model MODEL
  codeh-history curate demo | codeh-history summarize - | codeh-history payload - --raw --to gemini
  17 3 * * *  codeh-history summarize --all --via 'llm -m MODEL'
"""
STRAY = "the session is the only argument"


All = Annotated[
    bool, typer.Option("--all", help="Every session; a JSON line for each that acted or failed.")
]
Jobs = Annotated[
    int, typer.Option("--jobs", metavar="N", min=1, max=64, help="With --all: so many at once.")
]
Most = Annotated[
    int, typer.Option("--max-conversations", metavar="N", min=1, help="More exchanges are summarised.")
]
Least = Annotated[int, typer.Option("--min-batch", metavar="N", min=1, help="At least so many at a time.")]
Via = Annotated[
    Optional[str],
    typer.Option(
        "--via", metavar="CMD", help="Run by sh -c: prompt on stdin, summary on stdout; $CODEH_SUMMARIZER."
    ),
]
To = Annotated[
    Optional[str],
    typer.Option(
        "--to", metavar="FORMAT", help="stdin is this provider's request body, stdout its response."
    ),
]
Model = Annotated[
    Optional[str], typer.Option("--model", metavar="MODEL", help="With --to: the provider's model name.")
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.1, help="Longest run of the command.")
]
Budget = Annotated[
    str, typer.Option("--budget", metavar="N", help="Most tokens of one request to the command.")
]
Gate = Annotated[
    bool,
    typer.Option("--gate/--no-gate", help="Refuse a summary that names what its source does not have."),
]
CounterName = Annotated[
    Optional[str], typer.Option("--counter", metavar="C", help="Whose tokens are counted.")
]


def command(
    ctx: typer.Context,
    argument: Argument = None,
    all_: All = False,
    jobs: Jobs = 1,
    max_conversations: Most = 50,
    min_batch: Least = 10,
    via: Via = None,
    to: To = None,
    model: Model = None,
    timeout: Timeout = 120,
    budget: Budget = "16k",
    gate: Gate = True,
    counter: CounterName = None,
    session: Session = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> int:
    env: Env = ctx.obj
    env.quiet = quiet
    via = via or env.environ.get("CODEH_SUMMARIZER") or None
    check(all_, session, argument, via, to, model)
    counting = open_counter(counter, model=model, cache=f"{env.home}/cache/tokens.sqlite")
    summariser: Summariser = Outline()
    if via is not None:
        from ..summaries import by_command

        most = amounts.tokens(budget)
        summariser = by_command.summariser(via, timeout, counting.counts, most, to, model, faithful=gate)
    settings = Settings(summariser, counting, most=max_conversations, least=min_batch)
    if all_:
        return every(env, settings, jobs)
    try:
        return single(env, filtering.target_of(env, session, argument), settings, strict=strict)
    finally:
        summariser.stop()


def check(
    all_: bool,
    session: str | None,
    argument: str | None,
    via: str | None,
    to: str | None,
    model: str | None,
) -> None:
    """Options that do not go together are exit 2."""
    if all_ and (session or argument):
        raise Usage("--all takes every session: name none")
    if to is None:
        if model is not None:
            raise Usage(
                "--model goes with --to FORMAT; otherwise the command of --via names its model itself"
            )
        return
    if to not in providers.FORMATS:
        raise Usage(f"--to {to}: one of {', '.join(providers.FORMATS)}")
    if via is None:
        raise Usage("--to goes with --via CMD (or CODEH_SUMMARIZER): the built-in outline sends nothing")
    if model is None and to != "gemini":
        raise Usage(f"--to {to} needs --model MODEL")


def single(env: Env, target: Target, settings: Settings, *, strict: bool) -> int:
    """One session: appended to, or with `-` printed as it would be."""
    try:
        if target.path == "-":
            filtering.show(env, summarizing.filtered(env, view_of(env, target, strict=strict), settings))
            return 0
        line = summarizing.run(env, target, settings, strict=strict)
    except SummariserFailed as error:
        raise SummariserFailed(f"{target.id}: {error}; nothing changed") from None
    if line is not None:
        env.write(orjson.dumps(line) + b"\n")
    elif env.terminal(env.stderr):
        env.note(
            f"{target.id}: not due (more than {settings.most} exchanges are summarised, the newest never)"
        )
    return 0


def every(env: Env, settings: Settings, jobs: int) -> int:
    """All sessions; 6 when one failed."""
    from ..summaries import all as summarizing_all

    env.quiet = True  # a line for each session that acted or failed, and nothing else
    code = 0
    with (
        progress(env, "summarizing") as told,
        closing(summarizing_all.run(env, settings, jobs=jobs, done=told.done)) as lines,
    ):
        for line in lines:
            code = SummariserFailed.exit_code if line["action"] == "failed" else code
            told.print(orjson.dumps(line) + b"\n")
    return code

"""Summarise the oldest exchanges of a session, reversibly: nothing is deleted."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial

import orjson

from .. import providers
from ..access import result as filtering
from ..access.view import view_of
from ..base import amounts
from ..base.env import Env
from ..base.errors import SummarizerFailed, Usage
from ..base.options import PROFILE, Reading, flag, option
from ..config import layers
from ..session.model import Message
from ..store.resolve import Target
from ..summaries import one as summarizing
from ..summaries.one import Settings
from ..summaries.writer import Outline, Summarizer
from ..tokens import Counter, message_tokens, open_counter
from .progress import progress

EXAMPLES = """\
  codeh-history summarize demo                              # the built-in outline, offline
  codeh-history summarize demo --via 'llm -m MODEL'         # prompt on stdin, text on stdout
  codeh-history summarize demo --via 'curl -sS --fail-with-body --json @- -H @k.hdr "$URL"' \\
    --to openai-chat --model MODEL
  codeh-history curate demo | codeh-history summarize - | codeh-history payload - --raw --to gemini
  17 3 * * *  codeh-history summarize --all --via 'llm -m MODEL'
"""


class Given(Reading):
    all_: bool = flag("Every session; a JSON line for each that acted or failed.")
    jobs: int = option("N", "With --all: so many at once.", least=1, most=64, default=1)
    max_conversations: int = option("N", "More exchanges are summarised.", least=1, default=50)
    min_batch: int = option("N", "At least so many at a time.", least=1, default=10)
    via: str | None = option("CMD", "Run by sh -c: prompt on stdin, summary on stdout; $CODEH_SUMMARIZER.")
    to: str | None = option("FORMAT", "stdin is this provider's request body, stdout its response.")
    model: str | None = option("MODEL", "With --to: the provider's model name.")
    timeout: float = option("SECONDS", "Longest run of the command.", least=0.1, default=120)
    budget: str = option("N", "Most tokens of one request to the command.", default="16k")
    max_source: str = option("N", "The command reads an extract of what has more tokens.", default="100k")
    gate: bool = flag("Refuse a summary that names what its source does not have.", default=True)
    counter: str | None = option("C", "Whose tokens are counted.")
    profile: str | None = PROFILE


def run(env: Env, given: Given) -> int:
    via = layers.command(env, "summarize.via", given.profile, given.via)
    check(given, via)
    counting = open_counter(given.counter, model=given.model, cache=f"{env.home}/cache/tokens.sqlite")
    summarizer: Summarizer = Outline()
    if via is not None:
        from ..summaries.by_command import Asked
        from ..summaries.command import Commands

        most = amounts.tokens(given.budget)
        reads = partial(extracted, counting, amounts.tokens(given.max_source))
        command = Commands(via, given.timeout)
        summarizer = Asked(
            command, counting.counts, most, given.to, given.model, reads, faithful=given.gate
        )
    settings = Settings(summarizer, counting, most=given.max_conversations, least=given.min_batch)
    if given.all_:
        return every(env, settings, given.jobs)
    try:
        return single(
            env, filtering.target_of(env, given.session, given.argument), settings, strict=given.strict
        )
    finally:
        summarizer.stop()


def extracted(
    counter: Counter, most: int, messages: Sequence[Message], room: int
) -> tuple[str, int] | None:
    """What `compact` would write of messages of more than `most` tokens, and how many they are."""
    from ..filters.compact.extract import extract

    size = sum(message_tokens(counter, messages))
    return (extract(messages, min(room, most), counter), size) if size > most else None


def check(given: Given, via: str | None) -> None:
    """Options that do not go together are exit 2."""
    to, model = given.to, given.model
    if given.all_ and (given.session or given.argument):
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
    if model is None and not providers.model_in_url(to):
        raise Usage(f"--to {to} needs --model MODEL")


def single(env: Env, target: Target, settings: Settings, *, strict: bool) -> int:
    """One session: appended to, or with `-` printed as it would be."""
    try:
        if target.path == "-":
            filtering.show(env, summarizing.filtered(env, view_of(env, target, strict=strict), settings))
            return 0
        line = summarizing.run(env, target, settings, strict=strict)
    except SummarizerFailed as error:
        raise SummarizerFailed(f"{target.id}: {error}; nothing changed") from None
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
            code = SummarizerFailed.exit_code if line["action"] == "failed" else code
            told.print(orjson.dumps(line) + b"\n")
    return code

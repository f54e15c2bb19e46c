"""Summarise the oldest exchanges of a session; nothing is deleted."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import lru_cache, partial

from .. import providers
from ..base import config
from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, Usage
from ..base.input import decode, read_file, required_stdin
from ..base.options import PROFILE, PROVIDERS, STREAM, Reading, amount, flag, option
from ..base.words import is_id
from ..filters.compact.outline import MOST, due_over, extracted, outline
from ..filters.compact.plan import LOW
from ..render import changes
from ..render.progress import progress
from ..session import ops as changing
from ..session.model import Json
from ..store.cache import Cache
from ..store.paths import path_of
from ..store.resolve import Target, for_filtering, for_reading, for_writing
from ..summaries import store as summarizing
from ..summaries.command import CommandRunner, Commands
from ..summaries.request import (
    CommandSummarizer,
    Prompt,
    Sources,
    Wording,
    standard,
    words_of,
    words_within,
)
from ..summaries.store import Settings
from ..summaries.window import not_due
from ..tokens.counter import Counter, open_counter
from ..views import filtering
from ..views.view import view_of

EXAMPLES = """\
  codeh-history summarize demo > smaller.jsonl              # the built-in outline, offline
  codeh-history summarize demo -i --via 'llm -m MODEL'      # prompt on stdin, summary on stdout
  codeh-history summarize demo -i --via 'curl -sS --fail-with-body --json @- -H @k.hdr "$URL"' \\
    --to openai-chat --model MODEL
  codeh-history curate demo | codeh-history summarize - | codeh-history payload - --raw --to gemini
  codeh-history summarize demo -i --due-over 50k            # by tokens, not by exchanges
  codeh-history summarize demo --emit > s.json              # the prompt, for a model of your own
  jq -r .prompt s.json | my-model | codeh-history summarize --apply s.json
  17 3 * * *  codeh-history summarize --all --via 'llm -m MODEL'
"""


# options that --emit and --apply exclude
_OF_ONE_STEP = ("all_", "in_place", "due_over", "via", "to", "model")


class Options(Reading):
    in_place: bool = flag("Append the summary; print a line of JSON.", "-i")
    jsonl: bool = STREAM
    all_: bool = flag(
        "Every session, with -i; a JSON line for each that acted or failed.",
        excludes=("session", "argument"),
    )
    jobs: int = option("N", "With --all: run this many at once.", least=1, most=64, default=1, rare=True)
    max_conversations: int = option("N", "Summarise above N exchanges.", least=1, default=50)
    min_batch: int = option("N", "Fewest exchanges to summarise.", least=1, default=10, rare=True)
    due_over: int | None = amount("Due above N tokens, inside one long exchange too.", "tokens")
    emit: bool = flag("Print the prompt and what it covers, as JSON.", excludes=("apply", *_OF_ONE_STEP))
    apply: str | None = option(
        "FILE", "Store the answer to what --emit printed: under `answer`, or on stdin.",
        excludes=("prompt", *_OF_ONE_STEP),
    )  # fmt: skip
    via: str | None = option("CMD", "Shell command: prompt in, summary out; $CODEH_SUMMARIZER.")
    to: str | None = option(
        "FORMAT", "stdin is this provider's request body, stdout its response.", choices=PROVIDERS[:-1]
    )
    model: str | None = option("MODEL", "With --to: the provider's model name.", requires=("to",))
    timeout: float = option("SECONDS", "Time limit of the command.", least=0.1, default=120, rare=True)
    budget: int = amount("Most tokens of one request to the command.", "tokens", default=16_000)
    max_source: int = amount("Send an extract of longer sources.", "tokens", default=100_000, rare=True)
    prompt: str | None = option("FILE", "Template to use instead of the built-in prompt.", rare=True)
    gate: bool = flag("Refuse a summary that names what its source does not.", default=True, rare=True)
    counter: str | None = option("COUNTER", "Tokenizer to count with.", rare=True)
    profile: str | None = PROFILE


def run(env: Env, options: Options) -> int:
    counter = counter_of(env, options)
    if options.emit:
        return emit(env, options, sources(options, counter))
    if options.apply is not None:
        return apply(env, options, options.apply, counter)
    settings = settings_of(env, options, counter)
    if options.all_:
        return summarize_all(env, settings, options.jobs)
    return summarize_session(env, for_filtering(env, options.session, options.argument), settings, options)


def counter_of(env: Env, options: Options) -> Counter:
    return open_counter(options.counter, model=options.model, cache=Cache(env.home))


def settings_of(
    env: Env, options: Options, counter: Counter, command: CommandRunner | None = None
) -> Settings:
    """Settings for a command (by default the configured one), else for the built-in outline.

    Raises Usage if an option requires a command and there is none.
    """
    via = config.command(env, "summarize.via", options.profile, options.via)
    if command is None and via is not None:
        command = Commands(via, options.timeout)
    if command is None and options.prompt is not None:
        raise Usage("--prompt requires --via CMD or --emit: the built-in outline has no prompt")
    if command is None and options.to is not None:
        raise Usage("--to requires --via CMD (or CODEH_SUMMARIZER): the built-in outline sends nothing")
    if options.to is not None and options.model is None and not providers.model_in_url(options.to):
        raise Usage(f"--to {options.to} requires --model MODEL")
    most, least = options.max_conversations, options.min_batch
    room = MOST if options.due_over is None else options.due_over * (1 - LOW)
    settings = Settings(
        partial(outline, counter, most=room), counter, most, least, options.due_over, due_over
    )
    if command is None:
        return settings
    prompts = replace(sources(options, counter), words=lambda size: min(words_of(size), words_within(room)))
    writer = CommandSummarizer(command, prompts, options.to, options.model, faithful=options.gate)
    return replace(settings, summarizer=writer.write, stop=command.stop)


def sources(options: Options, counter: Counter) -> Sources:
    """How to build prompts, from the options."""
    return Sources(
        counter.counts, options.budget, options.max_source,
        partial(extracted, counter), standard if options.prompt is None else from_template(options.prompt),
    )  # fmt: skip


def from_template(file: str) -> Wording:
    """A prompt from a template; the text is appended unless the template contains `text`."""
    from ..talk.send.templates import render

    shows = re.search(r"\{[{%][^{}]*\btext\b", decode(read_file(file), file))

    @lru_cache(maxsize=8)  # each rendering runs a process
    def wording(count: int, what: str, words: int, data: str) -> Prompt:
        values: Json = {"vars": {}, "count": count, "what": what, "words": words, "text": data}
        text = render(file, values)
        return Prompt("", text) if shows else Prompt(text, data)

    return wording


def emit(env: Env, options: Options, prompts: Sources) -> int:
    """Print the next prompt, or a note if nothing is due."""
    target = for_reading(env, options.session, options.argument)
    in_home = is_id(target.id) and target.path == path_of(env, target.id)
    name = target.path if target.path == "-" else target.id if in_home else os.path.abspath(target.path)
    for_writing(env, name)  # as `--apply` will; fails now if it would fail then
    view = view_of(env, target, strict=options.strict)
    most, least = options.max_conversations, options.min_batch
    with naming(target):
        emitted = summarizing.emit(view, name, prompts, most=most, least=least)
    if emitted is None:
        env.note(f"{target.id}: {not_due(view.messages, most, least)}")
    else:
        env.print_json(emitted)
    return 0


def apply(env: Env, options: Options, file: str, counter: Counter) -> int:
    """Store the answer in the file, or the one on stdin."""
    emitted = summarizing.read_emitted(required_stdin(env) if file == "-" else read_file(file), file)
    target = for_writing(env, emitted["session"])
    if options.specified("session", "argument"):
        named = for_reading(env, options.session, options.argument)
        if os.path.abspath(named.path) != os.path.abspath(target.path):
            raise Usage(f"{file} is of session {emitted['session']}, not of {named.id}")
    with naming(target):
        answer = emitted.get("answer")
        if not isinstance(answer, str):
            if file == "-":
                raise BadData("-: no answer in it: put the summary under `answer`")
            try:
                answer = env.read_stdin().decode("utf-8")
            except UnicodeDecodeError as error:
                raise SummarizerFailed(f"the answer is not text: byte {error.start} is not UTF-8") from None
        faithful, strict = options.gate, options.strict
        done = summarizing.apply(env, target, emitted, answer, counter, faithful=faithful, strict=strict)
        env.print_json(done)
    return 0


def summarize_session(env: Env, target: Target, settings: Settings, options: Options) -> int:
    """Summarise what is due in one session: in place, or print the result (on a terminal, the changes)."""
    if options.in_place and target.path == "-":
        raise Usage("-i changes a session: name one instead of -")
    try:
        with naming(target):
            if options.in_place and (line := summarizing.run(env, target, settings, strict=options.strict)):
                env.print_json(line)
                return 0
            view = view_of(env, target, strict=options.strict)
            if options.in_place:
                env.note(f"{target.id}: {settings.not_due(view)}; nothing to undo")
                return 0
            work = summarizing.prepare(view, settings)
    finally:
        settings.stop()
    if not filtering.shows_preview(env, jsonl=options.jsonl):
        filtering.write_lines(
            env, (view if work is None else summarizing.filtered(env, view, work)).lines()
        )
    elif work is not None:
        ops = [changing.summarize(draft["covers"], "") for draft in work.drafts]
        changes.draw(env, changes.COLUMNS, changes.rows(view, ops), flexible=2)
        env.write(f"\n{work.drafts[-1]['summary']}\n".encode("utf-8", "replace"))
    if work is None:
        env.note(f"{target.id}: {settings.not_due(view)}")
    elif target.path != "-":
        env.note(f"{target.id} is unchanged; -i keeps it")
    return 0


@contextmanager
def naming(target: Target) -> Iterator[None]:
    """Add to errors of the summarizer the session's name, and that it is unchanged."""
    try:
        yield
    except SummarizerFailed as error:
        raise SummarizerFailed(f"{target.id}: {error}; nothing changed") from None


def summarize_all(env: Env, settings: Settings, jobs: int) -> int:
    """Summarise all sessions; return 6 if one failed."""
    from ..summaries import all as summarizing_all

    env.quiet = True  # print only lines for sessions that changed or failed
    code = 0
    with (
        progress(env, "summarizing") as done,
        closing(summarizing_all.run(env, settings, jobs=jobs, done=done)) as lines,
    ):
        for line in lines:
            code = SummarizerFailed.exit_code if line["action"] == "failed" else code
            env.print_json(line)
    return code

"""Summarise the oldest exchanges of a session; nothing is deleted."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import orjson

from .. import providers
from ..base import amounts
from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, Usage
from ..base.input import decode, needed, read_file
from ..base.options import PROFILE, STREAM, Reading, flag, option
from ..base.words import is_id
from ..config import layers
from ..render import changes
from ..render.progress import progress
from ..session import ops as changing
from ..session.model import Json, Message, Summary
from ..session.view import View
from ..store.cache import Cache
from ..store.paths import path_of
from ..store.resolve import Target, for_filtering, for_reading, for_writing
from ..summaries import store as summarizing
from ..summaries.store import Settings
from ..summaries.window import Batch, not_due
from ..summaries.writer import Outline, Summarizer
from ..tokens import Counter, open_counter
from ..views import result as filtering
from ..views.view import view_of

if TYPE_CHECKING:
    from ..summaries.command import Runs
    from ..summaries.request import Prompt, Sources, Wording

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


class Options(Reading):
    in_place: bool = flag("Append the summary; print a line of JSON.", "-i")
    jsonl: bool = STREAM
    all_: bool = flag("Every session, with -i; a JSON line for each that acted or failed.")
    jobs: int = option("N", "With --all: run this many at once.", least=1, most=64, default=1, rare=True)
    max_conversations: int = option(
        "N", "Summarise once there are more exchanges than this.", least=1, default=50
    )
    min_batch: int = option(
        "N", "Smallest number of exchanges to summarise.", least=1, default=10, rare=True
    )
    due_over: str | None = option("N", "Due above N tokens, inside one long exchange too.")
    emit: bool = flag("Print the prompt and what it covers, as JSON.")
    apply: str | None = option(
        "FILE", "Store the answer to what --emit printed: under `answer`, or on stdin."
    )
    via: str | None = option("CMD", "Shell command: prompt in, summary out; $CODEH_SUMMARIZER.")
    to: str | None = option("FORMAT", "stdin is this provider's request body, stdout its response.")
    model: str | None = option("MODEL", "With --to: the provider's model name.")
    timeout: float = option("SECONDS", "Time limit of the command.", least=0.1, default=120, rare=True)
    budget: str = option("N", "Most tokens of one request to the command.", default="16k")
    max_source: str = option(
        "N", "Send only an extract of sources with more tokens.", default="100k", rare=True
    )
    prompt: str | None = option("FILE", "Template to use instead of the built-in prompt.", rare=True)
    gate: bool = flag("Refuse a summary that names what its source does not.", default=True, rare=True)
    counter: str | None = option("C", "Tokenizer to count with.", rare=True)
    profile: str | None = PROFILE


def run(env: Env, given: Options) -> int:
    two_step = given.emit or given.apply is not None
    via = (
        None
        if two_step and given.via is None
        else layers.command(env, "summarize.via", given.profile, given.via)
    )
    check(given, via)
    if given.emit:
        return emit(env, given, sources(given, counter_of(env, given)))
    if given.apply is not None:
        return apply(env, given, given.apply, counter_of(env, given))
    settings = settings_of(env, given, command_of(given, via))
    if given.all_:
        return every(env, settings, given.jobs)
    try:
        target = for_filtering(env, given.session, given.argument)
        if given.in_place:
            return stored(env, target, settings, strict=given.strict)
        return printed(env, target, settings, given)
    finally:
        settings.summarizer.stop()


def command_of(given: Options, via: str | None) -> Runs | None:
    """What runs the command, where there is one."""
    if via is None:
        return None
    from ..summaries.command import Commands

    return Commands(via, given.timeout)


def counter_of(env: Env, given: Options) -> Counter:
    """What counts, as the options say."""
    return open_counter(given.counter, model=given.model, cache=Cache(env.home))


def settings_of(env: Env, given: Options, command: Runs | None) -> Settings:
    """How it is done: by what a command says, or by the built-in outline."""
    counting = counter_of(env, given)
    summarizer: Summarizer = Outline(partial(outlined, counting), counting)
    if command is not None:
        from ..summaries.ask import Asked

        summarizer = Asked(command, sources(given, counting), given.to, given.model, faithful=given.gate)
    over = None if given.due_over is None else amounts.tokens(given.due_over)
    return Settings(summarizer, counting, given.max_conversations, given.min_batch, over, due_over)


def due_over(view: View, most: int, counter: Counter) -> Batch | None:
    """The oldest units of a view of more than `most` tokens."""
    from ..filters.compact.oldest import due_over

    return due_over(view, most, counter)


def sources(given: Options, counter: Counter) -> Sources:
    """What prompts are made of, as the options say."""
    from ..filters.compact import extract
    from ..summaries.request import Sources, standard

    return Sources(
        counter.counts, amounts.tokens(given.budget), amounts.tokens(given.max_source),
        partial(extract.extracted, counter), standard if given.prompt is None else worded(given.prompt),
    )  # fmt: skip


def outlined(
    counter: Counter, messages: Sequence[Message], room: int, summaries: Sequence[Summary]
) -> Json:
    """What `compact` would write of messages and earlier summaries in so many tokens."""
    from ..filters.compact.extract import extract

    return extract(messages, room, counter, summaries)


def worded(file: str) -> Wording:
    """The wording of a template; where it does not say `text` itself, that follows."""
    from ..send.templates import render
    from ..summaries.request import Prompt, words_of

    shows = re.search(r"\{[{%][^{}]*\btext\b", decode(read_file(file), file))

    @lru_cache(maxsize=8)  # a process renders each
    def wording(count: int, what: str, tokens: int, data: str) -> Prompt:
        values: Json = {
            "vars": {},
            "count": count,
            "what": what.format(count=count),
            "words": words_of(tokens),
            "text": data,
        }
        text = render(file, values)
        return Prompt("", text) if shows else Prompt(text, data)

    return wording


def check(given: Options, via: str | None) -> None:
    """Options that do not go together are exit 2."""
    to, model = given.to, given.model
    if given.all_ and given.specified("session", "argument"):
        raise Usage("--all takes every session: name none")
    if given.emit or given.apply is not None:
        check_two_step(given)
    elif given.prompt is not None and via is None:
        raise Usage("--prompt goes with --via CMD or --emit: the built-in outline has no prompt")
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


def check_two_step(given: Options) -> None:
    """`--emit` and `--apply` each go alone: the program that asked for them does the rest."""
    one, other = ("--emit", "--apply FILE") if given.emit else ("--apply", "--emit")
    if given.emit and given.apply is not None:
        raise Usage(f"{one} comes first, and {other} when there is an answer; give one")
    for name in given.specified("all_", "in_place", "due_over", "via", "to", "model"):
        typed = name.rstrip("_").replace("_", "-")
        raise Usage(f"{one} and --{typed} do not go together: your program asks its own model")
    if given.apply is not None and given.prompt is not None:
        raise Usage("--prompt goes with --emit; --apply knows what was asked")


def emit(env: Env, given: Options, made: Sources) -> int:
    """Print the next prompt; nothing where nothing is due."""
    from ..summaries import two_step

    target = for_reading(env, given.session, given.argument)
    name = lasting_name(env, target)
    view = view_of(env, target, strict=given.strict)
    try:
        emitted = two_step.emit(view, name, made, most=given.max_conversations, least=given.min_batch)
    except SummarizerFailed as error:
        raise unchanged(target, error) from None
    if emitted is None:
        env.note(f"{target.id}: {not_due(view.messages, given.max_conversations, given.min_batch)}")
        return 0
    return told(env, emitted)


def apply(env: Env, given: Options, file: str, counter: Counter) -> int:
    """Store what was answered; the answer is in the file, else it is what is piped in."""
    from ..summaries import two_step

    emitted = two_step.read(needed(env) if file == "-" else read_file(file), file)
    target = for_writing(env, emitted["session"])
    if given.specified("session", "argument"):
        named = for_reading(env, given.session, given.argument)
        if os.path.abspath(named.path) != os.path.abspath(target.path):
            raise Usage(f"{file} is of session {emitted['session']}, not of {named.id}")
    try:
        answered = two_step.Answered(emitted, answer_in(env, emitted, file), counter, faithful=given.gate)
        line = two_step.apply(env, target, answered, strict=given.strict)
    except SummarizerFailed as error:
        raise unchanged(target, error) from None
    return told(env, line)


def lasting_name(env: Env, target: Target) -> str:
    """What names a session that can be written, also later and elsewhere: its id, or the whole path."""
    own = is_id(target.id) and target.path == path_of(env, target.id)
    name = target.path if target.path == "-" else target.id if own else os.path.abspath(target.path)
    if not name.isprintable():
        raise Usage(f"{name}: no name that JSON can hold")
    for_writing(env, name)
    return name


def answer_in(env: Env, emitted: Json, file: str) -> str:
    answer = emitted.get("answer")
    if isinstance(answer, str):
        return answer
    if file == "-":
        raise BadData("-: no answer in it: put the summary under `answer`")
    try:
        return env.read_stdin().decode("utf-8")
    except UnicodeDecodeError as error:
        raise SummarizerFailed(f"the answer is no text: byte {error.start} is not UTF-8") from None


def stored(env: Env, target: Target, settings: Settings, *, strict: bool) -> int:
    """Append the summary of what is due and print a line of JSON; say why where nothing is."""
    if target.path == "-":
        raise Usage("-i changes a session: name one instead of -")
    try:
        line = summarizing.run(env, target, settings, strict=strict)
    except SummarizerFailed as error:
        raise unchanged(target, error) from None
    if line is None:
        view = view_of(env, target, strict=strict)
        env.note(f"{target.id}: {settings.not_due(view)}; nothing to undo")
        return 0
    return told(env, line)


def printed(env: Env, target: Target, settings: Settings, given: Options) -> int:
    """Print the session with what is due summarised; on a terminal only what that would be."""
    view = view_of(env, target, strict=given.strict)
    try:
        work = summarizing.prepare(view, settings)
    except SummarizerFailed as error:
        raise unchanged(target, error) from None
    after = view if work is None else summarizing.filtered(env, view, work)
    if not filtering.previews(env, jsonl=given.jsonl):
        filtering.show(env, after)
    elif work is not None:
        ops = [changing.summarize(list(draft.covers), "") for draft in work.drafts]
        changes.draw(env, changes.COLUMNS, changes.rows(view, ops), flexible=2)
        env.write(f"\n{work.drafts[-1].fields['summary']}\n".encode("utf-8", "replace"))
    if work is None:
        env.note(f"{target.id}: {settings.not_due(view)}")
    elif target.path != "-":
        env.note(f"{target.id} is unchanged; -i keeps it")
    return 0


def told(env: Env, line: Json) -> int:
    """Print what was done."""
    env.write(orjson.dumps(line) + b"\n")
    return 0


def unchanged(target: Target, error: SummarizerFailed) -> SummarizerFailed:
    return SummarizerFailed(f"{target.id}: {error}; nothing changed")


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
            env.write(orjson.dumps(line) + b"\n")
    return code

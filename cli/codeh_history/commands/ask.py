"""Append a prompt, send the session, and store the answer."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import dropwhile, islice
from typing import IO

from .. import providers
from ..base import config
from ..base.config import ResolvedRequest
from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Interrupted, NotFound, TryAgain
from ..base.input import empty_stdin, from_file, piped_text
from ..base.options import COMPACT_VIA, MAX_BYTES, MOST_BYTES, PROFILE, VIA, flag, option
from ..base.shared_options import COMPACT, Compact, Compaction, Sending
from ..providers.protocol import AnswerReader
from ..session.exchanges import is_prompt
from ..session.pairing import open_at_end
from ..session.records import dumps
from ..session.view import View, text_of
from ..store import log, read
from ..store.awaiting import awaiting
from ..store.paths import exists, path_of
from ..store.read import size_of
from ..store.resolve import Target
from ..store.unsent import keep_messages
from ..talk.append import message as compose
from ..talk.append import options as appending
from ..talk.append import text as append
from ..talk.append.jsonl import has_content
from ..talk.receive.answer import Echo, Received, print_received, reader_of
from ..talk.receive.run_command import exchange
from ..talk.send import payload
from ..talk.send.readiness import ask_command, unanswered
from ..views.view import read_only_view, view_of

EXAMPLES = """\
  codeh-history ask "Why is the sky blue?" -p local        # as config.toml says (config init)
  export CODEH_TO=gemini CODEH_VIA='curl -sSN --fail-with-body --json @- -H @gem.hdr "$URL"'
  git diff | codeh-history ask -s demo -m "Review this:"
  codeh-history ask -s demo                                # resend what was not answered
  codeh-history ask -s demo -m "List the files" --tools @tools.json
  while codeh-history calls -s demo --via ./tool; do codeh-history ask -s demo || break; done
"""


# options shared with `append`, whose --max-items and --stream mean something else
_OF_APPEND = ("message", "file", "attach", "key", "session")


class Options(Sending, appending.Text, without=("pretty",)):
    """Options of the prompt, the request and the answer."""

    attach: Sequence[str] = option("FILE", "Attach a file.", section="Message")
    no_stdin: bool = flag("Do not read stdin, for loops and hooks.", section="Message")
    via: str | None = VIA.but(section="Request")
    compact_via: str | None = COMPACT_VIA.but(section="Compaction")
    id: bool = flag("Print the answer's id instead of its text.")
    echo: bool = flag("No effect: text is always printed.", hidden=True, excludes=("id",))
    max_bytes: int | None = MAX_BYTES
    key: str | None = option("K", "Store the prompt once under this key.", rare=True)
    profile: str | None = PROFILE.but(section="Request")


def run(env: Env, options: Options) -> None:
    most = options.max_bytes or MOST_BYTES
    resolved = config.resolve(env, options, options.profile, options.via)
    config.command_to_send(env, resolved)
    payload.checked_provider(resolved.request)
    options = append.with_text(env, options)
    target = append.target_of(env, options.session, new=options.new)
    if target is None or options.new:
        text = _text(env, options, read_only_view(env, b"", None))
        if text is None:
            raise BadData("nothing to ask: give the text as an argument, by -m or -F, or on stdin")
        target = target or append.begin(env, text)
        options = options.but(message=[text], file=(), no_stdin=True)
    model = [f"--model {shlex.quote(options.model)}"] if options.model else []
    to = payload.provider_of(resolved.request.to)
    resend = f"`{ask_command(env, target, to, model, resolved.via, options.profile)}`"
    print_received(env, target.id, ask(env, target, options, resolved, most, resend), echo=not options.id)


def ask(
    env: Env, target: Target, options: Options, resolved: ResolvedRequest, most: int, resend: str
) -> Received:
    """Store the prompt, send the session through the command, and store an answer of up to `most` bytes."""
    via = config.command_to_send(env, resolved)
    with sending(env, target, options, resolved, resend) as ready:
        if isinstance(ready, Received):
            return ready
        body, reader = ready
        return exchange(env, target, body, via, reader, echo=None if options.id else Echo(env), most=most)


def compact_first(env: Env, target: Target, options: Options, resolved: ResolvedRequest) -> None:
    """Compact the session in place if `compact.via` is set and the session exceeds 0.85 of its budget."""
    via = config.command(env, "compact.via", options.profile, options.compact_via)
    if via is None or not exists(target.path):
        return
    from ..filters.compact import bounds, run

    view = view_of(env, target)
    limits = bounds.effective_limits(env, view, resolved.request.part(Compaction), target.id)
    if not limits.budget and (budget := resolved.base.get(COMPACT + "budget")) is not None:
        limits = limits._replace(budget=budget)
    if not limits.budget or not bounds.plan(env, view, limits._replace(hysteresis=True)).ops:
        return
    name = target.id if target.path == path_of(env, target.id) else target.path
    budget, counter = limits.budget, limits.counter
    run.run(env, Compact(session=name, in_place=True, via=via, budget=budget, counter=counter))


@contextmanager
def sending(
    env: Env, target: Target, options: Options, resolved: ResolvedRequest, resend: str
) -> Iterator[tuple[IO[bytes], AnswerReader] | Received]:
    """Store the prompt; yield the request's body and its answer's reader, or an answer that already exists.

    Whatever can be refused without the network is refused before the prompt is stored. Without a prompt,
    or if the unanswered last message is the same prompt, the session is resent; `resend`: the command
    that does this.
    """
    compact_first(env, target, options, resolved)
    request = resolved.request.part(Sending)
    message = appending.Options(**{name: getattr(options, name) for name in _OF_APPEND})
    message.check()
    try:
        view = view_without_blocks(env, target)
    except TryAgain as error:
        raise _save_prompt(env, target, options, message, error) from None
    text = _text(env, options, view)
    if size_of(target.path) != view.log.size:  # the session changed while stdin was read
        view = view_without_blocks(env, target)
    draft = _draft(env, target, options, view, message, text) if text is not None else None
    if isinstance(draft, Received):
        yield draft
        return
    system = from_file(options.system) if options.system and not view.meta.get("system") else ""
    meta = {"type": "meta", "ts": env.now(), "set": {"system": system}}
    lines = dumps(meta) + b"\n" if system else b""
    stored = options.key is not None and any(m.fields.get("key") == options.key for m in view.all.values())
    new = lines if draft is None or stored else lines + compose.line_of(env, draft, target.id)
    data = _with_lines(env, target.path, new) if new else None
    to = payload.provider_of(request.to)
    model = request.model if providers.model_in_url(to) else payload.model_for(view, to, request.model)
    reader = reader_of(providers.PLAIN if to == providers.PLAIN else "auto", model)
    with tempfile.TemporaryFile() as body:
        sent = resolved.request.but(persist=False)
        body.writelines(
            payload.body_of(env, None, target.path, sent, base=resolved.base, data=data, lost_known=True)
        )
        with awaiting(env, target.path):
            if draft is None:  # even without lines, to refuse a session that cannot be written
                log.append(env, target.path, lambda _: lines)
            elif compose.store(env, target, draft, lines)[1]:
                append.announce_session(env, target)
            with _hint_to_resend(env, resend):
                if request.persist:
                    from ..views.persist import persist

                    persist(env, target, every=True)
                yield body, reader


def _with_lines(env: Env, path: str, lines: bytes) -> bytes:
    """The session's bytes followed by these lines."""
    data = read.read_bytes(path) if size_of(path) else log.first_line(env, path)
    return data + (b"" if data.endswith(b"\n") else b"\n") + lines


def _save_prompt(
    env: Env, target: Target, options: Options, message: appending.Options, error: TryAgain
) -> TryAgain:
    """Save the prompt to a file if the database is unreachable; return an error that names the file."""
    from ..base.postgres import Unreachable

    text = _text(env, options, read_only_view(env, b"", None)) if isinstance(error, Unreachable) else None
    if text is None or not isinstance(error, Unreachable):
        return error
    line = compose.line_of(env, compose.draft(env, message, text), target.id)
    return keep_messages(env, target.path, error, line)


def _draft(
    env: Env, target: Target, options: Options, view: View, message: appending.Options, text: str
) -> compose.Draft | Received | None:
    """Build the prompt; return None if it is the unanswered last message, or the answer to its `--key`."""
    draft = compose.draft(env, message, text)
    since = dropwhile(lambda m: m.fields.get("key") != options.key, view.messages if options.key else ())
    answer = next((m for m in islice(since, 1, None) if m.role == "model" and m.committed), None)
    if answer is not None:
        compose.store(env, target, draft)  # checks that the prompt is the same
        env.note(f"{target.id}: --key {options.key}: already answered by {answer.id}")
        if not options.id:
            env.print(text_of(answer))
        return Received(answer.id, [], repeated=True)
    last, new = unanswered(view), draft.fields
    if last is not None and options.key is None and last.kind == new["kind"]:
        before = {"parts": last.own} if last.blocks is None else {"blockIds": last.blocks}
        same_files = last.fields.get("attached") == new.get("attached")
        if same_files and has_content(before, new["parts"], draft.blocks):
            env.note(f"{target.id}: this prompt is stored and unanswered: sent again")
            return None
    if calls := open_at_end(view.messages):
        names = ", ".join(call.name for call in calls)
        env.note(f"{target.id}: {names}: never answered; sent without a result")
    return draft


def view_without_blocks(env: Env, target: Target) -> View:
    """The session's view, without fetching large content; empty if the session does not exist yet."""
    return read_only_view(env, read.read_bytes(target.path) if exists(target.path) else b"", None)


def _text(env: Env, options: Options, view: View) -> str | None:
    """Join the texts of `-m` and `-F` and piped stdin; return None if there is no prompt.

    Without `-m`, `-F` or `--attach`, stdin is not read if the model answers next: in a tool loop, stdin
    belongs to the loop.
    """
    flags, stdin = options.message or options.file or options.attach, not options.no_stdin
    last = unanswered(view)
    if not flags and last is not None and (last.kind == "tool" or is_prompt(last)):
        if stdin and last.kind != "tool" and env.waiting():
            env.note("stdin is not read: the last prompt is unanswered and is sent")
        return None
    pieces = append.pieces_of(env, options.message, options.file)
    piped = piped_text(env, "--no-stdin: not at all") if stdin and "-" not in options.file else None
    text = append.joined(pieces if piped is None else [*pieces, piped])
    if text.strip() or options.attach:
        return text
    if not flags and stdin and env.stdin_kind() and not open_at_end(view.messages):
        raise BadData(f"stdin: {empty_stdin(env)}")
    if flags:
        raise BadData("the message is empty: give -m TEXT, -F FILE, or text on stdin")
    return None


@contextmanager
def _hint_to_resend(env: Env, resend: str) -> Iterator[None]:
    """Add to any error that the prompt is stored, and which command resends it."""
    env.stored = None  # set again when the answer is stored
    hint = f"the prompt is stored: {resend} sends it"
    try:
        yield
    except HistoryError as error:
        # the answer is stored too, or the session was removed
        if env.stored is not None or isinstance(error, NotFound):
            raise
        why = str(error).rstrip(".").replace("nothing was stored; retry with --key", "no answer was stored")
        raise type(error)(f"{why}; {hint}") from None
    except OSError as error:
        raise InputOutput(f"{env.io_error(error)}; {hint}") from None
    except (KeyboardInterrupt, Interrupted):
        if env.stored is None:
            env.note(hint)
        raise

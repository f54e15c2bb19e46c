"""Show the conversation as a model sees it, and what is pending."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import suppress
from heapq import nlargest
from operator import itemgetter
from typing import NoReturn

from ..base.env import SIGPIPE, Env
from ..base.errors import Interrupted, Lost, NotFound, Usage
from ..base.escape import visible
from ..base.options import JSON, JSONL, NO_PAGER, Reading, flag, option
from ..base.shared_options import Curation, system_and_tools
from ..filters.curate.run import curated
from ..render import messages as render
from ..render import pager, parts
from ..session.model import Json, Message, Part, Summary
from ..session.records import Log
from ..session.view import BY_REFERENCE, join, record_of
from ..store.paths import SERVER
from ..store.read import size_of, stamp_of
from ..store.resolve import Target, for_reading
from ..views.selection import Selection, filter_of, in_range, selected
from ..views.skim import BIG, NeedsFold, Skim, logs
from ..views.view import report_damage, report_missing_blocks, view_of

EXAMPLES = """\
  codeh-history show demo                    # :N KIND TIME ID, then the text; laid out on a terminal
  codeh-history show demo -n 2 --follow      # keep printing what arrives, Ctrl-C ends it
  codeh-history show demo --jsonl | jq -r 'select(.role == "model").id'
  codeh-history show claude-code-5e55 --agents   # with sub-agents, imported or not
  codeh-history show demo --curated          # without what curate would remove
  codeh-history show demo --role user        # only the prompts
  codeh-history curate demo | codeh-history show -
"""
STRAY = "the session is the only argument; -n N shows the last N messages"
SERVER_PAUSE = 1.0  # seconds between polls of a database, which may notify sooner
PAUSE = 0.2  # seconds between polls of a file; longer if reading it is slow
Numbered = list[tuple[int | None, Message]]


class Options(Selection, Reading):
    last: int | None = option("N", "Only the last N messages.", "--last", long="-n", least=1)
    items: bool = flag("JSON lines of committed and pending content.", excludes=("json", "jsonl"))
    curated: bool = flag("As `curate` would leave it.")
    agents: bool = flag("With sub-agents, below the call that started them.", excludes=("follow", "items"))
    json: bool = JSON
    jsonl: bool = JSONL
    follow: bool = flag("Keep printing as messages arrive.", "-f", excludes=("items", "json", "curated"))
    no_pager: bool = NO_PAGER


def run(env: Env, options: Options) -> None:
    target = for_reading(env, options.session, options.argument)
    if options.follow:
        if target.path == "-":
            raise Usage("--follow cannot follow stdin; name a session")
        follow(env, target, options)
    lost: Lost = {}
    messages, summaries, system = read(env, target, options, lost)
    if options.items or options.json or options.jsonl:
        as_json = item_json if options.items else message_json
        records = (as_json(number, message) for number, message in messages)
        env.print_list(records, as_array=options.json)
    else:
        pager.show(env, render.document(env, messages, summaries, system), paged=not options.no_pager)
    report_missing_blocks(env, target.id, lost, strict=options.strict)


def read(
    env: Env, target: Target, options: Options, lost: Lost
) -> tuple[Numbered, list[Summary], str | None]:
    """Read the selected messages with their numbers, the summaries and the system prompt.

    With `last`, only the last N messages. Numbers are those of the view; messages that curation added
    have none.
    """
    last, strict = options.last, options.strict
    filtered = bool(options.specified("agents", "curated", *Selection.DEFAULTS))
    if last is not None and not filtered and target.path != "-" and (size := size_of(target.path)) > BIG:
        skim = Skim(logs(target.path))
        with suppress(NeedsFold):  # reads the end of a large log in little memory
            newest = nlargest(last, skim.messages(), key=itemgetter(0))
            report_damage(env, target, Log([], skim.view.log.damage, size), strict=strict)
            return [*reversed(newest)], [], None
    view = view_of(env, target, strict=strict, lost=lost, newest=None if filtered else last)
    numbers = {message.id: number for number, message in enumerate(view.messages, 1)}
    scope = view.with_messages(in_range(view, options.range, target.id), view.summaries)
    if options.curated:
        scope, _, _ = curated(env, Curation(), target.id, scope)
    messages: Numbered = [(numbers.get(message.id), message) for message in scope.messages]
    if options.agents:
        from ..views.agents import Agents, interleaved

        messages = interleaved(view, [*Agents(env).of(view)], messages)
    is_chosen = filter_of(env, options)
    messages = [(number, message) for number, message in messages if is_chosen(message)]
    if last is not None:
        return messages[-last:], [], None
    view = selected(env, view, options, target.id)
    return messages, [*view.summaries], system_and_tools(view.meta)[0]


def message_json(number: int | None, message: Message) -> Json:
    """A message for `show --json`: `id, n, ts, kind, role, parts`, other fields, `pending`."""
    parts = message.parts if message.committed else []
    first: Json = {
        "id": message.id, "n": number, "ts": message.ts, "kind": message.kind, "role": message.role,
        "parts": parts,
    }  # fmt: skip
    shown = first | record_of(message) | {"parts": parts}
    if message.pending is not None:
        aborted = {key: value for key, value in message.fields.items() if key == "aborted"}
        shown |= {"pending": message.pending, **aborted}
    return {key: value for key, value in shown.items() if key not in ("type", *BY_REFERENCE)}


def item_json(number: int | None, message: Message) -> Json:
    """Committed and pending content: `{committed: message|null, pending: message|null}`."""
    both = message_json(number, message)
    pending = both.pop("pending", None)
    return {
        "committed": both if message.committed else None,
        "pending": {**both, "parts": pending} if pending is not None else None,
    }


# -- --follow ----------------------------------------------------------------------------------------------


class Changes:
    """Compares successive views of a session.

    Comparing folded views covers undo, updates, replaced files and concurrent streams.
    """

    def __init__(self) -> None:
        # message id → committed content, pending parts, why it was aborted
        self.seen: dict[str, tuple[object, list[Part], object]] = {}

    def update(self, messages: Numbered) -> Iterator[tuple[Message, Json]]:
        """Yield each message that changed since the last call, with the change as JSON.

        That is committed content as in `show --jsonl`, else `{event, id, n, kind, role, …}`: `delta` adds
        `parts`, `replace` replaces all parts, `abort` gives the `reason`.
        """
        for number, message in messages:
            pending, reason = message.pending, message.fields.get("aborted")
            content = message.own if message.own is not None else message.blocks  # before compaction
            committed, before, aborted = self.seen.get(message.id, (None, None, None))
            about = {"id": message.id, "n": number, "kind": message.kind, "role": message.role}
            if message.committed and committed != content:
                yield message, message_json(number, message)
            elif pending is not None:
                more = added(before or [], pending)
                if more is None:
                    yield message, {"event": "replace", **about, "parts": pending}
                elif more or before is None:
                    yield message, {"event": "delta", **about, "parts": more}
                if reason is not None and aborted != reason:
                    yield message, {"event": "abort", **about, "reason": reason}
            self.seen[message.id] = (content if message.committed else committed, pending or [], reason)


def added(before: list[Part], now: list[Part]) -> list[Part] | None:
    """The parts, or the text, appended to pending parts; None if anything else changed."""
    count = len(before)
    if now[:count] == before:
        return now[count:]
    if len(now) < count:
        return None
    text, was = (str(parts[count - 1].get("text", "")) for parts in (now, before))
    more: list[Part] = [{**now[count - 1], "text": text.removeprefix(was)}, *now[count:]]
    return more if join(before, more) == now else None


class Text:
    """Prints changes as text: the last message as it grows, others when they are committed."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.bodies: dict[str, str] = {}  # printed, by message id
        self.last = ""  # id of the pending message at the end of the output

    def print(self, message: Message, event: Json) -> None:
        id, body, before = message.id, body_of(message), self.bodies.get(message.id)
        if before is not None and id == self.last and body.startswith(before):
            text = body[len(before) :]
        elif before is None or "event" not in event:
            rich = render.rich_wanted(self.env)
            head = render.heading(event["n"], message, render.short_ids([id])[id], people=rich)
            shown = render.drawn(self.env, [head]).decode().rstrip("\n") if rich else head.text
            text = ("\n\n" if self.last else "") + shown + body
        else:
            return
        self.bodies[id] = body
        self.last = "" if message.committed else id
        text += "\n\n" if message.committed else ""
        self.env.draw(text.encode("utf-8", "backslashreplace"))


def body_of(message: Message) -> str:
    """The text below a message's heading; new text extends it at the end."""
    shown = message.parts if message.committed else message.pending or []
    lines = [line for item in parts.items(shown, message) for line in render.lines_of(item)]
    text = "\n" + render.plain(lines) if lines else ""
    if "aborted" in message.fields and not message.committed:
        text += "\n" + visible(f"  [aborted: {message.fields['aborted']}]")
    return text


def follow(env: Env, target: Target, options: Options) -> NoReturn:
    """Print the session (or its last messages), then changes, until Ctrl-C or stdout closes."""
    env.enable_gc()
    changes, text = Changes(), Text(env)
    seen, pause = None, PAUSE
    waiting = select.poll()
    waiting.register(env.stdout, 0)  # wakes only when stdout is closed
    while True:
        stamp = stamp_of(target.path)
        if stamp is None:
            raise NotFound(f"{target.path}: the session was removed")
        if stamp != seen:
            started = time.monotonic()
            lost: Lost = {}
            view = view_of(env, target, strict=options.strict, lost=lost)
            report_missing_blocks(env, target.id, lost)
            chosen = {message.id for message in selected(env, view, options, target.id).messages}
            numbered = enumerate(view.messages, 1)
            messages: Numbered = [(number, message) for number, message in numbered if message.id in chosen]
            if seen is None and options.last is not None:
                list(changes.update(messages[: -options.last]))  # skipped
            for message, event in changes.update(messages):
                if options.jsonl:
                    env.print_json(event)
                else:
                    text.print(message, event)
            pause = max(PAUSE, 2 * (time.monotonic() - started))
            seen, env.quiet = stamp, True  # report problems once
        if target.path.startswith(SERVER):
            from ..store import postgres

            store, id = postgres.of(target.path)
            store.wait(id, max(SERVER_PAUSE, pause))
            pause = 0
        if waiting.poll(int(pause * 1000)):
            raise Interrupted(SIGPIPE)

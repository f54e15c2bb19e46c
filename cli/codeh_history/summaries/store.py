"""`summarize`: one session. What is due is worked out and written without the lock, then stored under it.

Nothing is deleted: a summary covers messages, and `undo` takes it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..base.env import Env
from ..base.errors import TryAgain
from ..session.exchanges import exchanges
from ..session.fold import View, arrange, fold
from ..session.labels import PINNED, escaped
from ..session.live import streamed
from ..session.model import Json, Message, Summary
from ..session.ops import NEXT
from ..session.records import block_of, dumps
from ..session.view import text_of
from ..store import log, read
from ..store.protocol import Locked
from ..store.resolve import Target
from ..tokens import Counter, history_tokens
from ..views.view import view_of
from . import window
from .window import Batch
from .writer import Summarizer

TRIES = 2  # a session that changed meanwhile is done once more


@dataclass(frozen=True)
class Settings:
    """How `summarize` was asked for.

    `over`: due by tokens, more than so many, as `due_over` says which messages; else by exchanges. `stop`
    ends what still runs for the summarizer.
    """

    summarizer: Summarizer
    counter: Counter
    most: int = 50
    least: int = 10
    over: int | None = None
    due_over: Callable[[View, int, Counter], Batch | None] | None = None
    stop: Callable[[], None] = lambda: None

    def due(self, view: View) -> Batch | None:
        """What is due to be summarised."""
        if self.over is not None and self.due_over is not None:
            return self.due_over(view, self.over, self.counter)
        return window.due(view.messages, self.most, self.least)

    def not_due(self, view: View) -> str:
        """Why nothing is due, and how to ask for it anyway."""
        if self.over is None:
            return window.not_due(view.messages, self.most, self.least)
        count = tokens(view, self.counter)
        return f"not due: {count:,} tokens, and only more than {self.over:,} are summarised"


@dataclass(frozen=True)
class Work:
    """What is to be stored: summary records without ids, of which each absorbs those before it.

    `looks`: how everything looked that they cover; `folded`: how many summaries become one.
    """

    view: View
    drafts: Sequence[Json]
    batch: Batch | None
    folded: int
    looks: dict[str, object]


def run(env: Env, target: Target, settings: Settings, *, strict: bool = False) -> Json | None:
    """Summarise what is due and append the record; returns the line to report, None when nothing is due.

    Raises SummarizerFailed with the file as it was, TryAgain when the session changed twice meanwhile.
    """
    for _ in range(TRIES):
        work = prepare(view_of(env, target, strict=strict), settings)
        if work is None:
            return None
        done = store(env, target, work)
        if done is not None:
            return report(target.id, work, done, settings.counter)
    raise TryAgain(f"{target.path}: what was to be summarised changed meanwhile, twice; nothing was stored")


def prepare(view: View, settings: Settings) -> Work | None:
    """What is due, with the texts written by the summariser; None when nothing is."""
    batch = settings.due(view)
    folds = window.foldable(view.summaries, int(batch is not None))
    return work(view, batch, settings.summarizer, folds=folds) if batch is not None or folds else None


def work(view: View, batch: Batch | None, summarizer: Summarizer, *, folds: bool) -> Work:
    """The records of a batch, and of one summary in the place of all there are then."""
    drafts: list[Json] = []
    looks: dict[str, object] = {}
    if batch is not None:
        system = view.meta.get("system")
        batch = replace(batch, system=system if isinstance(system, str) else batch.system)
        drafts.append(_draft(view, batch, summarizer))
        looks = looks_of(batch)
    if folds:
        made = [Summary(fields={"id": NEXT, **draft}, place=0, raw=None) for draft in drafts]
        drafts.append(_draft(view, window.folded(view, batch, made), summarizer))
        looks |= {summary.id: summary.text for summary in view.summaries}
    return Work(view, drafts, batch, len(view.summaries) + int(batch is not None) if folds else 0, looks)


def _draft(view: View, batch: Batch, summarizer: Summarizer) -> Json:
    """The record of a batch; pinned messages that it covers stand in it word for word."""
    written = summarizer.write(batch)
    pinned = {id: text_of(view.all[id]) for id in batch.covers if id in view.all and view.all[id].pinned}
    pinned = {id: text for id, text in pinned.items() if text and text not in written.text}
    fields: Json = {
        "periodStart": batch.start, "periodEnd": batch.end,
        "summary": "\n".join([written.text, *(f"{PINNED}: {escaped(text)}" for text in pinned.values())]),
        "conversationCount": batch.count, **shortened(written.shortened), "covers": batch.ids,
        "by": summarizer.by,
    }  # fmt: skip
    if written.lines is not None:  # last, for people who read it
        lines = [["pinned", line, id] for id, text in pinned.items() for line in text.splitlines()]
        fields["lines"] = [*written.lines, *lines]
    return fields


def shortened(sizes: tuple[int, int] | None) -> Json:
    """The field that says that only an extract was read."""
    return {"shortened": dict(zip(("from", "to"), sizes, strict=True))} if sizes else {}


# -- storing ----------------------------------------------------------------------------------------


def store(env: Env, target: Target, work: Work) -> View | None:
    """Append the records under the lock; None where something to be covered is not as it was."""
    stored: list[View] = []

    def build(locked: Locked) -> bytes | None:
        if not holds(fold(read.read_log(locked.read())), work):
            return None
        new = records(env, locked.session, locked.offset, work.drafts)
        stored.append(after(work.view, new))
        return b"".join(dumps(record) + b"\n" for record in new)

    log.append(env, target.path, build)
    if stored:
        env.stored = target.id
    return stored[0] if stored else None


def holds(view: View, work: Work) -> bool:
    """Whether all that is to be covered is visible and as it was, and not of the newest exchange."""
    now: dict[str, object] = {m.id: looks(m) for m in view.messages if m.id in work.looks}
    now |= {s.id: s.text for s in view.summaries if s.id in work.looks}
    if now != work.looks:
        return False
    if work.batch is not None and work.batch.inside:
        return True
    newest = exchanges(view.messages)[-1:]
    return not any(message.id in work.looks for group in newest for message in group)


def looks_of(batch: Batch) -> dict[str, object]:
    """How everything looks that a batch covers."""
    return {m.id: looks(m) for m in batch.messages} | {s.id: s.text for s in batch.summaries}


def looks(message: Message) -> object:
    """What a message shows and how it stands, however its content is stored."""
    own = message.blocks if message.blocks is not None else [block_of(part) for part in message.own or ()]
    return own, message.replaced, message.pinned, message.pending is not None


def records(env: Env, session: str, offset: int, drafts: Sequence[Json]) -> list[Json]:
    """The drafts as records, with ids and the time."""
    made: list[Json] = []
    for draft in drafts:
        head = {"type": "summary", "id": env.new_id(session, offset), "createdAt": env.now()}
        made.append({**head, **draft, "covers": [*draft["covers"], *(record["id"] for record in made)]})
        offset += len(dumps(made[-1])) + 1
    return made


def filtered(env: Env, view: View, work: Work) -> View:
    """The view as it is once this is stored; the session itself is not changed."""
    offset = view.log.size - (streamed(view.log.records) if env.seed else 0)
    return after(view, records(env, view.id, offset, work.drafts))


def after(view: View, new: Sequence[Json]) -> View:
    """The view once these summary records stand at its end."""
    covered = {id for record in new for id in record["covers"]}
    place = len(view.log.records) + len(view.applied)
    made = [Summary(fields=record, place=place + n, raw=None) for n, record in enumerate(new)]
    shown, hidden = arrange([*view.summaries, *made], view.all)
    result = view.with_messages([message for message in view.messages if message.id not in covered], shown)
    result.hidden_summaries = [*view.hidden_summaries, *hidden]
    return result


def report(session: str, work: Work, done: View, counter: Counter) -> Json:
    """The line of a session that acted: exchanges before and covered, tokens before and after."""
    line: Json = {
        "session": session, "action": "summarized" if work.batch is not None else "folded",
        "exchanges": len(exchanges(work.view.messages)), "covered": work.batch.count if work.batch else 0,
        "before": tokens(work.view, counter), "after": tokens(done, counter),
    }  # fmt: skip
    if work.folded:
        line["folded"] = work.folded
    for draft in work.drafts:
        line |= {key: value for key, value in draft.items() if key == "shortened"}
    return line


def tokens(view: View, counter: Counter) -> int:
    """What sending the view costs."""
    return history_tokens(counter, view.messages, summaries=[summary.text for summary in view.summaries])

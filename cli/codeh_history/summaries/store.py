"""`summarize` for one session: prepare a summary without the lock, then store it under the lock.

Nothing is deleted: a summary covers messages, and `undo` reveals them again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import orjson

from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, TryAgain
from ..base.read_json import json_object
from ..session.exchanges import exchanges
from ..session.fold import fold, streamed
from ..session.labels import PINNED, escaped
from ..session.model import Any, Json, Summary
from ..session.ops import NEXT
from ..session.records import block_of, dumps
from ..session.view import View, arrange, text_of
from ..store import log, read
from ..store.locked import Locked
from ..store.resolve import Target
from ..tokens.counter import Counter
from ..tokens.formula import history_tokens
from ..views.view import view_of
from . import window
from .request import Prompt, Request, Sources, without_text
from .window import Batch

BATCH, FOLD = "summarized", "folded"  # the actions that are reported
TRIES = 2  # attempts, if the session changes meanwhile
# Returns `summary` and `by` for a batch, perhaps `lines` and `shortened`; or raises SummarizerFailed.
Summarizer = Callable[[Batch], Json]


@dataclass(frozen=True)
class Settings:
    """Settings of `summarize`.

    `over`: due above so many tokens, selected by `due_over`; otherwise due by exchanges. `stop` ends
    running commands.
    """

    summarizer: Summarizer
    counter: Counter
    most: int = 50
    least: int = 10
    over: int | None = None
    due_over: Callable[[View, int, Counter], Batch | None] | None = None
    stop: Callable[[], None] = lambda: None

    def due(self, view: View) -> Batch | None:
        """Select what is due."""
        if self.over is not None and self.due_over is not None:
            return self.due_over(view, self.over, self.counter)
        return window.due(view.messages, self.most, self.least)

    def not_due(self, view: View) -> str:
        """Say why nothing is due, and how to ask for it anyway."""
        if self.over is None:
            return window.not_due(view.messages, self.most, self.least)
        count = tokens(view, self.counter)
        if count <= self.over:
            return f"not due: {count:,} tokens, and only more than {self.over:,} are summarised"
        left = "only summaries, pins, the newest prompt and what follows it are left"
        return f"not due: {count:,} tokens of {self.over:,}, but {left}"


@dataclass(frozen=True)
class Work:
    """What is due in a view: a batch and, with `folds`, one summary in place of all others.

    `drafts`: the records to store, without ids; each also covers the ones before it.
    """

    view: View
    batch: Batch | None
    folds: bool
    drafts: Sequence[Json] = ()

    @property
    def ids(self) -> set[str]:
        """The visible messages and summaries that the drafts cover."""
        summaries = self.view.summaries if self.folds else ()
        messages = self.batch.messages if self.batch is not None else ()
        return {covered.id for covered in (*messages, *summaries)}

    @property
    def digest(self) -> str:
        return digest_of(self.view, self.ids)


def run(env: Env, target: Target, settings: Settings, *, strict: bool = False) -> Json | None:
    """Summarise what is due and append the record; return the line to report, None if nothing is due.

    Raises SummarizerFailed with the file unchanged, TryAgain if the session changed twice meanwhile.
    """
    for _ in range(TRIES):
        view = view_of(env, target, strict=strict)
        work = prepare(view, settings, lambda: log.append(env, target.path, lambda _: None))
        if work is None:
            return None
        done = store(env, target, work)
        if done is not None:
            return report(target.id, work, done, settings.counter)
    raise TryAgain(f"{target.path}: what was to be summarised changed twice meanwhile; nothing was stored")


def prepare(view: View, settings: Settings, check: Callable[[], object] = lambda: None) -> Work | None:
    """Summarise what is due; None if nothing is. `check` is called, and may raise, before the command."""
    batch = settings.due(view)
    folds = window.foldable(view.summaries, int(batch is not None))
    if batch is None and not folds:
        return None
    check()
    return drafted(Work(view, batch, folds), settings.summarizer)


def drafted(work: Work, summarizer: Summarizer) -> Work:
    """Draft the records: of the batch, then of the summary that replaces all others."""
    drafts: list[Json] = []
    if work.batch is not None:
        drafts.append(_draft(work.view, work.batch, summarizer))
    if work.folds:
        summaries = [Summary(fields={"id": NEXT, **draft}, place=0, raw=None) for draft in drafts]
        drafts.append(_draft(work.view, window.folded(work.view, work.batch, summaries), summarizer))
    return replace(work, drafts=drafts)


def _draft(view: View, batch: Batch, summarizer: Summarizer) -> Json:
    """Make the record for a batch; pinned messages that it covers are added verbatim."""
    fields = summarizer(replace(batch, system=str(view.meta.get("system") or "")))
    text, lines, shortened = fields["summary"], fields.get("lines"), fields.get("shortened")
    pinned = {id: text_of(view.all[id]) for id in batch.covers if id in view.all and view.all[id].pinned}
    pinned = {id: pin for id, pin in pinned.items() if pin and pin not in text}
    draft: Json = {
        "periodStart": batch.start, "periodEnd": batch.end,
        "summary": "\n".join([text, *(f"{PINNED}: {escaped(pin)}" for pin in pinned.values())]),
        "conversationCount": batch.count, **({"shortened": shortened} if shortened else {}),
        "covers": batch.ids, "by": fields["by"],
    }  # fmt: skip
    if lines is not None:  # last, for readability
        texts = (["pinned", line, id] for id, pin in pinned.items() for line in pin.splitlines())
        draft["lines"] = [*lines, *texts]
    return draft


# -- storing ----------------------------------------------------------------------------------------


def store(env: Env, target: Target, work: Work) -> View | None:
    """Append the records under the lock; return None if something covered has changed."""
    stored: list[View] = []

    def build(locked: Locked) -> bytes | None:
        if not is_unchanged(fold(read.read_log(locked.read())), work):
            return None
        new = records(env, locked.session, locked.offset, work.drafts)
        stored.append(after(work.view, new))
        return b"".join(dumps(record) + b"\n" for record in new)

    log.append(env, target.path, build)
    if not stored:
        return None
    env.stored = target.id
    return stored[0]


def is_unchanged(view: View, work: Work) -> bool:
    """Whether all that the work covers is visible, unchanged, and not in the newest exchange."""
    if digest_of(view, work.ids) != work.digest:
        return False
    if work.batch is not None and work.batch.inside:
        return True
    newest = exchanges(view.messages)[-1:]
    return not any(message.id in work.ids for group in newest for message in group)


def digest_of(view: View, ids: Collection[str]) -> str:
    """Hash the state of these messages and summaries in a view, wherever their content is stored."""
    states: list[object] = []
    for m in view.messages:
        if m.id in ids:
            blocks = m.blocks if m.blocks is not None else [block_of(part) for part in m.own or ()]
            replaced = {
                number: None if part is None else block_of(part)
                for number, part in (m.replaced or {}).items()
            }
            states.append((m.id, blocks, replaced, m.pinned, m.pending is not None))
    states += ((summary.id, summary.text) for summary in view.summaries if summary.id in ids)
    return hashlib.sha256(orjson.dumps(states, option=orjson.OPT_NON_STR_KEYS)).hexdigest()


def records(env: Env, session: str, offset: int, drafts: Sequence[Json]) -> list[Json]:
    """Complete the drafts with ids and times."""
    summaries: list[Json] = []
    for draft in drafts:
        head = {"type": "summary", "id": env.new_id(session, offset), "createdAt": env.now()}
        summaries.append(
            {**head, **draft, "covers": [*draft["covers"], *(record["id"] for record in summaries)]}
        )
        offset += len(dumps(summaries[-1])) + 1
    return summaries


def filtered(env: Env, view: View, work: Work) -> View:
    """The view as it would be after storing the drafts."""
    offset = view.log.size - (streamed(view.log.records) if env.seed else 0)
    return after(view, records(env, view.id, offset, work.drafts))


def after(view: View, new: Sequence[Json]) -> View:
    """The view with these summary records appended."""
    covered = {id for record in new for id in record["covers"]}
    place = len(view.log.records) + len(view.applied)
    summaries = [Summary(fields=record, place=place + n, raw=None) for n, record in enumerate(new)]
    shown, hidden = arrange([*view.summaries, *summaries], view.all)
    result = view.with_messages([message for message in view.messages if message.id not in covered], shown)
    result.hidden_summaries = [*view.hidden_summaries, *hidden]
    return result


def report(session: str, work: Work, done: View, counter: Counter) -> Json:
    """The line to report: exchanges before and covered, tokens before and after."""
    line: Json = {
        "session": session, "action": BATCH if work.batch is not None else FOLD,
        "exchanges": len(exchanges(work.view.messages)), "covered": work.batch.count if work.batch else 0,
        "before": tokens(work.view, counter), "after": tokens(done, counter),
    }  # fmt: skip
    if work.folds:
        line["folded"] = len(work.view.summaries) + len(work.drafts) - 1
    for draft in work.drafts:
        line |= {key: value for key, value in draft.items() if key == "shortened"}
    return line


def tokens(view: View, counter: Counter) -> int:
    """The tokens of a request with this view."""
    return history_tokens(counter, view.messages, summaries=[summary.text for summary in view.summaries])


# -- in two steps: `--emit` prints the prompt for what is due, `--apply` stores its answer ----------------

_TEXT = str | None
_TYPES: dict[str, Any] = {
    "session": str, "action": str, "by": str, "covers": list, "conversationCount": int, "tokens": int,
    "seen": str, "prompt": str, "periodStart": _TEXT, "periodEnd": _TEXT, "answer": _TEXT,
    "shortened": dict | None,
}  # fmt: skip


def emit(view: View, session: str, sources: Sources, *, most: int, least: int) -> Json | None:
    """Return the next prompt of a session and what its answer will cover, None if nothing is due.

    Raises SummarizerFailed if it does not fit a prompt of the budget.
    """
    batch = window.due(view.messages, most, least)
    if batch is None and not window.foldable(view.summaries):
        return None
    work = Work(view, batch, folds=batch is None)
    due = batch or window.folded(view)
    source = sources.of_batch(due)
    if len(sources.groups(source)) > 1:
        source = sources.of_batch(due, most=0)
    if len(sources.groups(source)) > 1:
        raise SummarizerFailed(f"it does not fit a prompt of {sources.budget} tokens; raise --budget")
    request = sources.request(source)
    return {
        "session": session, "action": BATCH if batch else FOLD, "by": "program", "covers": due.ids,
        "conversationCount": due.count,
        **({"periodStart": batch.start, "periodEnd": batch.end} if batch else {}),
        **({"shortened": source.shortened} if source.shortened else {}),
        "tokens": request.tokens, "seen": work.digest,
        "prompt": request.prompt.plain.encode(errors="replace").decode(),
    }  # fmt: skip


def read_emitted(data: bytes, name: str) -> Json:
    """Parse what `--emit` printed, perhaps with an `answer`; raises BadData for anything else."""
    emitted = json_object(data)
    if emitted is None:
        raise BadData(f"{name}: not a JSON object; --apply takes what --emit printed")
    for key, type in _TYPES.items():
        if not isinstance(emitted.get(key), type):
            raise BadData(f"{name}: {key} is missing or invalid; --apply takes what --emit printed")
    return emitted


def apply(
    env: Env, target: Target, emitted: Json, answer: str, counter: Counter, *, faithful: bool, strict: bool
) -> Json:
    """Store an answer if everything it covers is unchanged; return the line to report.

    Raises SummarizerFailed or TryAgain with the file unchanged.
    """

    def answered(batch: Batch) -> Json:
        request = Request(batch, Prompt("", emitted["prompt"]), emitted["tokens"])
        text = without_text(batch)
        if request.tokens:
            text = request.accept(answer, counter.counts, faithful=faithful)
        return {"summary": text, "shortened": emitted.get("shortened"), "by": emitted["by"]}

    view = view_of(env, target, strict=strict)
    batch = None
    if emitted["action"] == BATCH:
        covers = set(emitted["covers"])
        messages = [message for message in view.messages if message.id in covers]
        period = emitted.get("periodStart"), emitted.get("periodEnd")
        batch = Batch(messages, emitted["conversationCount"], *period)
    work = Work(view, batch, folds=batch is None)
    if work.digest == emitted["seen"]:
        work = drafted(work, answered)
        done = store(env, target, work)
        if done is not None:
            return report(target.id, work, done, counter)
    raise TryAgain(
        f"{target.path}: what is to be summarised has changed; nothing was stored; run --emit again"
    )

"""`summarize --emit` and `--apply`: what is due as a prompt, and later the record that its answer makes.

What is emitted says how all that it covers looked. Nothing is written anew where that changed since.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import orjson

from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, TryAgain
from ..session.fold import View
from ..session.model import Json, Summary
from ..store.resolve import Target
from ..tokens import Counter
from ..views.view import view_of
from . import gate, one, window
from .source import Source, Sources, of_batch, of_summaries
from .window import Batch
from .writer import Written

_TYPES = {
    "session": str, "action": str, "by": str, "covers": list, "conversationCount": int, "tokens": int,
    "seen": str, "prompt": str,
}  # fmt: skip
BATCH, FOLD = "summarized", "folded"


def emit(view: View, session: str, sources: Sources, *, most: int, least: int) -> Json | None:
    """The next prompt of a session and what its answer will stand for; None when nothing is due.

    Raises SummarizerFailed where no prompt within the budget can show it.
    """
    batch = window.due(view.messages, most, least)
    period: Json = {}
    if batch is not None:
        source, action, covers = _fitting(sources, batch), BATCH, batch.ids
        period = {"periodStart": batch.start, "periodEnd": batch.end}
    elif window.foldable(view.summaries):
        parts = [window.facts(summary, view) for summary in view.summaries]
        count = sum(part["conversationCount"] for part in parts)
        source, action = of_summaries([part["summary"] for part in parts], count), FOLD
        covers = window.stands_for(view.summaries, view)
    else:
        return None
    if len(sources.groups(source)) > 1:
        raise SummarizerFailed(f"it does not fit a prompt of {sources.budget} tokens; --budget more")
    prompt, tokens = sources.prompt(source)
    shortened = (
        {"shortened": dict(zip(("from", "to"), source.shortened, strict=True))} if source.shortened else {}
    )
    return {
        "session": session, "action": action, "by": "program", "covers": covers,
        "conversationCount": source.exchanges, **period, **shortened, "tokens": tokens,
        "seen": _digest(view, batch), "prompt": prompt.plain.encode(errors="replace").decode(),
    }  # fmt: skip


def _fitting(sources: Sources, batch: Batch) -> Source:
    """The batch, as an extract where it does not fit one prompt."""
    source = sources.of_batch(batch)
    return source if len(sources.groups(source)) <= 1 else sources.of_batch(batch, most=0)


def _digest(view: View, batch: Batch | None) -> str:
    """How what is to be covered looks: the messages of a batch, or without one all summaries."""
    looks = one.seen(batch, () if batch is not None else view.summaries)
    return hashlib.sha256(orjson.dumps([*looks.items()], option=orjson.OPT_NON_STR_KEYS)).hexdigest()


def read(data: bytes, name: str) -> Json:
    """What `--emit` printed, and perhaps an `answer` in it; BadData where it is anything else."""
    try:
        emitted = orjson.loads(data)
    except ValueError:
        raise BadData(f"{name}: no JSON; --apply takes what --emit printed") from None
    if not isinstance(emitted, dict):
        raise BadData(f"{name}: no object; --apply takes what --emit printed")
    for key, type in _TYPES.items():
        if not isinstance(emitted.get(key), type):
            raise BadData(f"{name}: no {key}; --apply takes what --emit printed")
    sizes = emitted.get("shortened")
    if sizes is not None and not (isinstance(sizes, dict) and {"from", "to"} <= sizes.keys()):
        raise BadData(f"{name}: shortened must be {{from, to}}")
    for key in ("periodStart", "periodEnd", "answer"):
        if not isinstance(emitted.get(key), str | None):
            raise BadData(f"{name}: {key} must be text")
    return emitted


class Answered:
    """A summariser that has its answer already."""

    def __init__(self, emitted: Json, answer: str, counter: Counter, *, faithful: bool) -> None:
        self.emitted = emitted
        self.answer = answer
        self.counter = counter
        self.faithful = faithful
        self.by = str(emitted["by"])

    def of_batch(self, batch: Batch) -> Written:
        source = of_batch(batch)
        if not source.pieces:
            return Written(source.silence)
        sizes = self.emitted.get("shortened")
        return Written(self._checked(source), (sizes["from"], sizes["to"]) if sizes else None)

    def of_summaries(self, summaries: Sequence[Summary], count: int) -> Written:
        return Written(self._checked(of_summaries([summary.text for summary in summaries], count)))

    def stop(self) -> None:
        """Nothing runs."""

    def _checked(self, source: Source) -> str:
        return gate.summary_in(
            self.answer, source.names, self.emitted["prompt"], self.emitted["tokens"], self.counter.counts,
            messages=source.messages, checked=self.faithful,
        )  # fmt: skip


def apply(env: Env, target: Target, answered: Answered, *, strict: bool) -> Json:
    """Store the answer, if it is a summary of what still looks as it did; returns the line to report.

    Raises SummarizerFailed or TryAgain, with the file as it was.
    """
    view = view_of(env, target, strict=strict)
    work = _work(view, answered)
    done = one.store(env, target, work) if work is not None else None
    if work is None or done is None:
        raise TryAgain(
            f"{target.path}: what is to be summarised has changed; nothing was stored: --emit it anew"
        )
    return one.report(target.id, work, done, answered.counter)


def _work(view: View, answered: Answered) -> one.Work | None:
    """What is to be stored; None where something does not look as it did."""
    emitted = answered.emitted
    batch = _batch(view, emitted) if emitted["action"] == BATCH else None
    if _digest(view, batch) != emitted["seen"]:
        return None
    return one.work(view, batch, answered, folds=batch is None)


def _batch(view: View, emitted: Json) -> Batch:
    covers = set(emitted["covers"])
    return Batch(
        [message for message in view.messages if message.id in covers],
        emitted["conversationCount"], emitted.get("periodStart"), emitted.get("periodEnd"),
    )  # fmt: skip

"""`summarize --emit` and `--apply`: what is due as a prompt, and later the record that its answer makes.

What is emitted has a digest of all that it covers; nothing is stored where that changed since.
"""

from __future__ import annotations

import hashlib

import orjson

from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, TryAgain
from ..session.fold import View
from ..session.model import Any, Json
from ..store.resolve import Target
from ..tokens import Counter
from ..views.view import view_of
from . import gate, store, window
from .request import Sources, source_of
from .window import Batch
from .writer import Written

_TEXT = str | None
_TYPES: dict[str, Any] = {
    "session": str, "action": str, "by": str, "covers": list, "conversationCount": int, "tokens": int,
    "seen": str, "prompt": str, "periodStart": _TEXT, "periodEnd": _TEXT, "answer": _TEXT,
    "shortened": dict | None,
}  # fmt: skip
BATCH, FOLD = "summarized", "folded"


def emit(view: View, session: str, sources: Sources, *, most: int, least: int) -> Json | None:
    """The next prompt of a session and what its answer will stand for; None when nothing is due.

    Raises SummarizerFailed where no prompt within the budget can show it.
    """
    batch = window.due(view.messages, most, least)
    if batch is None and not window.foldable(view.summaries):
        return None
    period = {"periodStart": batch.start, "periodEnd": batch.end} if batch else {}
    due = batch or window.folded(view)
    source = sources.of_batch(due)
    if len(sources.groups(source)) > 1:
        source = sources.of_batch(due, most=0)
    if len(sources.groups(source)) > 1:
        raise SummarizerFailed(f"it does not fit a prompt of {sources.budget} tokens; --budget more")
    prompt, tokens = sources.prompt(source)
    return {
        "session": session, "action": BATCH if batch else FOLD, "by": "program", "covers": due.ids,
        "conversationCount": due.count, **period, **store.shortened(source.shortened), "tokens": tokens,
        "seen": _digest(due), "prompt": prompt.plain.encode(errors="replace").decode(),
    }  # fmt: skip


def _digest(batch: Batch) -> str:
    """How everything that a batch covers looks."""
    looks = [*store.looks_of(batch).items()]
    return hashlib.sha256(orjson.dumps(looks, option=orjson.OPT_NON_STR_KEYS)).hexdigest()


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
            raise BadData(f"{name}: {key} is missing or invalid; --apply takes what --emit printed")
    return emitted


class Answered:
    """A summariser that has its answer already."""

    def __init__(self, emitted: Json, answer: str, counter: Counter, *, faithful: bool) -> None:
        self.emitted = emitted
        self.answer = answer
        self.counter = counter
        self.faithful = faithful
        self.by = str(emitted["by"])

    def write(self, batch: Batch) -> Written:
        source = source_of(batch)
        if not source.pieces:
            return Written(source.silence)
        text = gate.summary_in(
            self.answer, source.names, self.emitted["prompt"], self.emitted["tokens"], self.counter.counts,
            messages=source.messages, checked=self.faithful,
        )  # fmt: skip
        sizes = self.emitted.get("shortened") or {}
        return Written(text, (sizes["from"], sizes["to"]) if {"from", "to"} <= sizes.keys() else None)


def apply(env: Env, target: Target, answered: Answered, *, strict: bool) -> Json:
    """Store the answer, if it is a summary of what still looks as it did; returns the line to report.

    Raises SummarizerFailed or TryAgain, with the file as it was.
    """
    view = view_of(env, target, strict=strict)
    emitted = answered.emitted
    batch = None
    if emitted["action"] == BATCH:
        covers = set(emitted["covers"])
        messages = [message for message in view.messages if message.id in covers]
        period = emitted.get("periodStart"), emitted.get("periodEnd")
        batch = Batch(messages, emitted["conversationCount"], *period)
    if _digest(batch or window.folded(view)) == emitted["seen"]:
        work = store.work(view, batch, answered, folds=batch is None)
        done = store.store(env, target, work)
        if done is not None:
            return store.report(target.id, work, done, answered.counter)
    raise TryAgain(
        f"{target.path}: what is to be summarised has changed; nothing was stored: --emit it anew"
    )

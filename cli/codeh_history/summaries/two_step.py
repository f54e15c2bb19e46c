"""`summarize --emit` prints the prompt for what is due, `--apply` stores its answer.

The emitted object has a digest of everything it covers; nothing is stored if that has changed.
"""

from __future__ import annotations

import orjson

from ..base.env import Env
from ..base.errors import BadData, SummarizerFailed, TryAgain
from ..session.fold import View
from ..session.model import Any, Json
from ..store.resolve import Target
from ..tokens import Counter
from ..views.view import view_of
from . import store, window
from .request import Prompt, Request, Sources, silence, source_of
from .window import Batch

_TEXT = str | None
_TYPES: dict[str, Any] = {
    "session": str, "action": str, "by": str, "covers": list, "conversationCount": int, "tokens": int,
    "seen": str, "prompt": str, "periodStart": _TEXT, "periodEnd": _TEXT, "answer": _TEXT,
    "shortened": dict | None,
}  # fmt: skip
BATCH, FOLD = "summarized", "folded"


def emit(view: View, session: str, sources: Sources, *, most: int, least: int) -> Json | None:
    """Return the next prompt of a session and what its answer will cover, or None if nothing is
    due.

    Raises SummarizerFailed if it does not fit a prompt of the budget.
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
        raise SummarizerFailed(f"it does not fit a prompt of {sources.budget} tokens; raise --budget")
    request = sources.request(source)
    shortened = {"shortened": source.shortened} if source.shortened else {}
    return {
        "session": session, "action": BATCH if batch else FOLD, "by": "program", "covers": due.ids,
        "conversationCount": due.count, **period, **shortened, "tokens": request.tokens,
        "seen": store.digest_of(view, store.covered(view, batch, folds=batch is None)),
        "prompt": request.prompt.plain.encode(errors="replace").decode(),
    }  # fmt: skip


def read(data: bytes, name: str) -> Json:
    """Parse what `--emit` printed, perhaps with an `answer`; raises BadData for anything else."""
    try:
        emitted = orjson.loads(data)
    except ValueError:
        raise BadData(f"{name}: not JSON; --apply takes what --emit printed") from None
    if not isinstance(emitted, dict):
        raise BadData(f"{name}: not an object; --apply takes what --emit printed")
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

    def written(batch: Batch) -> Json:
        source = source_of(batch)
        request = Request(source, Prompt("", emitted["prompt"]), emitted["tokens"])
        text = (
            request.accept(answer, counter.counts, faithful=faithful) if source.pieces else silence(batch)
        )
        return {"summary": text, "shortened": emitted.get("shortened"), "by": emitted["by"]}

    view = view_of(env, target, strict=strict)
    batch = None
    if emitted["action"] == BATCH:
        covers = set(emitted["covers"])
        messages = [message for message in view.messages if message.id in covers]
        period = emitted.get("periodStart"), emitted.get("periodEnd")
        batch = Batch(messages, emitted["conversationCount"], *period)
    if store.digest_of(view, store.covered(view, batch, folds=batch is None)) == emitted["seen"]:
        work = store.work(view, batch, written, folds=batch is None)
        done = store.store(env, target, work)
        if done is not None:
            return store.report(target.id, work, done, counter)
    raise TryAgain(
        f"{target.path}: what is to be summarised has changed; nothing was stored; run --emit again"
    )

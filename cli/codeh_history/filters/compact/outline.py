"""Parts of `summarize` and compaction: batches due by tokens, the outline, and summaries by a command."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...base.errors import SummarizerFailed
from ...base.words import plural
from ...session.exchanges import prompts
from ...session.model import Json, Message
from ...session.ops import Op, apply
from ...session.sources import rendered
from ...session.view import View, text_of
from ...summaries.command import Commands
from ...summaries.prose import clip
from ...summaries.request import CommandSummarizer, Sources, words_within
from ...summaries.store import tokens as tokens_of
from ...summaries.window import Batch, period
from ...tokens.counter import Counter
from ...tokens.formula import message_tokens
from ..costs import request_tokens
from .extract import extract
from .plan import LOW, Plan, Settings
from .units import Layout

LEAST, SHORT, MOST = 150, 300, 3000  # tokens of an outline
REQUEST, SOURCE = 16_000, 100_000  # most tokens of a request; of a source that is not shortened first
SECONDS = 120  # time limit of the command for one request


def due_over(view: View, most: int, counter: Counter) -> Batch | None:
    """Select the oldest units of a view above `most` tokens, until 0.60 of `most` is left; None if not due.

    Whole exchanges come first, then units of the newest one. Its prompt, the last unit, pinned and pending
    messages stay.
    """
    remaining = tokens_of(view, counter)
    if remaining <= most:
        return None
    messages = view.sent
    costs = message_tokens(counter, messages)
    selected: list[int] = []
    for group in Layout(messages, 0).groups:
        if remaining > most * LOW and not any(messages[number].pending is not None for number in group):
            selected += group
            remaining -= sum(costs[number] for number in group)
    covered = [messages[number] for number in sorted(selected)]
    if not covered:
        return None
    return Batch(covered, max(1, prompts(covered)), *period(message.ts for message in covered), inside=True)


def outline(counter: Counter, batch: Batch, most: float = MOST) -> Json:
    """Summarise a batch by extraction: return `summary`, `lines` and `by` of its record.

    It has a tenth of the messages' tokens (half if they are short) or three quarters of the summaries',
    but at most `most`.
    """
    if batch.messages:
        tokens = sum(message_tokens(counter, batch.messages))
        room = max(tokens // 11, min(LEAST, tokens // 2))
    else:
        tokens = sum(counter.counts([summary.text for summary in batch.summaries]))
        room = max(tokens * 3 // 4, min(tokens * 2, SHORT))
    fields = extract(batch.messages, int(min(room, most, MOST)), counter, batch.summaries)
    if fields["summary"]:
        return {**fields, "by": "outline"}
    texts = (text_of(message).strip() for message in batch.messages if message.role == "user")
    first = next(filter(None, texts), None)
    rest = (
        f", beginning with: {clip(first, 200)}" if first else "." if batch.summaries else " without text."
    )
    count = plural(batch.count, "earlier exchange" if batch.summaries else "exchange")
    return {"summary": count + rest, "by": "outline"}


def extracted(
    counter: Counter, messages: Sequence[Message], most: int, room: int
) -> tuple[str, int] | None:
    """Return an extract of messages and their tokens, or None if they have at most `most` tokens."""
    tokens = sum(message_tokens(counter, messages))
    return (extract(messages, room, counter)["summary"], tokens) if tokens > most else None


def by_command(view: View, plan: Plan, counter: Counter, limits: Settings, via: str) -> Plan:
    """Have a command write the plan's summary; raises SummarizerFailed if it fails or writes too much."""
    step = next((step for step in plan.steps if step.stage == "summary"), None)
    if step is None:
        return plan
    covered, room = set(step.op["ids"]), counter.counts([step.op["summary"]])[0]
    messages = [message for message in view.messages if message.id in covered]
    earlier = [summary for summary in view.summaries if summary.id in covered]
    batch = Batch(messages, max(1, prompts(messages)), None, None, limits.system or "", summaries=earlier)
    sources = Sources(
        counter.counts, REQUEST, SOURCE, partial(extracted, counter), words=lambda _: words_within(room)
    )  # fmt: skip
    command = CommandSummarizer(Commands(via, SECONDS), sources, None, None, faithful=True)
    op: Op = {**step.op, "summary": command.write(batch)["summary"]}
    op.pop("lines", None)
    written = plan._replace(steps=[s._replace(op=op) if s is step else s for s in plan.steps])
    after = rendered(apply(view, written.ops))
    size = request_tokens(counter, after, limits.system, limits.tools)
    if size > max(plan.after or 0, 0 if limits.hysteresis else limits.budget):
        length = counter.counts([op["summary"]])[0]
        raise SummarizerFailed(f"the summary is too long: {length} of {room} tokens")
    return written._replace(after=size)

"""Parts of `summarize` and compaction: batches due by tokens, the outline, and summaries by a command."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...base.errors import SummarizerFailed
from ...base.words import plural
from ...session.exchanges import prompts
from ...session.model import Json, Message
from ...session.ops import Op, apply
from ...session.view import View, text_of
from ...summaries.command import CommandRunner
from ...summaries.prose import clip
from ...summaries.request import CommandSummarizer, Sources, words_within
from ...summaries.store import tokens as tokens_of
from ...summaries.window import Batch, period
from ...tokens.counter import Counter
from ...tokens.formula import history_tokens, message_tokens
from .extract import extract
from .plan import LOW, Plan, Settings
from .units import Layout

LEAST, SHORT, MOST = 150, 300, 3000  # tokens of an outline
REQUEST, SOURCE = 16_000, 100_000  # most tokens of a request; of a source that is not shortened first
SMALLEST = 20  # tokens of a summary worth asking for


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
    layout = Layout(messages, 0)
    selected: set[int] = set()
    for group in layout.groups:
        if remaining <= most * LOW:
            break
        if not any(messages[number].pending is not None for number in group):
            selected.update(group)
            remaining -= sum(costs[number] for number in group)
    covered = [messages[number] for number in sorted(selected)]
    if not covered:
        return None
    start, end = period(message.ts for message in covered)
    return Batch(covered, max(1, prompts(covered)), start, end, inside=True)


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
    first = next(filter(None, texts), "")
    begins = f", beginning with: {clip(first, 200)}" if first else " without text."
    count = plural(batch.count, "earlier exchange" if batch.summaries else "exchange")
    return {"summary": f"{count}." if batch.summaries else count + begins, "by": "outline"}


def extracted(
    counter: Counter, messages: Sequence[Message], most: int, room: int
) -> tuple[str, int] | None:
    """Return an extract of messages and their tokens, or None if they have at most `most` tokens."""
    tokens = sum(message_tokens(counter, messages))
    return (extract(messages, room, counter)["summary"], tokens) if tokens > most else None


def with_command_summary(
    view: View, plan: Plan, counter: Counter, settings: Settings, runs: CommandRunner
) -> Plan:
    """Return the plan with a summary by the command; the same plan if it has no summary.

    Raises SummarizerFailed if the command fails, or its answer is refused or too long.
    """
    places = [n for n, step in enumerate(plan.steps) if step.stage == "summary"]
    if not places:
        return plan
    step = plan.steps[places[0]]
    room = counter.counts([step.op["summary"]])[0]
    if room < SMALLEST:
        return plan
    text = _summary_text(view, step.op, counter, settings, runs, room)
    op: Op = {**step.op, "summary": text}
    op.pop("lines", None)
    steps = [*plan.steps]
    steps[places[0]] = step._replace(op=op)
    after = apply(view, [step.op for step in steps])
    size = history_tokens(
        counter, after.messages, system=settings.system, tools=settings.tools,
        summaries=[summary.text for summary in after.summaries],
    )  # fmt: skip
    if size > max(plan.after or 0, 0 if settings.hysteresis else settings.budget):
        raise SummarizerFailed(f"the summary is too long: {counter.counts([text])[0]} of {room} tokens")
    return plan._replace(steps=steps, after=size)


def _summary_text(
    view: View, op: Op, counter: Counter, settings: Settings, runs: CommandRunner, room: int
) -> str:
    """Ask the command to summarise what an op covers."""
    covered = set(op["ids"])
    messages = [message for message in view.messages if message.id in covered]
    earlier = [summary for summary in view.summaries if summary.id in covered]
    sources = Sources(
        counter.counts, REQUEST, SOURCE, partial(extracted, counter), words=lambda _: words_within(room)
    )  # fmt: skip
    batch = Batch(messages, max(1, prompts(messages)), None, None, settings.system or "", summaries=earlier)
    return str(CommandSummarizer(runs, sources, None, None, faithful=True).write(batch)["summary"])

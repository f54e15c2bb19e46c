"""What `summarize` shares with compaction: due by tokens, and the built-in summary."""

from __future__ import annotations

from collections.abc import Sequence

from ...session.exchanges import prompts
from ...session.model import Json, Message
from ...session.view import View, text_of
from ...summaries.prose import clip
from ...summaries.window import Batch, earliest, latest
from ...tokens import Counter, history_tokens, message_tokens
from ...tokens.formula import is_sent
from .extract import extract
from .plan import LOW
from .units import Layout

LEAST, SHORT, MOST = 150, 300, 3000  # tokens of an outline


def due_over(view: View, most: int, counter: Counter) -> Batch | None:
    """Select the oldest units of a view of more than `most` tokens, until 0.60 of that is left.

    Return None if nothing is due. Whole exchanges go first, then units of the newest one; its prompt, the
    last unit, pinned and pending messages stay.
    """
    left = size(view, counter)
    if left <= most:
        return None
    messages = [message for message in view.messages if is_sent(message)]
    costs = message_tokens(counter, messages)
    layout = Layout(messages, 0)
    going: set[int] = set()
    for group in layout.groups:
        if left <= most * LOW:
            break
        if not any(messages[number].pending is not None for number in group):
            going.update(group)
            left -= sum(costs[number] for number in group)
    covered = [messages[number] for number in sorted(going)]
    if not covered:
        return None
    times = [message.ts for message in covered]
    return Batch(covered, max(1, prompts(covered)), earliest(times), latest(times), inside=True)


def size(view: View, counter: Counter) -> int:
    """Count the tokens of a request, without system prompt and tools."""
    return history_tokens(counter, view.messages, summaries=[summary.text for summary in view.summaries])


def outline(counter: Counter, batch: Batch) -> Json:
    """Summarise a batch by extraction: return `summary`, `lines` and `by` of its record.

    Messages get a tenth of their tokens (half if they are short), summaries three quarters of theirs.
    """
    if batch.messages:
        tokens = sum(message_tokens(counter, batch.messages))
        room = max(tokens // 11, min(LEAST, tokens // 2))
    else:
        tokens = sum(counter.counts([summary.text for summary in batch.summaries]))
        room = max(tokens * 3 // 4, min(tokens * 2, SHORT))
    fields = extract(batch.messages, min(room, MOST), counter, batch.summaries)
    if fields["summary"]:
        return {**fields, "by": "outline"}
    texts = (text_of(message).strip() for message in batch.messages if message.role == "user")
    first = next(filter(None, texts), "")
    begins = f", beginning with: {clip(first, 200)}" if first else " without text."
    text = f"{batch.count} earlier exchanges." if batch.summaries else f"{batch.count} exchanges{begins}"
    return {"summary": text, "by": "outline"}


def extracted(
    counter: Counter, messages: Sequence[Message], most: int, room: int
) -> tuple[str, int] | None:
    """Return an extract of messages and their tokens, or None if they have at most `most` tokens."""
    tokens = sum(message_tokens(counter, messages))
    return (extract(messages, room, counter)["summary"], tokens) if tokens > most else None

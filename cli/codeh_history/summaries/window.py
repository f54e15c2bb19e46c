"""The rolling window: which exchanges are due, and which summaries to fold into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..base.times import to_millis
from ..base.words import plural
from ..session.exchanges import exchanges, prompts
from ..session.model import Json, Message, Summary
from ..session.pairing import pair
from ..session.view import View, timestamp

SUMMARIES = 5  # more than these are folded into one


@dataclass(frozen=True)
class Batch:
    """What one summary covers: messages of `count` exchanges, and earlier summaries.

    `start` and `end`: the period; `system`: the system prompt, which a summary may name too; `inside`:
    some messages may be of the newest exchange; `covers`: ids, if they are not the messages'.
    """

    messages: Sequence[Message]
    count: int
    start: str | None
    end: str | None
    system: str = ""
    inside: bool = False
    summaries: Sequence[Summary] = ()
    covers: Sequence[str] = ()

    @property
    def ids(self) -> list[str]:
        return list(self.covers) or [message.id for message in self.messages]


def due(messages: Sequence[Message], most: int, least: int) -> Batch | None:
    """Select the oldest exchanges above `most`, at least `least`; None if not due.

    The newest exchange is never covered, nor pinned and pending messages with those linked to them, nor
    a call without its result.
    """
    groups = exchanges(messages)
    if len(groups) <= most:
        return None
    calls = ((call.message.id, call.answer) for call in pair(messages).calls)
    links = [(id, answer.message.id) for id, answer in calls if answer is not None]
    links += [(message.after, message.id) for message in messages if message.after]
    staying = _linked({m.id for m in messages if m.pinned or m.pending is not None}, links)
    eligible = ([message for message in group if message.id not in staying] for group in groups[:-1])
    chosen = [*islice(filter(None, eligible), max(len(groups) - most, least))]
    inside = {message.id for group in chosen for message in group}
    staying = _linked({message.id for message in messages} - inside, links)
    chosen = [whole for group in chosen if (whole := [m for m in group if m.id not in staying])]
    if len(chosen) < least:
        return None
    times = [next((m.ts for m in group if m.ts), None) for group in chosen]
    return Batch([m for group in chosen for m in group], len(chosen), *period(times))


def _linked(ids: set[str], links: Sequence[tuple[str, str]]) -> set[str]:
    """Add everything linked to these ids, directly or not."""
    linked = set(ids)
    while more := {id for link in links if not linked.isdisjoint(link) for id in link} - linked:
        linked |= more
    return linked


def not_due(messages: Sequence[Message], most: int, least: int) -> str:
    """Say why nothing is due, and how to ask for it anyway."""
    count = len(exchanges(messages))
    size = plural(count, "exchange")
    if count > most:
        return f"not due: fewer than {least} of {size} can be covered; lower --min-batch"
    sooner = "--max-conversations N --min-batch N, or --due-over TOKENS, asks for it sooner"
    return f"not due: {size}, and only more than {most} are summarised; {sooner}"


def period(times: Iterable[object]) -> tuple[str | None, str | None]:
    """The first and the last of these times; values that are not texts are ignored."""
    known = sorted((time for time in times if isinstance(time, str)), key=lambda t: to_millis(t) or 0)
    return (known[0], known[-1]) if known else (None, None)


def foldable(summaries: Sequence[Summary], more: int = 0) -> bool:
    """Whether there are too many summaries, with `more` about to be added."""
    return len(summaries) + more > SUMMARIES


def folded(view: View, batch: Batch | None = None, newer: Sequence[Summary] = ()) -> Batch:
    """The batch of all summaries of a view and the `newer` ones, to fold into one."""
    parts = [facts(summary, view) for summary in (*view.summaries, *newer)]
    return Batch(
        (),
        sum(part["conversationCount"] for part in parts),
        period(part["periodStart"] for part in parts)[0],
        period(part["periodEnd"] for part in parts)[1],
        summaries=[*view.summaries, *newer],
        covers=stands_for(view.summaries, view, batch.ids if batch else ()),
    )


def stands_for(summaries: Sequence[Summary], view: View, more: Iterable[str] = ()) -> list[str]:
    """The ids that a summary of these summaries and of `more` messages covers.

    Messages come first, in log order, then summaries.
    """
    by_id = {summary.id: summary for summary in (*view.hidden_summaries, *view.summaries, *summaries)}
    messages = set(more)
    absorbed: dict[str, None] = {}
    stack = [summary.id for summary in reversed(summaries)]
    while stack:
        id = stack.pop()
        summary = by_id.get(id)
        if summary is None:
            messages.add(id)
        elif id not in absorbed:
            absorbed[id] = None
            stack += reversed(summary.covers)
    placed = [id for id in view.all if id in messages]
    return [*placed, *sorted(messages.difference(placed)), *absorbed]


def facts(summary: Summary, view: View) -> Json:
    """A summary as `{id, createdAt, periodStart, periodEnd, summary, conversationCount}`.

    Fields that its record lacks are derived from the messages it covers.
    """
    fields = summary.fields
    covered = [view.all[id] for id in stands_for([summary], view) if id in view.all]
    start, end = period(message.ts for message in covered)
    count = fields.get("conversationCount")
    return {
        "id": summary.id,
        "createdAt": timestamp(fields.get("createdAt")),
        "periodStart": timestamp(fields.get("periodStart")) or start,
        "periodEnd": timestamp(fields.get("periodEnd")) or end,
        "summary": summary.text,
        "conversationCount": count if isinstance(count, int) else prompts(covered),
    }

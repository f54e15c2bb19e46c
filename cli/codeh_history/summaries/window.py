"""The rolling window: which exchanges are due, and which summaries are to be folded into one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..base.times import to_millis
from ..base.words import plural
from ..session.exchanges import exchanges, prompts
from ..session.fold import View, timestamp
from ..session.model import Json, Message, Summary
from ..session.pairing import pair

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
    """Select the batch that brings the session back to `most` exchanges, at least `least`; None if
    not due.

    Never covers the newest exchange, pinned or pending messages with what belongs to them, or one half of
    a call and its result.
    """
    groups = exchanges(messages)
    if len(groups) <= most:
        return None
    links = _links(messages)
    staying = _closed({m.id for m in messages if m.pinned or m.pending is not None}, links)
    eligible = ([message for message in group if message.id not in staying] for group in groups[:-1])
    chosen = [*islice(filter(None, eligible), max(len(groups) - most, least))]
    inside = {message.id for group in chosen for message in group}
    torn = {id for link in links if (link[0] in inside) != (link[1] in inside) for id in link}
    torn = _closed(torn, links)
    chosen = [whole for group in chosen if (whole := [m for m in group if m.id not in torn])]
    if len(chosen) < least:
        return None
    times = [next((m.ts for m in group if m.ts), None) for group in chosen]
    return Batch([m for group in chosen for m in group], len(chosen), earliest(times), latest(times))


def not_due(messages: Sequence[Message], most: int, least: int) -> str:
    """Say why nothing is due, and how to ask for it anyway."""
    count = len(exchanges(messages))
    if count > most:
        return (
            f"not due: fewer than {least} of {plural(count, 'exchange')} can be covered; lower --min-batch"
        )
    return (
        f"not due: {plural(count, 'exchange')}, and only more than {most} are summarised; "
        f"--max-conversations N --min-batch N, or --due-over TOKENS, asks for it sooner"
    )


def earliest(times: Iterable[object]) -> str | None:
    """The first of these times, or None."""
    return min((time for time in times if isinstance(time, str)), key=_moment, default=None)


def latest(times: Iterable[object]) -> str | None:
    """The last of these times, or None."""
    return max((time for time in times if isinstance(time, str)), key=_moment, default=None)


def _moment(time: str) -> int:
    return to_millis(time) or 0


def _links(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Pairs that belong together: a call and its result, an inserted message and its anchor."""
    answered = ((call.message.id, call.answer) for call in pair(messages).calls)
    links = [(id, answer.message.id) for id, answer in answered if answer is not None]
    return links + [(message.after, message.id) for message in messages if message.after]


def _closed(ids: set[str], links: Sequence[tuple[str, str]]) -> set[str]:
    """Add everything linked to these ids, directly or not."""
    closed = set(ids)
    while more := {id for link in links if not closed.isdisjoint(link) for id in link} - closed:
        closed |= more
    return closed


def foldable(summaries: Sequence[Summary], more: int = 0) -> bool:
    """Whether there are too many summaries, with `more` about to be added."""
    return len(summaries) + more > SUMMARIES


def folded(view: View, batch: Batch | None = None, made: Sequence[Summary] = ()) -> Batch:
    """The batch of all summaries of a view, and of those just `made`, to be covered by one."""
    parts = [facts(summary, view) for summary in (*view.summaries, *made)]
    return Batch(
        (),
        sum(part["conversationCount"] for part in parts),
        earliest(part["periodStart"] for part in parts),
        latest(part["periodEnd"] for part in parts),
        summaries=[*view.summaries, *made],
        covers=stands_for(view.summaries, view, batch.ids if batch else ()),
    )


def stands_for(summaries: Sequence[Summary], view: View, more: Iterable[str] = ()) -> list[str]:
    """All ids that a summary of these summaries, and of `more` messages, covers.

    First the messages, in log order, then the summaries.
    """
    by_id = {s.id: s for s in (*view.hidden_summaries, *view.summaries)}
    messages = set(more)
    absorbed: dict[str, None] = {}
    stack = list(reversed(summaries))
    while stack:
        summary = stack.pop()
        if summary.id not in absorbed:
            absorbed[summary.id] = None
            messages.update(id for id in summary.covers if id not in by_id)
            stack += (by_id[id] for id in reversed(summary.covers) if id in by_id)
    placed = [id for id in view.all if id in messages]
    return [*placed, *sorted(messages.difference(placed)), *absorbed]


def facts(summary: Summary, view: View) -> Json:
    """A summary as `{id, createdAt, periodStart, periodEnd, summary, conversationCount}`.

    Fields that its record lacks are derived from the messages it covers.
    """
    fields = summary.fields
    covered = [view.all[id] for id in stands_for([summary], view) if id in view.all]
    times = [message.ts for message in covered]
    count = fields.get("conversationCount")
    return {
        "id": summary.id,
        "createdAt": timestamp(fields.get("createdAt")),
        "periodStart": timestamp(fields.get("periodStart")) or earliest(times),
        "periodEnd": timestamp(fields.get("periodEnd")) or latest(times),
        "summary": summary.text,
        "conversationCount": count if isinstance(count, int) else prompts(covered),
    }

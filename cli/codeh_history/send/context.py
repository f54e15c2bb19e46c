"""The context prompt of a view; for `payload --context` also the view without what it repeats."""

from __future__ import annotations

from ..base.env import Env
from ..base.times import local
from ..formats import context
from ..formats.entries import entries, entry
from ..session.exchanges import exchanges
from ..session.fold import View


def prompt_of(view: View, now: int, zone: str | None, recent: int) -> str:
    """The context prompt of all that the view shows."""
    return context.prompt(
        entries(view.messages), [s.text for s in view.summaries], now, local(zone), recent
    )


def split(env: Env, view: View) -> tuple[str, View]:
    """The context prompt of what came before the newest exchange, and the view without it.

    Told are the summaries and the newest of the earlier exchanges, as many as a context prompt shows; an
    exchange with a pinned message is not told but sent, as older ones are.
    """
    earlier = [group for group in exchanges(view.messages)[:-1] if not any(m.pinned for m in group)]
    recent = earlier[-context.RECENT :]
    summaries = [summary.text for summary in view.summaries]
    text = context.prompt([entry(group) for group in recent], summaries, env.millis(), local())
    gone = {message.id for group in recent for message in group}
    return text, view.with_messages([m for m in view.messages if m.id not in gone], [])

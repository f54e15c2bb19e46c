"""What a session's requests cost a provider's cache, turn by turn, under a policy.

A provider serves the unchanged beginning of a request from its cache at about a tenth of the price. So a
context that only grows is cheap for its length, and every compaction pays once for what it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...base.errors import BudgetUnreachable
from ...base.shared_options import beside
from ...session.model import Json, Message
from ...session.ops import apply
from ...session.sources import rendered
from ...session.view import View
from ...tokens import Counter, message_tokens
from ...tokens.formula import overhead, sent
from . import POLICIES
from .plan import HIGH, Settings

CACHED = 0.1  # the price of a token served from the cache, where a new one costs 1
Piece = tuple[object, int]  # what makes a piece of a request the same again, and its tokens
Progress = Callable[[int, int], object]  # is called with how many messages of how many were replayed


@dataclass
class Bill:
    """What requests cost: how many, their tokens, and those served from the cache."""

    requests: int = 0
    input: int = 0
    cached: int = 0
    compactions: int = 0
    context: list[Piece] = field(default_factory=list)  # what stands in the next request
    total: int = 0
    kept: int = 0  # tokens of it that stood in the last request, unchanged and in the same place

    def add(self, piece: Piece) -> None:
        self.context.append(piece)
        self.total += piece[1]

    def change(self, context: Sequence[Piece]) -> None:
        """Another context: what it shares with this one from the start is still in the cache."""
        shared = 0
        for before, now in zip(self.context, context, strict=False):
            if before != now:
                break
            shared += now[1]
        self.kept = min(self.kept, shared)
        self.context = list(context)
        self.total = sum(tokens for _, tokens in context)

    def pay(self) -> None:
        """A request with the context there is."""
        self.requests += 1
        self.input += self.total
        self.cached += self.kept
        self.kept = self.total

    @property
    def cost(self) -> float:
        return self.input - self.cached * (1 - CACHED)


def replay(
    view: View, settings: Settings | None, counter: Counter, progress: Progress | None = None
) -> Json:
    """`requests, input, cached, cost, compactions`, and `relative` to sending everything every time.

    Each model message was a request with all that stood before it, the summaries that the view shows
    included. With settings, the session is compacted as `-i` would, before a request that would be above
    0.85 of the budget; without, nothing ever is.
    """
    everything = _replayed(view, settings or Settings(budget=0), counter, unlimited=True)
    bill = _replayed(view, settings, counter, progress) if settings else everything
    relative = bill.cost / everything.cost if everything.cost else 1.0
    return {
        "requests": bill.requests, "input": bill.input, "cached": bill.cached, "cost": round(bill.cost),
        "compactions": bill.compactions, "relative": round(relative, 4),
    }  # fmt: skip


def _replayed(
    view: View, settings: Settings, counter: Counter, progress: Progress | None = None,
    *, unlimited: bool = False,
) -> Bill:  # fmt: skip
    shown = rendered(view)
    now = shown.with_messages([])
    costs = message_tokens(counter, shown.messages)
    bill = Bill()
    bill.change(_context(now, settings, counter))
    previous: Message | None = None
    for number, (message, cost) in enumerate(zip(shown.messages, costs, strict=True)):
        if not sent(message):
            continue
        if message.role == "model" and (previous is None or previous.role != "model"):
            if bill.total > settings.budget * HIGH and not unlimited:
                if progress is not None:
                    progress(number, len(costs))
                smaller = _compacted(now, settings, counter)
                if smaller is not now:
                    now = smaller
                    bill.compactions += 1
                    bill.change(_context(now, settings, counter))
            bill.pay()
        now.messages.append(message)
        bill.add((message, cost))
        previous = message
    return bill


def _compacted(view: View, settings: Settings, counter: Counter) -> View:
    """The view as `-i` would leave it; the same one where nothing can be done."""
    try:
        plan = POLICIES[settings.policy](view, settings._replace(hysteresis=True), counter)
    except BudgetUnreachable:
        return view
    after = apply(view, plan.ops)
    return after.with_messages(list(after.messages)) if plan.ops else view


def _context(view: View, settings: Settings, counter: Counter) -> list[Piece]:
    """What a request holds: the prompt and tools, each summary of the record of them, each message."""
    whole = counter.history + overhead(counter, settings.system, settings.tools, ())
    context: list[Piece] = [("", counter.scale(whole))]
    texts = [summary.text for summary in view.summaries]
    before = 0
    for count, text in enumerate(texts, 1):
        cost = counter.scale(overhead(counter, None, (), texts[:count]))
        context.append((text, cost - before))
        before = cost
    return [*context, *zip(view.messages, message_tokens(counter, view.messages), strict=True)]


def cache_bill(
    counter: Counter, view: View, budget: int, policy: str, progress: Progress | None = None
) -> Json:
    """`policy, budget`, and what `replay` returns for the session compacted in place to this budget."""
    system, tools = beside(view.meta)
    settings = Settings(budget=budget, policy=policy, system=system, tools=tools)
    return {"policy": policy, "budget": budget, **replay(view, settings, counter, progress)}

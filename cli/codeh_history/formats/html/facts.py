"""What is said of a session before its messages."""

from __future__ import annotations

from decimal import Decimal

from ...providers.usage import billed
from ...session.exchanges import is_prompt
from ...session.fold import View
from ...session.model import Message
from ...tokens.prices import table
from ...views.row import beginning, text_of


def title_of(view: View) -> str:
    """The session's title, else how its first prompt begins, else its id."""
    title = text_of(view.meta.get("title"))
    asked = (prompt_of(message) for message in view.messages if is_prompt(message))
    return title or next((text for text in asked if text), None) or str(view.id or "Conversation")


def prompt_of(message: Message) -> str:
    """How a prompt begins; "" where it says nothing."""
    texts = (part.get("text") for part in message.parts)
    return next((begins for text in texts if isinstance(text, str) and (begins := beginning(text))), "")


def times_of(view: View) -> list[str]:
    return [message.ts for message in view.messages if message.ts]


def models_of(view: View) -> list[str]:
    """The models that answered, in the order in which they first did."""
    return list(dict.fromkeys(str(model) for one in view.messages if (model := one.fields.get("model"))))


def cost_of(view: View) -> Decimal | None:
    """What its answers cost in dollars; None where no price is known of one that used tokens."""
    price = table().price
    costs = [
        price(str(one.fields.get("model")), text_of(one.fields.get("provider")), counts, one.ts)
        for one in view.messages
        if isinstance(usage := one.fields.get("usage"), dict) and (counts := billed(usage))
    ]
    return (
        sum((cost for cost in costs if cost is not None), Decimal())
        if costs and None not in costs
        else None
    )

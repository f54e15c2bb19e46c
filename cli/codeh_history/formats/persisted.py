"""`persisted`: `{recentConversations, summaries, lastSummarized}`, the inverse of its import."""

from __future__ import annotations

import orjson

from ..session.exchanges import exchanges
from ..session.fold import View
from ..session.model import EXTRA
from ..summaries.window import facts, latest
from .entries import beside, written


def export(view: View) -> bytes:
    """The exchanges and summaries that the view shows, and when the last summary was made."""
    made = [facts(summary, view) for summary in view.summaries]
    value = {
        "recentConversations": [written(group) for group in exchanges(view.messages)],
        "summaries": [
            {**one, **beside(summary.fields)} for one, summary in zip(made, view.summaries, strict=True)
        ],
        "lastSummarized": latest([*(one["createdAt"] for one in made), view.meta.get("lastSummarized")]),
    }
    extra = view.meta.get(EXTRA)
    if isinstance(extra, dict):
        value = {**extra, **value}
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"

"""`persisted`: `{recentConversations, summaries, lastSummarized}`, the inverse of its import."""

from __future__ import annotations

import orjson

from ..session import View
from ..summarizers.window import facts, latest
from .entries import entries


def export(view: View) -> bytes:
    """The exchanges and summaries that the view shows, and when the last summary was made."""
    summaries = [facts(summary, view) for summary in view.summaries]
    value = {
        "recentConversations": entries(view.messages),
        "summaries": summaries,
        "lastSummarized": latest([*(s["createdAt"] for s in summaries), view.meta.get("lastSummarized")]),
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2) + b"\n"

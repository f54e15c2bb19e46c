"""Write the context prompt in Markdown: recent exchanges in full, newest first, then the summaries."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from ..base.times import to_millis
from ..base.words import plural
from ..session.labels import labelled, pattern
from .entries import Entry

Local = Callable[[int], datetime]  # epoch milliseconds → local time

RECENT = 10
_OURS = pattern(
    r"#{2,3} (?:Recent Conversation History|Summary of Older|\S.*(?: ago|now|Yesterday|Undated))"
)
_MINUTE, _HOUR = 60_000, 3_600_000
_MARK = re.compile(r"^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+")


def prompt(
    entries: Sequence[Entry], summaries: Sequence[str], now: int, local: Local, recent: int = RECENT
) -> str:
    """Return the context prompt of these exchanges and summaries; "" if there are none.

    `now` is in epoch milliseconds.
    """
    blocks: list[str] = []
    shown = entries[::-1][: max(0, recent)]
    if shown:
        blocks.append("## Recent Conversation History")
        blocks += (_exchange(entry, now, local) for entry in shown)
    bullets = [line for text in summaries for line in _bullets(text)]
    if bullets:
        blocks.append("\n".join(["## Summary of Older Conversations", *bullets]))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _exchange(entry: Entry, now: int, local: Local) -> str:
    lines = [f"### {when(entry['timestamp'], now, local)}"]
    for label, text in (("User", entry["userMessage"]), ("Assistant", entry["assistantResponse"])):
        lines += [labelled(label, text, _OURS)] if text else []
    if entry["toolsUsed"]:
        lines.append(f"Tools: {', '.join(entry['toolsUsed'])}")
    return "\n".join(lines)


def when(ts: str | None, now: int, local: Local) -> str:
    """Return `just now`, `5 minutes ago`, `2 hours ago`, `Yesterday`, `3 days ago`, or the date."""
    then = to_millis(ts) if ts else None
    if then is None:
        return "Undated"
    passed = now - then
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{plural(passed // _MINUTE, 'minute')} ago"
    day = local(then).date()
    days = (local(now).date() - day).days
    if days == 0:
        return f"{plural(passed // _HOUR, 'hour')} ago"
    if days == 1:
        return "Yesterday"
    return f"{plural(days, 'day')} ago" if days < 7 else day.isoformat()


def _bullets(text: str) -> list[str]:
    """Return a summary's lines as bullets; its list items are nested below the line before them."""
    bullets: list[str] = []
    led = False
    for line in text.splitlines():
        mark = _MARK.match(line)
        rest = line[mark.end() :].strip() if mark else line.strip().lstrip("#").strip()
        if not rest:
            continue
        indent = "  " * (int(led) + len(mark[1].expandtabs(2)) // 2) if mark else ""
        bullets.append(f"{indent}- {rest}")
        led = led or not mark
    return bullets

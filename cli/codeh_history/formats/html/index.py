"""The first of many pages: each session with a link to its page, and a field that finds some of them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from ...base.escape import visible
from ...base.words import some
from ...session.fold import View
from . import look
from . import message as messages
from .facts import models_of, times_of, title_of


class Entry(NamedTuple):
    """A session as the index names it: what its page is called, and what is said of it."""

    file: str
    title: str
    models: str
    last: str
    messages: int


def entry(view: View, file: str) -> Entry:
    times = times_of(view)
    return Entry(
        file, title_of(view), ", ".join(models_of(view)), times[-1] if times else "", len(view.messages)
    )


def page(entries: Sequence[Entry]) -> bytes:
    """The index; without its script it is the list, the newest first."""
    ordered = sorted(entries, key=lambda entry: entry.last, reverse=True)
    rows = "\n".join(map(_row, ordered))
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Title", "Last", "Messages", "Models"))
    return look.page(
        "Sessions",
        [
            "<main><h1>Sessions</h1>",
            f'<ul class="facts"><li>{some(len(entries), "session")}</li></ul>',
            '<input type="search" aria-label="Find sessions" placeholder="Find" hidden>',
            f"<table><thead><tr>{heads}</tr></thead>",
            f"<tbody>\n{rows}\n</tbody></table></main>",
        ],
        look.SEEK,
    )


def _row(entry: Entry) -> str:
    title = f'<a href="{escape(quote(entry.file))}">{escape(visible(entry.title))}</a>'
    last = messages.time(entry.last) if entry.last else ""
    return (
        f'<tr><td>{title}</td><td>{last}</td><td class="number">{entry.messages}</td>'
        f"<td>{escape(visible(entry.models))}</td></tr>"
    )

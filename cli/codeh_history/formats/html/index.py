"""The first of many pages: a link to the page of each session."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from ...base.escape import visible
from ...session.fold import View
from . import look
from . import message as messages
from .facts import times_of, title_of


class Entry(NamedTuple):
    """A session in the index: the file of its page, its title, and when its last message came."""

    file: str
    title: str
    last: str


def entry(view: View, file: str) -> Entry:
    return Entry(file, title_of(view), (times_of(view) or [""])[-1])


def page(entries: Sequence[Entry]) -> bytes:
    """The list, the newest first."""
    newest = sorted(entries, key=lambda entry: entry.last, reverse=True)
    return look.page("Sessions", ["<main><h1>Sessions</h1><ul>", *map(_line, newest), "</ul></main>"])


def _line(entry: Entry) -> str:
    last = f" {messages.time(entry.last)}" if entry.last else ""
    return f'<li><a href="{escape(quote(entry.file))}">{escape(visible(entry.title))}</a>{last}</li>'

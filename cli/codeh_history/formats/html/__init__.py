"""`html`: a conversation as a self-contained page to read, print or share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from html import escape
from urllib.parse import quote

from ...base.escape import safe, visible
from ...base.words import plural
from ...providers.usage import billed
from ...render import parts
from ...session.exchanges import is_prompt
from ...session.model import Json
from ...session.view import View
from ...tokens.prices import table
from ...views.rows import first_words, text_of
from . import look
from . import message as messages

LONG = 8  # least number of prompts for a table of contents
CENT = Decimal("0.01")


def export(view: View) -> bytes:
    """Export title, facts, system prompt, table of contents, summaries, messages and references.

    Users' texts are shown as typed. The model's are rendered from Markdown, without HTML and images.
    """
    title = escape(visible(title_of(view)))
    references = parts.references(view.messages)
    notes = "".join(_reference(number, reference) for number, reference in references.items())
    system = text_of(view.meta.get("system"))
    shown = [messages.folded("system", "System prompt", messages.typed(system))] if system else []
    body = [f"<h1>{title}</h1>", _facts(view), *shown, *_contents(view), "<main>"]
    body += [messages.summary(summary.text) for summary in view.summaries]
    body += [
        messages.article(number, message, references.keys())
        for number, message in enumerate(view.messages, 1)
    ]
    body += [f"<ol>{notes}</ol>"] if notes else []
    return look.page(title, [*body, "</main>"])


def index(entries: Sequence[tuple[str, str]]) -> bytes:
    """Return a page with links to the pages `entries`, each a file and a title."""
    links = (f'<li><a href="{escape(quote(file))}">{escape(visible(title))}</a>' for file, title in entries)
    return look.page("Sessions", ["<main><h1>Sessions</h1><ul>", *links, "</ul></main>"])


def title_of(view: View) -> str:
    """Return the session's title, else the beginning of its first prompt, else its id."""
    prompts = (first_words(message) for message in view.messages if is_prompt(message))
    return text_of(view.meta.get("title")) or next(filter(None, prompts), "") or view.id or "Conversation"


def _facts(view: View) -> str:
    """Format models, period, number of messages and cost."""
    models = list(
        dict.fromkeys(str(model) for message in view.messages if (model := message.fields.get("model")))
    )
    times = [messages.time(message.ts) for message in view.messages if message.ts]
    shown = [escape(visible(", ".join(models)))] if models else []
    shown += [" to ".join([times[0], times[-1]] if len(times) > 1 else times)] if times else []
    shown.append(plural(len(view.messages), "message"))
    cost = _cost(view)
    if cost:
        shown.append(f"${cost:.2f}" if cost >= CENT else "less than $0.01")
    return f'<ul class="facts">{"".join(f"<li>{fact}</li>" for fact in shown)}</ul>'


def _cost(view: View) -> Decimal | None:
    """Return the cost of the answers in dollars; None if the price of one is unknown."""
    costs = [
        table().price(str(fields.get("model")), text_of(fields.get("provider")), counts, message.ts)
        for message in view.messages
        if isinstance(usage := (fields := message.fields).get("usage"), dict) and (counts := billed(usage))
    ]
    return None if None in costs else sum(filter(None, costs), Decimal())


def _contents(view: View) -> Iterator[str]:
    prompts = [(number, message) for number, message in enumerate(view.messages, 1) if is_prompt(message)]
    if len(prompts) < LONG:
        return
    items = "".join(
        f'<li value="{number}"><a href="#m{number}">{escape(visible(first_words(prompt) or "…"))}</a></li>'
        for number, prompt in prompts
    )
    yield f"<nav><details><summary>{len(prompts)} prompts</summary><ol>{items}</ol></details></nav>"


def _reference(number: int, reference: Json) -> str:
    title = escape(safe(str(reference.get("title") or reference.get("id", ""))))
    url = str(reference.get("url") or "")
    if url.startswith(("https://", "http://")):
        title = f'<a rel="noreferrer" href="{escape(safe(url))}">{title or escape(safe(url))}</a>'
    return f'<li id="reference-{number}" value="{number}">{title}</li>'

"""`html`: a conversation as one page to read, to print or to share; it loads nothing."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from html import escape

from ...base.escape import safe, visible
from ...base.words import some
from ...session.exchanges import is_prompt
from ...session.fold import View
from ...session.model import Json
from .. import markdown
from . import facts, look, text
from . import message as messages

LONG = 8  # prompts that need a table of contents
CENT = Decimal("0.01")


def export(view: View) -> bytes:
    """Title and facts, system prompt, contents of a long one, summaries, messages, references.

    Users' texts are as they were typed, the model's are Markdown, without its HTML and images.
    """
    title = escape(visible(facts.title_of(view)))
    found = markdown.references(view)
    notes = "".join(_reference(number, reference) for number, reference in found.items())
    body = [f"<h1>{title}</h1>", *_facts(view), *_system(view), *_contents(view), "<main>"]
    body += [messages.summary(summary.text) for summary in view.summaries]
    body += [
        messages.article(number, message, found.keys()) for number, message in enumerate(view.messages, 1)
    ]
    body += [f"<ol>{notes}</ol>"] if notes else []
    return look.page(title, [*body, "</main>"])


def _facts(view: View) -> Iterator[str]:
    """When, with which models, how much."""
    times, models, cost = facts.times_of(view), facts.models_of(view), facts.cost_of(view)
    shown = [escape(visible(", ".join(models)))] if models else []
    if times:
        shown.append(
            messages.time(times[0]) + (f" to {messages.time(times[-1])}" if len(times) > 1 else "")
        )
    shown.append(some(len(view.messages), "message"))
    if cost:
        shown.append(f"${cost:.2f}" if cost >= CENT else "less than $0.01")
    yield f'<ul class="facts">{"".join(f"<li>{fact}</li>" for fact in shown)}</ul>'


def _system(view: View) -> Iterator[str]:
    system = view.meta.get("system")
    if isinstance(system, str) and system:
        yield text.folded("system", "System prompt", text.typed(system))


def _contents(view: View) -> Iterator[str]:
    prompts = [(number, one) for number, one in enumerate(view.messages, 1) if is_prompt(one)]
    if len(prompts) < LONG:
        return
    items = "".join(
        f'<li value="{number}"><a href="#m{number}">{escape(visible(facts.prompt_of(one) or "…"))}</a></li>'
        for number, one in prompts
    )
    yield f"<nav><details><summary>{len(prompts)} prompts</summary><ol>{items}</ol></details></nav>"


def _reference(number: int, reference: Json) -> str:
    title = escape(safe(str(reference.get("title") or reference.get("id", ""))))
    url = str(reference.get("url") or "")
    if url.startswith(("https://", "http://")):
        title = f'<a rel="noreferrer" href="{escape(safe(url))}">{title or escape(safe(url))}</a>'
    return f'<li id="reference-{number}" value="{number}">{title}</li>'

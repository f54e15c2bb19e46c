"""`html`: a conversation as a self-contained page to read, print or share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from decimal import Decimal
from functools import cache, partial
from html import escape, unescape
from urllib.parse import quote

from ...base.escape import safe, visible
from ...base.words import plural
from ...providers.usage import billed
from ...render import parts
from ...render.parts import Item
from ...session.exchanges import is_prompt
from ...session.model import Json, Message, Part
from ...session.view import View
from ...tokens.prices import table
from ...views.rows import first_words, text_of
from .. import markdown
from . import look

LONG = 8  # least number of prompts for a table of contents
CENT = Decimal("0.01")
# Types that cannot contain scripts, unlike SVG.
_PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_LINE = 100  # most characters of a call or result in its folded line
_MINUTE = len("2026-01-02T03:04")
_TAG = re.compile(r"(<[^>]*>)")
# HTML (but not `<https://…>` and `<name@host>`), images, and links to scripts, files or data are shown
# literally: a mark after their first character hides them from the parser. Escaped text never contains the
# mark.
_ACTS = r"(?i:javascript|vbscript|file|data(?!:image/)):"
_INERT = re.compile(
    rf"<(?=[A-Za-z/!?])(?<!]\(<)(?!(?!{_ACTS})[A-Za-z][^\s<>:@]*[:@][^\s<>]*>)|!(?=\[)|](?=[(:]\s*<?{_ACTS})"
)
_MARK = "\x01"
_SOURCE = re.compile(r"\[\^(\d+)\]")  # a citation written by `markdown`
_CODE = re.compile(r'(<pre><code class="language-([^"]*)">)([^<]*)')
_LONGEST = 20_000  # most characters of a block to highlight
_WIDE = re.compile(r"^(?:[^|\n]*\|){250}", re.MULTILINE)  # comrak's time is quadratic in columns


def export(view: View) -> bytes:
    """Export title, facts, system prompt, table of contents, summaries, messages and references.

    Users' texts are shown as typed. The model's are rendered from Markdown, without HTML and images.
    """
    title = escape(visible(title_of(view)))
    references = parts.references(view.messages)
    notes = "".join(_reference(number, reference) for number, reference in references.items())
    system = text_of(view.meta.get("system"))
    shown = [folded("system", "System prompt", typed(system))] if system else []
    body = [f"<h1>{title}</h1>", _facts(view), *shown, *_contents(view), "<main>"]
    body += [summary(item.text) for item in view.summaries]
    body += [article(number, message, references.keys()) for number, message in enumerate(view.messages, 1)]
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
    times = [time(message.ts) for message in view.messages if message.ts]
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


# -- a message as an article: readable text, with calls and results folded into one line each ------------


def article(number: int, message: Message, references: Collection[int]) -> str:
    """Format a message with a link to itself; its citations of these references become links."""
    kind = escape(message.kind)
    head = markdown.NAMES.get(message.kind, kind)
    if message.ts:
        head += f" {time(message.ts)}"
    model = message.fields.get("model")
    if isinstance(model, str):
        head += f" <small>{escape(safe(model))}</small>"
    if not message.committed:
        head += " <small>pending</small>"
    head += f' <a href="#m{number}" aria-label="Link to message {number}">:{number}</a>'
    shown = message.parts if message.committed else message.pending or []
    body = ""
    for part, name in zip(shown, parts.names(shown, message), strict=True):
        blob = part.get("inlineData") or {}
        mime, data = str(blob.get("mimeType")), str(blob.get("data", ""))
        if mime in _PICTURES and _BASE64.fullmatch(data):
            body += f'<p><img alt="{mime}" src="data:{mime};base64,{data}"></p>\n'
        else:
            body += "".join(_item(item, message, part, references) for item in parts.of(part, name))
    return f'<article id="m{number}" class="{kind}"><header>{head}</header>\n{body}</article>'


def summary(body: str) -> str:
    """Format a summary."""
    return f'<article class="summary"><header>Summary</header>\n{rendered(body)}</article>'


def time(ts: str) -> str:
    """Format a time in UTC, to the minute; the page's script converts it to the reader's zone."""
    shown = f"{ts[:_MINUTE].replace('T', ' ')} UTC" if ts.endswith("Z") and len(ts) > _MINUTE else ts
    return f'<time datetime="{escape(ts)}">{escape(shown)}</time>'


def _item(item: Item, message: Message, part: Part, references: Collection[int]) -> str:
    name = f"<code>{escape(visible(item.name))}</code>"
    match item.what:
        case "text" if message.role == "model":
            return rendered(markdown.part_text(part, references))
        case "text":
            return typed(item.body)
        case "thought":
            return folded("thought", f"Thought{_beginning(item.body)}", rendered(item.body))
        case "call":
            values = item.value.values() if isinstance(item.value, dict) else ()
            first = next((text for text in values if isinstance(text, str) and text.strip()), "")
            return folded("call", name + _beginning(first), _arguments(item))
        case "result":
            lines = item.body.count("\n") + 1
            size = f", {lines} lines" if lines > 1 else ""
            return folded("result", f"Result of {name}{size}{_beginning(item.body)}", block(item.body))
        case _:
            return f'<p class="file">[{escape(visible(item.head))}]</p>\n'


def _arguments(item: Item) -> str:
    """Format a call's arguments, each under its name, with strings as plain text."""
    if not isinstance(item.value, dict) or not item.value:
        return block(item.body)
    return "".join(
        f"<p><code>{escape(visible(name))}</code></p>\n"
        + block(value if isinstance(value, str) else parts.compact(value))
        for name, value in item.value.items()
    )


def _beginning(body: str) -> str:
    """Return a colon and the first line of a text; "" if it is blank."""
    line = body[: 8 * _LINE].strip().partition("\n")[0].rstrip()
    short = line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
    return f": {escape(visible(short))}" if short else ""


def typed(text: str) -> str:
    """Format a text as typed, with its lines and spaces, without Markdown."""
    return f'<div class="typed">{escape(safe(text))}</div>\n'


def block(text: str) -> str:
    """Format a text as a scrolling block."""
    return f"<pre><code>{escape(safe(text))}</code></pre>\n"


def folded(kind: str, head: str, body: str) -> str:
    """Format a body that is folded below a heading; both are already HTML."""
    return f'<details class="{kind}"><summary>{head}</summary>\n{body}</details>\n'


def rendered(text: str) -> str:
    """Convert Markdown to HTML with highlighted code; citations become links to references."""
    marked = _INERT.sub(lambda match: match[0] + _MARK, safe(text))
    page = _renderer(tables=not _WIDE.search(marked))(marked).replace(_MARK, "")
    if "[^" in page:
        page = "".join(
            piece if piece.startswith("<") else _SOURCE.sub(r'<a href="#reference-\1">[\1]</a>', piece)
            for piece in _TAG.split(page)
        )
    return _CODE.sub(_highlight, page) if "<pre><code class" in page else page


def _highlight(match: re.Match[str]) -> str:
    """Highlight a block of code."""
    from ...render import code

    if len(match[3]) > _LONGEST:
        return match[0]
    pieces = code.pieces(unescape(match[3]), unescape(match[2]))
    spans = (
        f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text) for kind, text in pieces
    )
    return match[1] + "".join(spans)


@cache
def _renderer(*, tables: bool) -> Callable[[str], str]:
    """Return a CommonMark renderer whose time is linear in the text."""
    from comrak import ExtensionOptions, RenderOptions, render_markdown

    extensions, rendering = ExtensionOptions(), RenderOptions()
    extensions.table = tables
    rendering.escape = True
    rendering.hardbreaks = True  # keep line breaks, as in poems and tracebacks
    return partial(render_markdown, extension_options=extensions, render_options=rendering)

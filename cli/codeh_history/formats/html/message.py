"""A message as an article of the page: text to read, what tools did folded behind one line each."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from ...base.escape import safe, visible
from ...render import parts
from ...render.parts import Item
from ...session.model import Message, Part
from .. import markdown
from . import text

# What a browser shows as a picture and nothing else: SVG may carry scripts.
_PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_LINE = 100  # characters of what a call or result says in the line that it is folded behind


def article(number: int, message: Message, known: Collection[int]) -> str:
    """A message with a link to itself; `known` references can be cited."""
    found = message.parts if message.committed else message.pending or []
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
    body = _body(message, found, known)
    return f'<article id="m{number}" class="{kind}"><header>{head}</header>\n{body}</article>'


def summary(body: str) -> str:
    """What stands for messages that were summarised."""
    return f'<article class="summary"><header>Summary</header>\n{text.rendered(body)}</article>'


def time(ts: str) -> str:
    """A time in UTC, to the minute; the page's script shows it on the reader's clock."""
    shown = (
        f"{ts[:16].replace('T', ' ')} UTC" if ts.endswith("Z") and len(ts) > len("2026-01-02T03:04") else ts
    )
    return f'<time datetime="{escape(ts)}">{escape(shown)}</time>'


def _body(message: Message, found: Collection[Part], known: Collection[int]) -> str:
    shown = []
    for part, name in zip(found, parts.names(found, message), strict=True):
        picture = _picture(part)
        shown += (
            [picture] if picture else [_item(item, message, part, known) for item in parts.of(part, name)]
        )
    return "".join(shown)


def _picture(part: Part) -> str:
    blob = part.get("inlineData")
    if isinstance(blob, dict) and str(blob.get("mimeType")) in _PICTURES:
        data = str(blob.get("data", ""))
        if _BASE64.fullmatch(data):
            return f'<p><img alt="{blob["mimeType"]}" src="data:{blob["mimeType"]};base64,{data}"></p>\n'
    return ""


def _item(item: Item, message: Message, part: Part, known: Collection[int]) -> str:
    match item.what:
        case "text" if message.role == "model":
            return text.rendered(markdown.part_text(part, known))
        case "text":
            return text.typed(item.body)
        case "thought":
            return text.folded("thought", f"Thought{_beginning(item.body)}", text.rendered(item.body))
        case "call":
            head = f"<code>{escape(visible(item.name))}</code>{_beginning(_said(item.value))}"
            return text.folded("call", head, _arguments(item))
        case "result":
            lines = item.body.count("\n") + 1
            size = f", {lines} lines" if lines > 1 else ""
            head = f"Result of <code>{escape(visible(item.name))}</code>{size}{_beginning(item.body)}"
            return text.folded("result", head, text.block(item.body))
        case _:
            return f'<p class="file">[{escape(visible(item.head))}]</p>\n'


def _arguments(item: Item) -> str:
    """A call's arguments: each under its name, texts as they are."""
    if not isinstance(item.value, dict) or not item.value:
        return text.block(item.body)
    return "".join(
        f"<p><code>{escape(visible(name))}</code></p>\n"
        + text.block(value if isinstance(value, str) else parts.compact(value))
        for name, value in item.value.items()
    )


def _said(value: object) -> str:
    """What says most shortly what a call is about: its first text."""
    if isinstance(value, dict):
        return next((text for text in value.values() if isinstance(text, str) and text.strip()), "")
    return ""


def _beginning(body: str) -> str:
    """The first line of a text, behind a colon; nothing where there is none."""
    line = body[: 8 * _LINE].strip().partition("\n")[0].rstrip()
    short = line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
    return f": {escape(visible(short))}" if short else ""

"""`html`: a conversation as one page to read or to share, that loads nothing and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache, partial
from html import escape

from ..base.escape import safe
from ..session.fold import View
from ..session.model import Json, Message, Part
from . import markdown

# What a browser shows as a picture and nothing else: SVG may carry scripts.
_PICTURES = {"image/png", "image/jpeg", "image/gif", "image/webp"}
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_TAG = re.compile(r"(<[^>]*>)")
# HTML (`<https://…>` and `<name@host>` are none), pictures, and links that act or leave the web are shown
# as written: a mark behind their first sign, which no safe text holds, keeps the parser from seeing them.
_ACTS = r"(?i:javascript|vbscript|file|data(?!:image/)):"
_INERT = re.compile(
    rf"<(?=[A-Za-z/!?])(?<!]\(<)(?!(?!{_ACTS})[A-Za-z][^\s<>:@]*[:@][^\s<>]*>)|!(?=\[)|](?=[(:]\s*<?{_ACTS})"
)
_MARK = "\x01"
_SOURCE = re.compile(r"\[\^(\d+)\]")  # as `markdown` writes a citation
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui,sans-serif}
body{overflow-wrap:break-word}
article{margin:1.5rem 0;padding-left:1rem;border-left:4px solid #bbb}
article.user{border-color:#36c}article.codeh{border-color:#393}article.error{border-color:#c33}
header{font-weight:600}header time,header small{font-weight:400;color:#777;margin-left:.5rem}
pre{overflow:auto;max-height:24rem;padding:.75rem;background:#8881}img{max-width:100%}
blockquote{margin:0;padding-left:1rem;color:#777;border-left:2px solid #bbb}
table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2rem .5rem}
:root{color-scheme:light dark}
""".strip()


def export(view: View) -> bytes:
    """Title, summaries, messages, references; texts are Markdown, without its HTML and images.

    The page's own policy forbids scripts and every request, so that what a model wrote can neither act nor
    report that somebody reads it.
    """
    title = escape(safe(str(view.meta.get("title") or view.id or "Conversation")))
    found = markdown.references(view)
    notes = "".join(_reference(number, reference) for number, reference in found.items())
    return "\n".join((
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{title}</h1>",
        *(_article("summary", "Summary", _rendered(summary.text)) for summary in view.summaries),
        *(_message(message, found.keys()) for message in view.messages),
        *([f"<ol>{notes}</ol>"] if notes else []),
        "</body></html>\n",
    )).encode("utf-8", "replace")  # fmt: skip


def _message(message: Message, known: Collection[int]) -> str:
    parts = message.parts if message.committed else message.pending or []
    head = escape(markdown.NAMES.get(message.kind, message.kind))
    if message.ts:
        head += f"<time>{escape(message.ts)}</time>"
    model = message.fields.get("model")
    if isinstance(model, str):
        head += f"<small>{escape(safe(model))}</small>"
    if not message.committed:
        head += "<small>pending</small>"
    return _article(message.kind, head, "".join(_part(part, known) for part in parts))


def _article(kind: str, head: str, body: str) -> str:
    return f'<article class="{kind}"><header>{head}</header>\n{body}</article>'


def _part(part: Part, known: Collection[int]) -> str:
    blob = part.get("inlineData")
    if isinstance(blob, dict) and blob.get("mimeType") in _PICTURES:
        data = str(blob.get("data", ""))
        if _BASE64.fullmatch(data):
            return f'<p><img alt="" src="data:{blob["mimeType"]};base64,{data}"></p>\n'
    return _rendered(markdown.part_text(part, known))


def _rendered(text: str) -> str:
    """Markdown as HTML; a citation becomes a link to its reference."""
    marked = _INERT.sub(lambda found: found[0] + _MARK, safe(text))
    page = _renderer()(marked).replace(_MARK, "")
    if "[^" not in page:
        return page
    pieces = _TAG.split(page)
    return "".join(
        piece if piece.startswith("<") else _SOURCE.sub(r'<a href="#reference-\1">[\1]</a>', piece)
        for piece in pieces
    )


@cache
def _renderer() -> Callable[[str], str]:
    """CommonMark with tables, in time that grows as the text does, whatever it repeats."""
    from comrak import ExtensionOptions, RenderOptions, render_markdown

    extensions, rendering = ExtensionOptions(), RenderOptions()
    extensions.table = True
    rendering.escape = True
    return partial(render_markdown, extension_options=extensions, render_options=rendering)


def _reference(number: int, reference: Json) -> str:
    title = escape(safe(str(reference.get("title") or reference.get("id", ""))))
    url = str(reference.get("url") or "")
    if url.startswith(("https://", "http://")):
        title = f'<a rel="noreferrer" href="{escape(safe(url))}">{title or escape(safe(url))}</a>'
    return f'<li id="reference-{number}" value="{number}">{title}</li>'

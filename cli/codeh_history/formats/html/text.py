"""Texts as HTML: a model's Markdown, code in colours, and whatever it holds unable to act."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from html import escape, unescape

from ...base.escape import safe

_TAG = re.compile(r"(<[^>]*>)")
# HTML (`<https://…>` and `<name@host>` are none), pictures, and links that act or leave the web are shown
# as written: a mark behind their first sign, which no safe text holds, keeps the parser from seeing them.
_ACTS = r"(?i:javascript|vbscript|file|data(?!:image/)):"
_INERT = re.compile(
    rf"<(?=[A-Za-z/!?])(?<!]\(<)(?!(?!{_ACTS})[A-Za-z][^\s<>:@]*[:@][^\s<>]*>)|!(?=\[)|](?=[(:]\s*<?{_ACTS})"
)
_MARK = "\x01"
_SOURCE = re.compile(r"\[\^(\d+)\]")  # as `markdown` writes a citation
_CODE = re.compile(r'(<pre><code class="language-([^"]*)">)([^<]*)')
LONGEST = 20_000  # characters of one block that are coloured


def rendered(text: str) -> str:
    """Markdown as HTML; a citation becomes a link to its reference."""
    marked = _INERT.sub(lambda found: found[0] + _MARK, safe(text))
    page = _renderer()(marked).replace(_MARK, "")
    if "[^" in page:
        pieces = _TAG.split(page)
        page = "".join(
            piece if piece.startswith("<") else _SOURCE.sub(r'<a href="#reference-\1">[\1]</a>', piece)
            for piece in pieces
        )
    return _CODE.sub(_coloured, page) if "<pre><code class" in page else page


def _coloured(block: re.Match[str]) -> str:
    """A block of code in its language's colours."""
    from ...render import code

    if len(block[3]) > LONGEST:
        return block[0]
    pieces = code.pieces(unescape(block[3]), unescape(block[2]))
    spans = (
        f'<span class="{kind}">{escape(text)}</span>' if kind else escape(text) for kind, text in pieces
    )
    return block[1] + "".join(spans)


@cache
def _renderer() -> Callable[[str], str]:
    """CommonMark with tables, in time that grows as the text does, whatever it repeats."""
    from comrak import ExtensionOptions, RenderOptions, render_markdown

    extensions, rendering = ExtensionOptions(), RenderOptions()
    extensions.table = True
    rendering.escape = True
    rendering.hardbreaks = True  # of poems and tracebacks too
    return partial(render_markdown, extension_options=extensions, render_options=rendering)


def typed(text: str) -> str:
    """A text as it was typed: its lines and blanks, no Markdown."""
    return f'<div class="typed">{escape(safe(text))}</div>\n'


def block(text: str) -> str:
    """A text as a block of its own that scrolls in itself."""
    return f"<pre><code>{escape(safe(text))}</code></pre>\n"


def folded(kind: str, head: str, body: str) -> str:
    """What is seen once somebody asks for it, behind one line that is HTML already."""
    return f'<details class="{kind}"><summary>{head}</summary>\n{body}</details>\n'

"""Separate an author's own words from pasted text: code, logs, quotes, tags, documents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import prose

_TAG = re.compile(r"\s*<(/?)([a-zA-Z][\w-]*)[^<>]*>")
_CODE = re.compile(r"\s*(?:import|from|export|using|use|require|package|#include)\b.*[;'\">)}]$")
_FIELD = re.compile(r"\s*(?:[a-z_][\w.-]*\s*[:=]\s|[\"'{}\[\]|$>])")
_PRINTED = re.compile(
    r"\s*(?:(?:API )?[\w.]*(?:Error|Exception|Warning)(?:\[\w+\])?: |npm (?i:warn|err!|error) )"
)
_DOCUMENT = re.compile(r"\s*#{1,6} |---+\s*$")  # a document begins; everything after it belongs to it
_LETTER = re.compile(r"(?:Hi|Hello|Dear|Hallo|Liebe\w*)\b[^.!?]{0,40},\s*$")
_SHOWN = re.compile(  # code, data, a quote
    r" {4}|\t|\s*[-*+] [a-z_][\w.-]*: "
    '|\\s*["\u201c-\u201f\xab\xbb\u2018\u201a].*["\u201c-\u201f\xab\xbb\u2019]\\s*$'
)
PASTED = 1_200  # characters of a message that may state a rule
ROWS = 25  # and lines
LONG = 2_000  # characters of a message after which text counts as pasted


def rows(text: str, most: float = LONG, *, user: bool = False) -> Iterator[tuple[str, bool, bool]]:
    """Yield each line of a text, whether its author wrote it, and whether it may state a rule.

    Text after `most` characters counts as pasted, and so does a document announced by a line that ends in
    a colon. Lines far down state no rules, nor do lines of a user's text in a document, a letter, a quote
    or data.
    """
    fence = tag = ""
    seen = 0
    document = pasted = announced = shown = False
    for number, line in enumerate(text.split("\n")):
        seen += len(line)
        opened = _TAG.match(line)
        before, fence = fence, prose.fence_after(line.strip(), fence)
        if before or fence:
            yield line, False, False
            continue
        if opened is not None:
            tag = opened[2] if not opened[1] and f"</{opened[2]}>" not in line else ""
            yield line, False, False
            continue
        own = seen <= most and not (tag or line.lstrip()[:1] == ">" or _FIELD.match(line))
        own = own and not (_CODE.match(line) or _PRINTED.match(line)) and prose.is_prose(line.strip())
        begins = user and not document and _begins_document(line, number)
        pasted, document = pasted or (begins and announced), document or begins
        announced = line.rstrip().endswith(":") if line.strip() else announced
        own = own and not pasted and not (user and shown and line[:1] == " ")  # a shown line, wrapped
        shown = bool(line.strip()) and not own
        early = seen <= PASTED and number < ROWS
        yield line, own, early and not (document or (user and _SHOWN.match(line)))


def _begins_document(line: str, number: int) -> bool:
    return _DOCUMENT.match(line) is not None or (number > 0 and _LETTER.match(line) is not None)

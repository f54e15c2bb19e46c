"""What people write: their own words as opposed to pasted text, sentences, and texts cut at a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..base.lazy import Pattern

PASTED, ROWS = 1_200, 25  # characters, and lines, of a message that may state a rule
LONG = 2_000  # characters of a message after which text counts as pasted
LONG_FILLER = 60  # characters: nobody is so polite
_BLANK = 50  # characters of a text for each that is shown: nearly all of more would have to be blanks
_NEAR = 60  # characters before the end of a sentence that tell whether it is one

_END = Pattern(  # begins with one set of signs, so that what holds none is passed over fast
    r"[.!?。！？；](?:(?<=[.!?])[\"')\]*_]*\s+(?=[^\s(])|(?<=[。！？；])[”’」』）]*(?=\S))"
)
_ABBREVIATION = Pattern(
    r"(?i)(?:^|[\s(])(?:(?:\w\.)+\w|etc|vs|cf|approx|inc|prof|dr|mr|mrs|ms|no|\w|\d+)\.$"
)
_ODD = Pattern("[^\\w ,.'\u2019\"!?`/-]")  # what prose has little of
_PLAIN = bytes(number for number in range(128) if not _ODD.match(chr(number)))
_NOISE = Pattern(
    r"^(?:[$>\u276f➜%|+\[]|at \S+ \(|File \"|Traceback|\d+[:|]|[─━═│┌└├]{2,}|['\"]?/(?:[\w.-]+/){2,})"
)
_TAG = Pattern(r"\s*<(/?)([a-zA-Z][\w-]*)[^<>]*>")
_DATA = Pattern(  # code, a field, an error
    r"\s*(?:(?:import|from|export|using|use|require|package|#include)\b.*[;'\">)}]$"
    r"|[a-z_][\w.-]*\s*[:=]\s|[\"'{}\[\]|$>]"
    r"|(?:API )?[\w.]*(?:Error|Exception|Warning)(?:\[\w+\])?: |npm (?i:warn|err!|error) )"
)
_DOCUMENT = Pattern(r"\s*#{1,6} |---+\s*$")  # a document begins; everything after it belongs to it
_WORDS = Pattern(r"\w+")
_MARKER = Pattern(r"[>=<*#-]{2,} ?.*\b(?:(START|BEGIN)|END)\b")  # around a quoted text
_PATH = Pattern(r"\s*['\"]?(?:/[^\s/]+)+['\"]?$")  # alone, as of a screenshot
_LETTER = Pattern(r"(?:Hi|Hello|Dear|Hallo|Liebe\w*)\b[^.!?]{0,40},\s*$")
_SHOWN = Pattern(  # code, data, a quote
    r" {4}|\t|\s*[-*+] [a-z_][\w.-]*: "
    '|\\s*["\u201c-\u201f\xab\xbb\u2018\u201a].*["\u201c-\u201f\xab\xbb\u2019]\\s*$'
)
_FILLER = frozenset("""
ok okay yes yeah yep no nope continue go on ahead thanks thank you thx great perfect nice good cool sure
please done next proceed again try hi hello hey do it that so very much a lot weiter ja nein gut super danke
dir vielen right hmm sounds looks all then alright fine your help for i appreciate wow
好 好的 谢谢 继续 是的 可以
""".split())  # fmt: skip


def rows(text: str, most: float = LONG, *, user: bool = False) -> Iterator[tuple[str, bool, bool]]:
    """Yield each line of a text, whether its author wrote it, and whether it may state a rule.

    Code, logs, quotes, tags, text between markers and text after `most` characters count as pasted, and so
    does a document announced by a line that ends in a colon. Lines far down state no rules, nor do lines of
    a user's text in a document, a letter, a quote or data.
    """
    fence = tag = ""
    seen = 0
    document = pasted = announced = quoted = False
    lines = text.split("\n")
    within = _within_logs(lines) if user else ()
    for number, line in enumerate(lines):
        seen += len(line)
        opened = _TAG.match(line)
        before, fence = fence, fence_after(line.strip(), fence)
        fenced = bool(before or fence)
        if opened is not None and not fenced:
            tag = opened[2] if not opened[1] and f"</{opened[2]}>" not in line else ""
        marker = _MARKER.match(line) if user else None
        quoted = bool(marker[1]) if marker else quoted
        if fenced or opened is not None or quoted:
            yield line, False, False
            continue
        begins = user and not document
        begins = begins and bool(_DOCUMENT.match(line) or (number > 0 and _LETTER.match(line)))
        pasted, document = pasted or (begins and announced), document or begins
        announced = line.rstrip().endswith(":") if line.strip() else announced
        own = seen <= most and not (tag or pasted or number in within) and is_prose(line)
        early = seen <= PASTED and number < ROWS
        yield line, own, early and not (document or (user and _SHOWN.match(line)))


def quoting(text: str, *, quoted: bool) -> bool:
    """Whether a quotation between markers continues after a text, given whether one was open before it."""
    markers = (match for line in text.split("\n") if (match := _MARKER.match(line)))
    for marker in markers:
        quoted = marker[1] is not None
    return quoted


def _within_logs(lines: Sequence[str]) -> set[int]:
    """The numbers of a user's lines that stand between lines of code or a log without a blank line, or are
    indented after one.
    """
    within: set[int] = set()
    since: list[int] | None = None  # lines of prose after one of a log
    for number, line in enumerate(lines):
        if not line.strip():
            since = None
        elif not is_prose(line):
            within.update(since or ())
            since = [] if not _PATH.match(line) else since
        elif since is not None:
            since.append(number)
            if line[:1] == " ":
                within.update(since)
    return within


def is_prose(line: str) -> bool:
    """Whether a line is prose, not a log, a prompt, a table, data or code."""
    line, whole = line.strip(), line
    if len(line) < 2 or _NOISE.match(line) or _DATA.match(whole):
        return False
    if line.isascii():  # several times as fast
        odd = len(line.encode().translate(None, _PLAIN))
    else:
        odd = len(_ODD.findall(line))
    return odd <= 0.2 * len(line) and not line.endswith(("{", "};", ");"))


def fence_after(line: str, open: str) -> str:
    """Return the code fence that is open after this line ("": none), given the one before it."""
    mark = line[:3]
    if not open:
        return mark if mark in ("```", "~~~") and mark not in line[3:] else ""
    return "" if mark == open and not line.strip(mark[0]) else open


def split(line: str) -> list[str]:
    """Split a line into sentences."""
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(line):
        before = line[max(start, end.end() - _NEAR) : end.end()].split()
        if not _ABBREVIATION.search(before[-1]):
            sentences.append(line[start : end.end()].strip())
            start = end.end()
    return [*sentences, rest] if (rest := line[start:].strip()) else sentences


def is_filler(text: str) -> bool:
    """Whether a text has no content: `ok, thanks!`, a slash command alone."""
    if len(text) > LONG_FILLER:
        return False
    words = text.lower().strip(" .,!?…#。！？，")
    return (words[:1] == "/" and " " not in words) or _FILLER.issuperset(_WORDS.findall(words))


def clip(text: str, room: int) -> str:
    """Return the text on one line, at most `room` characters, cut at a word and never inside a URL.

    A shortened URL would lead elsewhere, so a text that begins with one may be longer.
    """
    text = " ".join(text[: room * _BLANK].split(None, room // 2 + 1))  # more words are too long in any case
    if len(text) <= room:
        return text
    head = text[: max(room - 1, 1)]
    cut = head.rfind(" ")
    word = text[cut + 1 :].partition(" ")[0]
    if "://" in word:
        return text if word == text else (head[:cut].rstrip(" ,;:") if cut > 0 else word) + "…"
    return (head[:cut] if cut > room // 2 else head).rstrip(" ,;:") + "…"

"""Split text into sentences, recognise filler, and cut texts at a word."""

from __future__ import annotations

from ..base.lazy import Pattern

LONG_FILLER = 60  # most characters of filler
_BLANK = 50  # characters to look at for each that is shown; only runs of spaces need more
_NEAR = 60  # characters before a possible end of a sentence to look at

_END = Pattern(  # begins with a character class, so that text without these is skipped fast
    r"[.!?。！？；](?:(?<=[.!?])[\"')\]*_]*\s+(?=[^\s(])|(?<=[。！？；])[”’」』）]*(?=\S))"
)
_ABBREVIATION = Pattern(
    r"(?i)(?:^|[\s(])(?:(?:\w\.)+\w|etc|vs|cf|approx|inc|max|min|prof|st|sr|sra|dr|mr|mrs|ms|no|\w|\d+)\.$"
)
_WORDS = Pattern(r"\w+")
_FILLER = frozenset("""
ok okay yes yeah yep no nope continue go on ahead thanks thank you thx great perfect nice good cool sure
please done next proceed again try hi hello hey do it that so very much a lot weiter ja nein gut super danke
dir vielen right hmm sounds looks all then alright fine your help for i appreciate wow
好 好的 谢谢 继续 是的 可以
""".split())  # fmt: skip


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
    """Return the text on one line, at most `room` characters, cut at a word.

    A URL is never cut, because it would lead elsewhere; a text that begins with one may be longer.
    """
    text = " ".join(text[: room * _BLANK].split(None, room // 2 + 1))  # more words never fit
    if len(text) <= room:
        return text
    head = text[: max(room - 1, 1)]
    cut = head.rfind(" ")
    word = text[cut + 1 :].partition(" ")[0]
    if "://" in word:
        return text if word == text else (head[:cut].rstrip(" ,;:") if cut > 0 else word) + "…"
    return (head[:cut] if cut > room // 2 else head).rstrip(" ,;:") + "…"

"""Split text into sentences, recognise filler, and cut texts at a word."""

from __future__ import annotations

from ..base.lazy import Pattern

_MOST, _NEAR, _BLANK = 60, 60, 50  # characters of filler; before a sentence's end; to read for one shown
_END = Pattern(  # begins with a character class, so that text without these is skipped fast
    r"[.!?。！？；](?:(?<=[.!?])[\"')\]*_]*\s+(?=[^\s(])|(?<=[。！？；])[”’」』）]*(?=\S))"
)
_ABBREVIATION = Pattern(
    r"(?i)(?:^|[\s(])(?:(?:\w\.)+\w|etc|vs|cf|approx|inc|max|min|prof|st|sr|sra|dr|mr|mrs|ms|no|\w|\d+)\.$"
)
_WORDS = Pattern(r"\w+")
_FILLER = frozenset("""ok okay yes yeah yep no nope continue go on ahead thanks thank you thx great perfect
nice good cool sure please done next proceed again try hi hello hey do it that so very much a lot weiter ja
nein gut super danke dir vielen right hmm sounds looks all then alright fine your help for i appreciate wow
好 好的 谢谢 继续 是的 可以""".split())  # fmt: skip


def split(line: str) -> list[str]:
    """Split a line into sentences."""
    ends = [match.end() for match in _END.finditer(line)]
    ends = [end for end in ends if not _ABBREVIATION.search(line[max(end - _NEAR, 0) : end].rstrip())]
    sentences = (line[start:end].strip() for start, end in zip((0, *ends), (*ends, None), strict=True))
    return [sentence for sentence in sentences if sentence]


def is_filler(text: str) -> bool:
    """Whether a text has no content: `ok, thanks!`, a slash command alone."""
    command = text[:1] == "/" and " " not in text
    return len(text) <= _MOST and (command or _FILLER.issuperset(_WORDS.findall(text.lower())))


def clip(text: str, room: int) -> str:
    """Return the text on one line, at most `room` characters, cut at a word but not within a URL."""
    text = " ".join(text[: room * _BLANK].split(None, room // 2 + 1))  # more words never fit
    head = text[: max(room - 1, 1)]
    cut = head.rfind(" ")
    word = text[cut + 1 :].partition(" ")[0]
    if "://" in word:
        head = head[:cut] if cut > 0 else word
    elif cut > room // 2:
        head = head[:cut]
    return text if len(text) <= room or head == text else head.rstrip(" ,;:") + "…"

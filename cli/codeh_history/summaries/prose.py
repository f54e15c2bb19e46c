"""Sentences: where they end, which lines are prose at all, and what says nothing of its own."""

from __future__ import annotations

import re

from .clipped import clip
from .cues import looked

LONGEST = 320  # characters of a sentence; a longer one is cut at a word

_FENCE = r"(?ms)^ {0,3}(```++|~~~++)[^\n]*+\n.*?(?:^ {0,3}\1[^\n]*$|\Z)"
_MARK = r"^(?:[-*+•]\s+|\(?\d{1,3}[.)]\s+|>\s*|#{1,6}\s+)+"
_END = re.compile(  # begins with one set of signs, so that what holds none is passed over fast
    r"[.!?。！？；](?:(?<=[.!?])[\"')\]*_]*\s+(?=\S)|(?<=[。！？；])[”’」』）]*(?=\S))"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|no|\w|\d+)\.$", re.IGNORECASE
)
_NEAR = 60  # characters before the end of a sentence that tell whether it is one
_WORD = re.compile(r"[^\W\d_]{2,}")
_ODD = re.compile("[^\\w ,.'\u2019\"!?`/-]")  # what prose has little of
_PLAIN = bytes(number for number in range(128) if not _ODD.match(chr(number)))
_NOISE = re.compile(
    r"^(?:[$>\u276f➜%|+\[]|at \S+ \(|File \"|Traceback|\d+[:|]|[─━═│┌└├]{2,}|['\"]?/(?:[\w.-]+/){2,})"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, without its code blocks, list marks and what is no prose."""
    found: list[str] = []
    for line in re.sub(_FENCE, "\n", text).splitlines():
        line = re.sub(_MARK, "", line.strip()).strip()
        if not is_prose(line):
            continue
        found += (clip(sentence, LONGEST) for sentence in split(line))
    return [sentence for sentence in found if _WORD.search(sentence)]


def split(line: str) -> list[str]:
    """The sentences of a line, each as it stands."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(line):
        before = line[max(start, end.end() - _NEAR) : end.end()].split()
        if not _ABBREVIATION.search(before[-1]):
            found.append(line[start : end.end()].strip())
            start = end.end()
    return [*found, rest] if (rest := line[start:].strip()) else found


def is_prose(line: str) -> bool:
    """Whether a line is something said, not a log, a prompt, a table or code."""
    if len(line) < 2 or _NOISE.match(line):
        return False
    if line.isascii():  # several times as fast
        odd = len(line.encode().translate(None, _PLAIN))
    else:
        odd = len(_ODD.findall(line))
    return odd <= 0.2 * len(line) and not line.endswith(("{", "};", ");"))


def fence_after(line: str, open: str) -> str:
    """The code fence that is open after this line, `open` before it; "" for none."""
    mark = line[:3]
    if not open:
        return mark if mark in ("```", "~~~") and mark not in line[3:] else ""
    return "" if mark == open and not line.strip(mark[0]) else open


def gist(text: str, room: int) -> str:
    """The first sentence that says something: no filler (`Perfect!`), no heading of a list."""
    said = sentences(text)
    full = [s for s in said if len(_WORD.findall(s)) >= 3 and not s.endswith(":") and not is_filler(s)]
    best = (full or said or [""])[0]
    return clip(best, room)


def is_filler(text: str) -> bool:
    """Whether a prompt asks for nothing of its own: `ok`, `continue`, `thanks`, a lone slash command."""
    said = looked(text)
    words = said.text.strip(" .,!?…#。！？，")
    if words.startswith("/") and " " not in words:
        return True
    if said.words and _says(said.words, said.text):
        return False
    if said.words and len(said.words) <= _FEW and said.words <= _POLITE:
        return True  # `Super, danke!`
    words = re.sub(_NOD, "", words)
    return words in _FILLER or not re.search(r"\w\w", re.sub(_THANKS, "", words))


def _says(words: frozenset[str], text: str) -> bool:
    """Whether a text is sure to be no filler, by its words; `for your X` may hold any, `foo_bar` two."""
    others = len(words - _OF_FILLER)
    if "for" not in words:
        return others > 0
    return "_" not in text and others > text.count("for") + 2  # `your` and `the`


_NOD = r"^(?:(?:ok|okay|yes|yeah|great|perfect|alright|good|fine|sure)\b[,.!]? +)+"
_THANKS = (
    r"\b(?:thank(?:s| you)|(?:so|very) much|a lot|again|for (?:all )?(?:your|the) \w+"
    r"|that(?:'s| is| looks| sounds)|all|great|perfect|good|nice|excellent|wonderful|ok|okay|yes|stop|bye"
    r"|goodbye|appreciate it|i)\b"
)
_FILLER = frozenset((
    "ok", "okay", "yes", "y", "yeah", "yep", "no", "n", "nope", "continue", "go on", "go ahead", "thanks",
    "thank you", "thx", "great", "perfect", "nice", "good", "cool", "sure", "please", "done", "next",
    "proceed", "again", "try again", "hi", "hello", "hey", "wtf", "sleep", "do it", "yes please",
    "please continue", "please proceed", "danke", "danke dir", "vielen dank", "weiter",
    "mach weiter", "ja", "nein",
    "passt", "gut", "super", "perfekt", "hallo", "genau", "klar", "好", "好的", "谢谢", "谢谢你",
    "继续", "是的", "对", "可以", "你好",
    "嗯", "没问题", "明白", "明白了", "收到", "mm", "mm-hmm", "uh-huh", "hmm", "right", "yep",
    "cool thanks", "sounds great", "so", "uhh", "uhhh", "[request interrupted by user]",
    "[request interrupted by user for tool use]",
))  # fmt: skip
_FEW = 4  # words that are filler whatever their order
_POLITE = frozenset(
    "ok okay yes yeah yep great perfect nice good cool thanks thank you thx danke dir vielen super gut"
    " perfekt genau klar passt ja hallo hi hello hey sounds very much so".split()
)
_OF_FILLER = (
    frozenset(re.findall(r"\w+", " ".join(_FILLER)))
    | frozenset(  # all words that filler is made of
        """thank you so very much a lot again all that s is looks sounds great perfect good nice excellent
    wonderful ok okay yes yeah alright fine sure stop bye goodbye appreciate it i""".split()
    )
    | frozenset(map(chr, range(128)))
)

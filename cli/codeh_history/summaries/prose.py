"""Sentences: where they end, which lines are prose, and which have no content."""

from __future__ import annotations

import re

_END = re.compile(  # begins with one set of signs, so that what holds none is passed over fast
    r"[.!?。！？；](?:(?<=[.!?])[\"')\]*_]*\s+(?=[^\s(])|(?<=[。！？；])[”’」』）]*(?=\S))"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|dr|mr|mrs|ms|no|\w|\d+)\.$", re.IGNORECASE
)
_NEAR = 60  # characters before the end of a sentence that tell whether it is one
_ODD = re.compile("[^\\w ,.'\u2019\"!?`/-]")  # what prose has little of
_PLAIN = bytes(number for number in range(128) if not _ODD.match(chr(number)))
_NOISE = re.compile(
    r"^(?:[$>\u276f➜%|+\[]|at \S+ \(|File \"|Traceback|\d+[:|]|[─━═│┌└├]{2,}|['\"]?/(?:[\w.-]+/){2,})"
)
LONG_FILLER = 60  # characters: nobody is so polite
_FILLER = frozenset(
    """
    ok okay yes y yeah yep no n nope continue go on ahead thanks thank you thx great perfect nice good
    cool sure please done next proceed again try hi hello hey do it that so very much a lot weiter ja
    nein gut super danke dir vielen mach passt perfekt hallo genau klar right mm hmm uhh sounds looks
    all then alright fine your help for i appreciate it that's wow hm
    """.split()
) | frozenset(
    ["好", "好的", "谢谢", "谢谢你", "继续", "是的", "对", "可以", "你好", "嗯", "没问题", "明白", "收到"]
)


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


def is_prose(line: str) -> bool:
    """Whether a line is prose, not a log, a prompt, a table or code."""
    if len(line) < 2 or _NOISE.match(line):
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


def is_filler(text: str) -> bool:
    """Whether a text has no content: `ok, thanks!`, a slash command alone."""
    if len(text) > LONG_FILLER:
        return False
    words = text.lower().strip(" .,!?…#。！？，")
    if words.startswith("/") and " " not in words:
        return True
    return all(word in _FILLER for word in re.findall(r"\w+", words))

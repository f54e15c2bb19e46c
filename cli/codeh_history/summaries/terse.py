"""A sentence without its filler: what a reader does not miss. English, German and Chinese; never code.

Only words go, none is put in their place, and those that stay keep their order.
"""

from __future__ import annotations

import re

from .leanings import INTERJECTIONS

_LEADS = """
so, well, now, and, but, then, okay, ok, alright, right, yes, yeah, yep, no, sure, great, perfect,
excellent, awesome, nice, good, cool, fine, thanks, thank you, thank you very much, thank you so
much, you're right, you're absolutely right, good question, good point, good idea, great question,
great point, great idea, of course, certainly, absolutely, definitely, sounds good, sounds great, no
problem, let me see, also, i think, i think that, i guess, i mean, i believe, i believe that, i
suppose, ja, nein, gut, genau, klar, danke, vielen dank, super, prima, na ja, alles klar, gerne, ich
denke, ich glaube, ich meine
"""
_ASIDES = """
you know, i mean, sort of, kind of, or something like that, or something, or whatever, and stuff,
and so on, if you will, at the end of the day, as far as i'm concerned, to be honest, as i said,
please, just, really, very, basically, actually, literally, obviously, simply, quite, pretty much,
at this point, sozusagen, eigentlich, irgendwie, quasi, einfach, wirklich, sehr, bitte,
gewissermaßen, ehrlich gesagt, ja mal, mal, halt
"""
_HAN_ASIDES = """
嗯, 呃, 啊, 哦, 就是说, 那个那个, 其实, 基本上, 谢谢您, 谢谢你, 谢谢, 好的, 请问, 麻烦你, 麻烦您
"""


def _any(phrases: str) -> str:
    """A pattern for these phrases, the longest first."""
    found = [" ".join(phrase.split()) for phrase in phrases.split(",")]
    return "|".join(map(re.escape, sorted(found, key=len, reverse=True)))


_NOISE = re.compile(  # what a transcript says beside the words: {pause}, [laughter], (inaudible), <noise>
    r"\s*(?:\{[a-z_ ]{1,30}\}|\[[a-z_ ]{1,30}\]|<[a-z_]{1,20}>"
    r"|\((?:inaudible|laugh(?:s|ter|ing)?|pause|unclear|noise|crosstalk|lacht|unverständlich)\))",
    re.IGNORECASE,
)
_SOUND = re.compile(
    rf"[,\s]*(?<![\w'-])(?:{_any(','.join(INTERJECTIONS))}|uh-huh|mm-?hmm?)(?![\w'-])(?:\s*,)?",
    re.IGNORECASE,
)
_LEAD = re.compile(rf"^\s*(?:{_any(_LEADS)})\b(?:\s*[,.!:;–-]+\s+|\s+(?=\S))", re.IGNORECASE)
_ASIDE = re.compile(rf"[,\s]*\b(?:{_any(_ASIDES)})\b(?:\s*,(?=\s))?", re.IGNORECASE)
_HAN = re.compile(f"(?:{_any(_HAN_ASIDES)})[,，!！。]?")
_TWICE = re.compile(r"\b((?:\w+(?:['’]\w+)?\s+){0,2}\w+(?:['’]\w+)?)(?:\s*,?\s+\1\b)+", re.IGNORECASE)
_LOOSE = re.compile(r"\s+([,.;:!?])(?=\s|$)|[,;:，](?=\s*[,.;:!?。，]|$)|^[\s,.;:!?–，。-]+")
_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“]*“|「[^」]*」|https?://\S+")


def terse(sentence: str) -> str:
    """The sentence without filler, repeated beginnings and politeness; code and quotes as they are."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    text = _SOUND.sub("", _NOISE.sub("", _CODE.sub(keep, sentence)))
    while (shorter := _LEAD.sub("", text, count=1)) != text and len(shorter) > 1:
        text = shorter
    text = _TWICE.sub(r"\1", _HAN.sub("", _ASIDE.sub("", text)))
    text = " ".join(_LOOSE.sub(lambda found: found[1] or "", text).split())
    text = re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], text)
    return text[:1].upper() + text[1:] if sentence[:1].isupper() else text

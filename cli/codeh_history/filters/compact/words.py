"""The features of a text: words, weighted by rarity, and names (paths, symbols, numbers, ids)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from math import log
from typing import TypeVar

from ...base.lazy import Pattern, contents

T = TypeVar("T")

COMMON = 0.3  # rarity up to which a word is common
FREQUENT = 5  # most frequent words, which have no weight
SOUNDS = frozenset("um uh er hm hmm mm mhm huh ah aha oh wow hey yeah yep nah okay ok haha lol".split())

_WORD = Pattern(r"\d+(?::\d\d)+|[\w~./@][\w./-]+\w")
_MARKUP = Pattern(r"(?<!\\)\\[nrt]|</[\w-]+>|^<[a-z][\w-]*>")  # an escaped line end, a tag
_NAME = Pattern(  # a path, a symbol, a file or decimal number, a number or time, an id
    r"/\w|\w_\w|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|[A-Z]{3}|[^\W_]\.[^\W_]{1,5}$|^[\d:]+$"
)
_LETTERS = Pattern(r"[^\W_]+")
_CUT = Pattern(r"(?s).{1,160}(?:[,;:}\])\s]|$)|.{1,160}")
_HAN = Pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_COMMON_HAN = frozenset(
    "的一是了我不在人有他这上们来到时大地为你说就那和要出也得里后以会可下而过去能对多然么之都好看起没只如把还用样想作"
    "吧吗呢啊嗯您请"
)


def features(text: str) -> frozenset[str]:
    """The words and names in a text."""
    return frozenset().union(*map(_features, text.split()))


@lru_cache(maxsize=1 << 17)
def _features(piece: str) -> frozenset[str]:
    plain = piece.lstrip("([\"'`").rstrip(".,;:!?)]\"'`")
    if plain.isascii() and plain.isalpha() and (plain.islower() or plain.istitle()):
        return frozenset((_stem(plain.lower()),))
    piece = _MARKUP.sub(" ", piece)
    words = {_stem(word.lower()) for word in _LETTERS.findall(piece)}
    if not piece.isascii() and _HAN.search(piece):
        words = {run[at : at + 2] for run in words for at in range(max(1, len(run) - 1))}
    return frozenset(words.union(*map(_symbols, names_in(piece))))


def phrases(text: str) -> set[str]:
    """The phrases in a text: runs of three words, skipping common ones."""
    words = [word for word in map(_stem, _LETTERS.findall(text.lower())) if rarity(word) > COMMON]
    return {" ".join(three) for three in zip(words, words[1:], words[2:], strict=False)}


def names_in(text: str) -> set[str]:
    """The names in a text, without plain words."""
    return {word for word in _WORD.findall(text) if is_name(word)}


@lru_cache(maxsize=1 << 16)
def is_name(word: str) -> bool:
    """Whether a word is a path, a symbol, a number or an id."""
    return _NAME.search(word) is not None


def _symbols(name: str) -> list[str]:
    """Split `editor.setText` into symbols; keep a path or file name."""
    if "/" in name or "." not in name or len(name) - name.rfind(".") <= 6:
        return [name]
    return [piece for piece in name.split(".") if is_name(piece)] or [name]


def _stem(word: str) -> str:
    """Remove the `s` of a plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


@lru_cache(maxsize=1 << 16)
def rarity(word: str) -> float:
    """How rare a word is in general, from 0 to 1."""
    if not word.isascii() and _HAN.match(word):
        return 0.8 * sum(sign not in _COMMON_HAN for sign in word) / len(word)
    if word in SOUNDS or len(word) < 2:
        return 0.0
    common = _ranks()
    rank = common.get(word) or common.get(f"{word}s")
    return 1.0 if rank is None else max(0.0, log(rank / FREQUENT) / log(len(common) / FREQUENT))


@cache
def _ranks() -> dict[str, int]:
    """The most frequent words with their ranks, from the tokens of o200k_base."""
    text = contents("filters/compact/common_words.txt").decode()
    return {word: rank for rank, word in enumerate(text.split(), 1)}


def lines_of(text: str, most: int = 400) -> list[str]:
    """Split a text into lines, and lines above `most` characters into pieces at punctuation or spaces."""
    lines = text.split("\n")
    return [piece for line in lines for piece in (_CUT.findall(line) if len(line) > most else [line])]


def upto(room: float, items: Iterable[T], cost: Callable[[T], float]) -> Iterator[T]:
    """Yield items while their cost fits the room."""
    for item in items:
        room -= cost(item)
        if room < 0:
            return
        yield item


def water_level(sizes: Sequence[int], room: int) -> int:
    """The highest level to which all larger sizes can be cut so that their sum fits the room."""
    ordered = sorted(sizes)
    for position, size in enumerate(ordered):
        share = room // (len(ordered) - position)
        if size >= share:
            return max(0, share)
        room -= size
    return ordered[-1] if ordered else 0

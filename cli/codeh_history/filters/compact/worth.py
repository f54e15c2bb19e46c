"""What a line is worth: the words in it, weighted by how rare they are, each worth less the second time.

A word is rare in general (a table of the most frequent ones, in order) and may be a name: a path, a symbol,
a number, an id. A name is worth more the oftener this history came back to it, and next to nothing once it
stands in the context; of a plain word the second sentence about it still counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from heapq import heapify, heappop, heappush
from itertools import chain
from math import log

from ...base.modules import contents
from ...summaries.leanings import INTERJECTIONS
from . import words
from .line import PROSE, Line

NAME = 7.0  # what one is worth where a rare word is worth 1
NAME_OFTEN, WORD_OFTEN = 1.4, 1.0  # how much more one is worth that comes up often in this history
NAME_AGAIN = 0.03  # what is left of a name each time it is said
SAID_AGAIN, CODE_AGAIN = 0.8, 0.5  # and of a word, in a sentence and in a line of a tool's
ROOMY = 0.2  # more of a word in a sentence, times the share of all lines that there is room for
AT_WORK = 0.65  # in a sentence where tools are at work: who works with them says much twice
AGED = (
    0.25  # what a name of work is worth, next to one of the newest lines, that came up in the oldest alone
)
KNOWN = 0.3  # what is left of a word that the newest messages hold
UNIT = 1 << 20  # in which what is worth 1 is counted
TELLING = 0.35  # how rare a word is that tells something
MOST_HELD = 64  # lines that an older one is held against
MOST_KNOWN = 1 << 16  # pieces of text that are remembered from one history to the next
_PIECE = re.compile(r"[^\W_]+")
_CODE = re.compile(r"(?=.*[\d./_])(?=.*[^\W_]{2})")  # no initials, nor letters as they are spelled: `T_V_`
_HAN = "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_COMMON_HAN = frozenset(
    "的一是了我不在人有他这上们来到时大地为你说就那和要出也得里后以会可下而过去能对多然么之都好看起没只如把还用样想作"
    "吧吗呢啊嗯这是么您请"
)

Features = tuple[frozenset[str], AbstractSet[str]]  # what counts in a piece of text; the names among it


class Words:
    """What counts in the lines of a history: words without their endings, and names as they are.

    A rare word that is written as a proper name is, `Lisbon`, counts as it stands too: twice.
    """

    def __init__(self, memo: dict[str, Features] | None = None) -> None:
        """`memo`: what is known of pieces that other histories held."""
        self._known: dict[str, frozenset[str]] = {}  # what stands between blanks → what counts in it
        self._memo = {} if memo is None else memo
        if len(self._memo) > MOST_KNOWN:
            self._memo.clear()
        self.names: set[str] = set()

    def of(self, line: Line) -> frozenset[str]:
        """What counts in a line, looked for once."""
        if line.features is None:
            line.features = self.within(line.text.split())
        return line.features

    def within(self, pieces: Collection[str]) -> frozenset[str]:
        """What counts in these pieces of text, each without blanks."""
        known = self._known
        for piece in pieces:
            if piece not in known:
                known[piece] = self._of_word(piece)
        return frozenset().union(*map(known.__getitem__, pieces))

    def _of_word(self, word: str) -> frozenset[str]:
        features = self._memo.get(word)
        if features is None:
            features = self._memo[word] = _features(word)
        found, names = features
        self.names |= names
        return found


def _features(word: str) -> Features:
    """What counts in a piece of text without blanks, and which of that are names."""
    plain = word.lstrip("([\"'`").rstrip(".,;:!?)]\"'`")
    if plain.isascii() and plain.isalpha() and (plain.islower() or plain.istitle() or _is_shouted(plain)):
        low = plain.lower()
        proper = not plain.islower() and plain.istitle() and low not in ranks()
        return frozenset((stem(low), plain) if proper else (stem(low),)), frozenset()
    found = {stem(piece.lower()) for piece in _PIECE.findall(word)}
    if not word.isascii() and _han().search(word):
        found = {pair for piece in found for pair in _pairs(piece)}
    names = {name for found in words.names(word) for name in words.symbols(found)}
    return frozenset(found | names), names


def _is_shouted(word: str) -> bool:
    """Whether a word is a plain one in capitals: `WHAT`, but not `API`."""
    low = word.lower()
    return word.isupper() and (low in ranks() or low in INTERJECTIONS)


class Worth:
    """What is worth how much in a history, and what is left of that after what was chosen."""

    def __init__(self, vocabulary: Words, lines: Sequence[Line], share: float = 0.0) -> None:
        """`lines` are all there are: what comes up in more of them is what the history is about.

        `share` of them is what there is room for.
        """
        self.words = vocabulary.of  # what counts in a line
        self._names = names = vocabulary.names
        work = any(line.kind in ("called", "gave") for line in lines)
        self._said_again = AT_WORK if work else SAID_AGAIN + ROOMY * share
        often = WORD_OFTEN if work else NAME_OFTEN  # what a tool prints comes up often by itself
        fresh = self._fresh(lines) if work else {}
        self._counts = Counter(chain.from_iterable(map(self.words, lines)))
        self._left = {  # whole numbers: their sum is the same in whatever order
            word: int(
                UNIT * NAME * log(1 + count) ** often * fresh.get(word, 1.0)
                if word in names
                else UNIT * rarity(word) * log(1 + count) ** WORD_OFTEN
            )
            for word, count in self._counts.items()
        }
        self._most: dict[int, float] = {}  # line → what it was worth when it was looked at last

    def _fresh(self, lines: Sequence[Line]) -> dict[str, float]:
        """How lately each name of a work came up: what was left behind long ago is seldom come back to."""
        last: dict[str, int] = {}
        for place, line in enumerate(lines, 1):
            if line.kind != "ledger":
                last.update(dict.fromkeys(self.words(line), place))
        latest = max(last.values(), default=1)
        return {
            word: AGED + (1 - AGED) * place / latest
            for word, place in last.items()
            if word in self._names and not word[0].isdigit()
        }

    def know(self, words: AbstractSet[str]) -> None:
        """What stands in the context anyway is worth less."""
        left = self._left
        for word in left.keys() & words:
            left[word] = int(left[word] * (NAME_AGAIN if word in self._names else KNOWN))

    def of(self, line: Line) -> float:
        """What a line adds for each token."""
        return sum(map(self._left.__getitem__, self.words(line))) * line.factor / line.cost

    def alone(self, line: Line) -> float:
        """How much of it nothing else says, for each token: what would be lost with it."""
        rare = [rarity(word) for word in self.words(line) if self._counts[word] == 1]
        return sum(sorted(rare)) / line.cost

    def named(self, line: Line) -> bool:
        """Whether it names what nothing else does: a file, a code."""
        return any(
            word in self._names and self._counts[word] == 1 and _CODE.search(word)
            for word in self.words(line)
        )

    def telling(self, line: Line, rare: float = 0.0) -> frozenset[str]:
        """What of it tells something: names, and words that not every sentence has, or as rare as this."""
        rare = max(rare, TELLING)
        return frozenset(
            word
            for word in self.words(line)
            if word in self._names
            or (not word.istitle() and rarity(word) > (rare if word.isascii() else TELLING))
        )

    def weight(self, words: Iterable[str]) -> float:
        """How much these words tell together."""
        return sum(map(rarity, sorted(words)))

    def anew(self, lines: Sequence[Line]) -> list[Line]:
        """Those of which the newer ones do not hold every word that tells something."""
        found: list[Line] = []
        held: list[frozenset[str]] = []
        for line in reversed(lines):
            words = self.telling(line)
            if not any(words <= some for some in held[-MOST_HELD:]):
                found.append(line)
                held.append(words)
        return found[::-1]

    def take(self, line: Line) -> None:
        """The line is chosen: what it says is worth less from now on."""
        left, names = self._left, self._names
        again = self._said_again if line.kind in PROSE else CODE_AGAIN
        for word in left.keys() & self.words(line):
            left[word] = int(left[word] * (NAME_AGAIN if word in names else again))

    def choose(self, lines: Sequence[Line], room: float) -> list[Line]:
        """The lines that add most in this room, the best first; of equals the later one.

        A line's worth only falls, as others say the same: it is looked at again when its turn comes.
        """
        most = self._most
        heap = []
        for number, line in enumerate(lines):
            worth = most.get(id(line))
            if worth is None:
                worth = most[id(line)] = self.of(line)
            heap.append((-worth, -number))
        heapify(heap)
        chosen: list[Line] = []
        while heap:
            _, place = heappop(heap)
            line = lines[-place]
            if line.cost > room:
                continue
            now = self.of(line)
            if heap and -now > heap[0][0]:
                most[id(line)] = now
                heappush(heap, (-now, place))
                continue
            if not now:
                break
            self.take(line)
            room -= line.cost
            chosen.append(line)
        return chosen


def stem(word: str) -> str:
    """A word without the `s` of a plural."""
    return word[:-1] if len(word) > 3 and word.endswith("s") else word


def _pairs(run: str) -> Iterable[str]:
    """The neighbours in a run of signs that no blanks part: what stands for words there."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


@lru_cache(maxsize=MOST_KNOWN)
def rarity(word: str) -> float:
    """How rare a word is in general, from 0 to 1."""
    if word.isdigit():
        return 0.5 if len(word) < 2 else 1.0
    if not word.isascii() and _han().match(word):
        return 0.8 * sum(sign not in _COMMON_HAN for sign in word) / len(word)
    if word in INTERJECTIONS or len(word) < 2:
        return 0.0
    common = ranks()
    rank = common.get(word) or common.get(f"{word}s")
    return 1.0 if rank is None else max(0.0, log(rank / FREQUENT) / log(len(common) / FREQUENT))


FREQUENT = 5  # so many words are worth nothing


@cache
def _han() -> re.Pattern[str]:
    """Signs of scripts without blanks; compiled for texts that are not ASCII, as it takes long."""
    return re.compile(_HAN)


@cache
def ranks() -> dict[str, int]:
    """The most frequent words of languages with letters, with their ranks: tokens of o200k_base."""
    text = contents("filters/compact/common_words.txt")
    return {word: rank for rank, word in enumerate(text.decode().split(), 1)}

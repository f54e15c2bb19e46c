"""Texts that were read before: where their sentences stand, of which kind they are, what they are worth.

Remembered by the hash of a text beside the counts of tokens; nothing of what it says is kept. Under other
rules nothing is found, for their sources are in the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import orjson

from ...session.labels import PASTED
from ...tokens import memory
from .line import Line

RULES = (  # what says how a text is read; a law holds that this is all
    "filters/compact/readings.py", "filters/compact/speech.py", "filters/compact/line.py",
    "filters/compact/words.py", "summaries/clipped.py", "summaries/cues.py", "summaries/leanings.py",
    "summaries/prose.py", "session/labels.py",
)  # fmt: skip
TABLE = "readings"
_KINDS = ("asked", "said", "pasted")
_TOPICS = ("", "rule", "decision", "open")

Place = tuple[int, int]  # a message's position, and which of its parts


@cache
def rules() -> str:
    """What tells these rules from others; "" where that cannot be told."""
    return memory.edition(RULES)


class Text(NamedTuple):
    """What somebody said: the user, or the model."""

    said: str
    user: bool


class Readings:
    """Reads texts as lines; `cache`: the file that remembers how, None for none."""

    def __init__(self, cache: str | None) -> None:
        self._cache = cache
        self._keys: dict[Place, bytes] = {}
        self._known: dict[bytes, str] = {}
        self._new: dict[bytes, str] = {}

    def recall(self, texts: Mapping[Place, Text]) -> None:
        """Look up all that are to be read, by their places."""
        if self._cache is None or not texts or not rules():
            return
        for user, salt in ((True, "user"), (False, "model")):
            some = {place: text for place, text in texts.items() if text.user is user}
            encoded = [text.said.encode("utf-8", "surrogatepass") for text in some.values()]
            self._keys |= zip(some, memory.keys_of(rules(), encoded, salt), strict=True)
        self._known = memory.recall(self._cache, list({*self._keys.values()}), TABLE)

    def lines(self, place: Place, text: Text, rate: float) -> list[Line]:
        """The sentences of the text at this place, as `speech.typed` reads it."""
        key = self._keys.get(place, b"")
        known = self._known.get(key)
        if known is not None:
            try:
                return list(_lines(known, text, place[0], rate))
            except (ValueError, TypeError, IndexError):  # what stands there was not written here
                pass
        from .speech import typed

        found = list(typed(text.said, place[0], user=text.user, rate=rate))
        if key and (told := _told(found, text)):
            self._new[key] = told
        return found

    def remember(self) -> None:
        """Keep how those were read that were not known."""
        if self._cache is not None and self._new:
            memory.remember(self._cache, self._new.items(), TABLE)
            self._new = {}


def _lines(known: str, text: Text, number: int, rate: float) -> Iterator[Line]:
    """A text's lines, of where they stand in it."""
    said, own = text.said, "User" if text.user else "Model"
    for start, end, row, kind, speaker, colon, topic, factor, first in orjson.loads(known):
        label = said[speaker:colon] if colon else PASTED if _KINDS[kind] == "pasted" else own
        line = Line(said[start:end], _KINDS[kind], number, label=label, row=row, rate=rate,
                    topic=_TOPICS[topic], first=first)  # fmt: skip
        line.factor = factor
        yield line


def _told(lines: Iterable[Line], text: Text) -> str:
    """Where these lines of a text stand in it; "" where one cannot be told so."""
    said, own = text.said, "User" if text.user else "Model"
    found = []
    at = 0
    for line in lines:
        at = said.find(line.text, at)
        speaker = colon = 0
        if line.label != (PASTED if line.kind == "pasted" else own):
            speaker = said.find(line.label)
            colon = speaker + len(line.label)
        if at < 0 or speaker < 0 or line.kind not in _KINDS or line.topic not in _TOPICS:
            return ""
        found.append((
            at, at + len(line.text), line.row, _KINDS.index(line.kind), speaker, colon,
            _TOPICS.index(line.topic), line.factor, line.first,
        ))  # fmt: skip
    return orjson.dumps(found).decode()

"""Questions that nobody takes up: open ends that no cue tells, but what comes next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from ...summaries import leanings
from .line import PROSE, Line
from .worth import Worth

ASKS = "?\uff1f"  # what a question ends with
SUBSTANCE, OF_QUESTIONS = 0.9, 1.4  # how much an open end tells at least, in rare words; a question more
NEXT, REPLIES = 12, 8  # sentences, and messages, in which a question is answered if it is
_MATTER = (  # begins as who wants to know something; `No more ice cream?` only wonders
    r"(?i)(?:^|[,;:\u2014-] *|\b(?:so|and|but|or|well|okay|hmm|um|uh|then) )"
    r"(?:who|whose|what|when|where|why|how|which|is|are|was|were|do|does|did|can|could|should|would|will"
    r"|shall|has|have|may|must|wer|wem|wann|wo|warum|wieso|wie|welche\w*|ist|sind|kann|k\u00f6nnen|soll\w*"
    r"|hat|haben|gibt|muss)\b|[\u4e00-\u9fff]"
)
_PERSONAL = (  # what is answered at once, whatever it is about; a request is none
    r"(?i)(?<!could )(?<!can )(?<!would )(?<!will )\b(?:you|your|yours|yourself|du|dir|dein\w*|ihr)\b"
    r"|^(?:sorry|pardon|excuse me|entschuldigung)\b|[你您]|请问"
)
_ANSWERS = (
    r"(?i)(?:yes|yeah|yep|yup|no|nope|nah|sure|right|exactly|absolutely|of course|not (?:really|yet)"
    r"|correct|true|ja|nein|doch|klar|genau)\b|[是对不没有好]"
)


def untaken(lines: Sequence[Line], worth: Worth) -> set[int]:
    """The places of questions about something, of which nothing that follows says yes, no or more.

    Not of those in an earlier summary, whose answers it may have left out: what was open then is marked so.
    """
    said = [line for line in lines if line.kind in PROSE]
    end = max([line.number for line in lines], default=0) - REPLIES  # what answers later ones may stay
    return {
        line.place
        for at, line in enumerate(said)
        if line.text[-1:] in ASKS and not line.topic and 0 <= line.number <= end and _asks(line.text)
        and _stands(line, islice(said, at + 1, at + 1 + NEXT), worth)
    }  # fmt: skip


def telling(line: Line, worth: Worth) -> frozenset[str]:
    """The words of a line that tell what it is about; those that every open end has are none."""
    return worth.telling(line) - leanings.OWN


def _asks(text: str) -> bool:
    return re.search(_MATTER, text) is not None and re.search(_PERSONAL, text) is None


def _stands(question: Line, later: islice[Line], worth: Worth) -> bool:
    """Whether none of these later lines answers it, or comes back to any of its words."""
    words = telling(question, worth)
    if worth.weight(words) < OF_QUESTIONS:
        return False
    replied = False
    for line in later:
        if 0 < line.number - question.number <= REPLIES:
            if not words.isdisjoint(worth.words(line)) or (not replied and re.match(_ANSWERS, line.text)):
                return False
            replied = True
    return True

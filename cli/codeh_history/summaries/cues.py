"""Recognise what a sentence states: a rule, a decision, an open end, or that a rule no longer holds.

A rule forbids, demands or wishes something that lasts. A linear model decides: it adds the weights of the
sentence's words and pairs of words. `cues.json` has them for each label, in the order of `LEAST`; `make
generate` computes them from labelled sentences in eight languages (tests/summaries/sentences.jsonl).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise

import orjson

from ..base.lazy import Pattern, contents

LEAST = {"rule": 2, "revoke": 2, "decision": 6, "open": 6}  # least scores, in tenths
LONGEST = 400  # characters of a sentence that may state something
_WORD = Pattern(  # a Chinese or Japanese character is a word
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W\\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+'?"
    "|\\d+|[^\\w\\s]"
)
_QUOTED = Pattern(
    '["\u201c\u201e\xab\u300c\u300e][^"\u201c-\u201e\xab\xbb\u300c-\u300f]{9,}["\u201c\u201d\xbb\u300d\u300f]'
)
_TAGGED = Pattern("(?i), ?(?:ok|okay|right|yes|alright|ja|gut|vale|d'accord|好吗|好嗎)[?？]$")
_NEXT = Pattern(  # announces what comes next
    r"(?i)(?:(?:now|so|first|next|then|and|but|also|ok|okay)[, ]+)*"
    r"(?:(?:\S+ )?let me|let's|i'll|i will|i need to|i have to|i should|i'm going to) "
)


def topic(sentence: str, *, user: bool) -> str:
    """Classify a sentence: `rule` (only a user's), `decision`, `open`, or ""."""
    scores = _scores(sentence, user=user)
    asks = _TAGGED.sub("", sentence).endswith(("?", "？", ":", "："))
    kinds = ("open",) if asks else ("rule", "decision", "open") if user else ("decision", "open")
    best = max(kinds, key=scores.__getitem__)
    return best if scores[best] >= 0 else ""


def revokes(sentence: str) -> bool:
    """Whether a user's sentence revokes a rule."""
    return not sentence.endswith(("?", "？")) and _scores(sentence, user=True)["revoke"] >= 0


def announces(sentence: str) -> bool:
    """Whether a sentence only announces its speaker's next step."""
    return _NEXT.match(sentence.replace("\u2019", "'")) is not None


def features(sentence: str, *, user: bool) -> set[str]:
    """What is weighted: the words outside of quotations, pairs of these and both ends, and the speaker."""
    text = _QUOTED.sub(" ", sentence).lower().replace("\u2019", "'")
    words = ["^", *("0" if word.isdigit() else word for word in _WORD.findall(text)), "$"]
    return {*words[1:-1], *map(" ".join, pairwise(words)), "by user" if user else "by model"}


def _scores(sentence: str, *, user: bool) -> Mapping[str, int]:
    """How far a sentence is above the least score of each label; 0 or more: it states that."""
    if len(sentence) > LONGEST:
        return dict.fromkeys(LEAST, -1)
    weights = _weights()
    rows = [weights[feature] for feature in features(sentence, user=user) if feature in weights]
    sums = map(sum, zip(*rows, strict=True))
    return {label: score - least for (label, least), score in zip(LEAST.items(), sums, strict=True)}


@cache
def _weights() -> Mapping[str, Sequence[int]]:
    """The weights of each feature, one for each label."""
    weights: Mapping[str, Sequence[int]] = orjson.loads(contents("summaries/cues.json"))
    return weights

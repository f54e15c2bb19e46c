"""Count the tokens of texts, by vocabulary."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import partial

from ..base.errors import Usage
from .vocabulary import NAMES, cache_keys, encoding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .vocabulary import Memory

DEFAULT = "o200k_base"
APPROX = "approx"

# Prefixes of model names → vocabulary and rules for media; the first match counts.
# Only OpenAI publishes its vocabularies.
_MODELS = {
    ("gpt-4.1-mini", "ft:gpt-4.1-mini"): (DEFAULT, "gpt-4.1-mini"),
    ("gpt-4.1-nano", "ft:gpt-4.1-nano"): (DEFAULT, "gpt-4.1-nano"),
    ("gpt-4o-mini", "ft:gpt-4o-mini"): (DEFAULT, "gpt-4o-mini"),
    ("o4-mini",): (DEFAULT, "o4-mini"),
    ("gpt-4o", "gpt-4.", "ft:gpt-4o", "ft:gpt-4."): (DEFAULT, "openai"),
    ("gpt-4", "gpt-3.5", "gpt-35", "ft:gpt-4", "ft:gpt-3.5", "text-embedding"): ("cl100k_base", "openai"),
    ("gpt-5-mini", "gpt-5-nano", "gpt-5.5", "gpt-5.6", "gpt-6"): (DEFAULT, "openai-patches"),
    ("gpt-5",): (DEFAULT, "openai-5"),
    ("gpt-", "chatgpt-4o", "o1", "o3", "o4"): (DEFAULT, "openai"),
    ("gemini-3", "gemini-4"): (DEFAULT, "gemini-3"),
    ("gemini",): (DEFAULT, "gemini"),
    (
        "claude-opus-4-7", "claude-opus-4.7", "claude-opus-4-8", "claude-opus-4.8", "claude-opus-5",
        "claude-sonnet-5", "claude-haiku-5", "claude-fable", "claude-mythos",
    ): (DEFAULT, "anthropic-4.7"),
    ("claude", "gemma", "llama", "mistral", "deepseek", "qwen", "grok", "command"): (DEFAULT, "anthropic"),
}  # fmt: skip
_OTHER_MODEL = (DEFAULT, "anthropic")
_TEXT_OVERHEAD = 150  # bytes of overhead per text

# A run of 999,999 spaces overflows tiktoken's regex stack. 128 * 7000 spaces are whole tokens of 128,
# so cutting there does not change the count.
_PIECE = r"(?s).*?\s{896000}(?=\s)|.+"
_WORDS = r"[A-Za-z]+|[0-9]{1,3}|[^\x00-\x7f]|[!-/:-@\[-`{-~]+|\n\s*"


class Counter:
    """Counts texts by `vocabulary`, times `percent` (100 unless calibrated).

    `name` is for reports; `media` selects the rules for images, audio, video and documents; `history` and
    `message` are the overhead of a history and of each message; `names`: whether the names of calls and
    responses count; `characters`: approximate characters per token.
    """

    history = 3
    message = 4
    names = True
    characters = 3
    max_cached = 1 << 25  # characters of texts whose counts are kept in memory

    def __init__(
        self,
        vocabulary: str,
        *,
        media: str = "anthropic",
        cache: Memory | None = None,
        percent: int = 100,
    ) -> None:
        self.vocabulary = vocabulary
        self.media = media
        self.cache = cache
        self.percent = percent
        self._counts: dict[str, int] = {}
        self._cached_characters = 0  # characters in _counts

    @property
    def name(self) -> str:
        return self.vocabulary if self.percent == 100 else f"{self.vocabulary}*{self.percent / 100:.2f}"

    def calibrated(self, factor: float) -> Counter:
        """Return a counter that multiplies totals by the factor, rounded up to two decimals."""
        percent = math.ceil(round(factor * 100, 6))
        copy = Counter(self.vocabulary, media=self.media, cache=self.cache, percent=percent)
        copy._counts = self._counts
        return copy

    def scale(self, tokens: int) -> int:
        """Return a count times the factor, rounded up."""
        return -(-tokens * self.percent // 100)

    def within(self, budget: int) -> int:
        """Return the largest unscaled count whose scaled value fits the budget."""
        return budget * 100 // self.percent

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Return the unscaled count of each text, from memory or the cache if possible."""
        counts = self._counts
        if self._cached_characters > self.max_cached:
            counts.clear()
            self._cached_characters = 0
        missing = list(dict.fromkeys(text for text in texts if text not in counts))
        self._cached_characters += sum(map(len, missing)) + _TEXT_OVERHEAD * len(missing)
        counts.update(zip(missing, self._count_missing(missing), strict=True))
        return [counts[text] for text in texts]

    def _count_missing(self, texts: list[str]) -> list[int]:
        if self.vocabulary == APPROX or self.cache is None or not texts:
            return list(map(self._tokenise, texts))
        keys = cache_keys(self.vocabulary, [text.encode("utf-8", "surrogatepass") for text in texts])
        counts = dict(self.cache.recall(keys))
        pairs = zip(keys, texts, strict=True)
        new = {key: self._tokenise(text) for key, text in pairs if key not in counts}
        if new:
            self.cache.remember(new)
            counts |= new
        return [counts[key] for key in keys]

    def _tokenise(self, text: str) -> int:
        if self.vocabulary == APPROX:
            return approximately(text)
        encode = partial(encoding(self.vocabulary).encode, disallowed_special=())
        try:
            return len(encode(text))
        except ValueError:
            return sum(len(encode(piece)) for piece in re.findall(_PIECE, text))


class Characters(Counter):
    """Counts the characters of texts, call arguments and responses; names, media and overhead are free."""

    history = message = 0
    names = False
    characters = 1

    def __init__(self) -> None:
        super().__init__("characters", media="none")

    def counts(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def open_counter(name: str | None, *, model: str | None = None, cache: Memory | None = None) -> Counter:
    """Return a counter by name (`o200k_base`, `cl100k_base`, `approx`, or a model's), else by model.

    `cache` stores counts. Raises Usage for an unknown name.
    """
    vocabulary, media = _rules_of(model or name) or _OTHER_MODEL
    if name in (*NAMES, APPROX):
        vocabulary = name
    elif name is not None:
        rules = _rules_of(name)
        if rules is None:
            raise Usage(f"--counter {name}: one of {', '.join((*NAMES, APPROX))}, or a model's name")
        vocabulary = rules[0]
    return Counter(vocabulary, media=media, cache=cache)


def _rules_of(model: str | None) -> tuple[str, str] | None:
    """Return the vocabulary and the media rules of a known model, from any provider."""
    name = (model or "").rpartition("/")[2].lower()
    return next((rules for prefixes, rules in _MODELS.items() if name.startswith(prefixes)), None)


def approximately(text: str) -> int:
    """Estimate a count without a vocabulary, by words, digits, punctuation and scripts."""
    total = 0.0
    for piece in re.findall(_WORDS, text):
        first = piece[0]
        if first.isascii() and first.isalpha():
            total += 1 if len(piece) <= 9 else len(piece) / 4
        elif first.isascii() and not first.isalnum():
            total += 1 if len(piece) <= 4 else len(piece) / 4
        else:
            total += 1 if first.isascii() else 0.8
    return math.ceil(total)

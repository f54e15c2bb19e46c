"""Shorten a text to one line, at a word."""

from __future__ import annotations

_BLANK = 50  # characters of a text for each that is shown: nearly all of more would have to be blanks


def clip(text: str, room: int) -> str:
    """Return the text on one line, at most `room` characters, cut at a word and never inside a URL.

    A shortened URL would lead elsewhere, so a text that begins with one may be longer.
    """
    text = " ".join(text[: room * _BLANK].split(None, room // 2 + 1))  # more words are too long in any case
    if len(text) <= room:
        return text
    head = text[: max(room - 1, 1)]
    cut = head.rfind(" ")
    word = text[cut + 1 :].partition(" ")[0]
    if "://" in word:
        return text if word == text else (head[:cut].rstrip(" ,;:") if cut > 0 else word) + "…"
    return (head[:cut] if cut > room // 2 else head).rstrip(" ,;:") + "…"

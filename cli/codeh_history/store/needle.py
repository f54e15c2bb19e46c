"""A field of a record as bytes to search for, however JSON may spell it."""

from __future__ import annotations

import re

_SHORT = {'"': b'"', "\\": b"\\", "/": b"/", "\b": b"b", "\f": b"f", "\n": b"n", "\r": b"r", "\t": b"t"}


def field(name: str, value: str) -> re.Pattern[bytes]:
    """What matches `"name": "value"` in every valid spelling, with blanks and escapes.

    The pattern is longer than what it matches, blanks aside.
    """
    return re.compile(_string(name) + rb"[ \t\r]*+:[ \t\r]*+" + _string(value))


def _string(text: str) -> bytes:
    return b'"' + b"".join(map(_char, text)) + b'"'


def _char(char: str) -> bytes:
    """A character as itself, as `\\n`, or as `\\u` and four digits (twice beyond the first plane)."""
    units = char.encode("utf-16-be", "surrogatepass").hex()
    digits = [b"[%b%b]" % (d.encode(), d.upper().encode()) if d.isalpha() else d.encode() for d in units]
    spellings = [b"".join(rb"\\u" + b"".join(digits[at : at + 4]) for at in range(0, len(digits), 4))]
    if char >= " " and char not in '"\\':
        spellings.insert(0, re.escape(char.encode("utf-8", "surrogatepass")))
    if char in _SHORT:
        spellings.append(rb"\\" + re.escape(_SHORT[char]))
    return b"(?:" + b"|".join(spellings) + b")"

"""Amounts as people type them: `32k`, `1.5m`."""

from __future__ import annotations

import re

from ..errors import Usage

_SCALE = {"": 1, "k": 1000, "m": 1_000_000}


def tokens(text: str, option: str = "--budget") -> int:
    """A number of tokens, `32k` for thousands; exit 2 for anything else, 0 included."""
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?)([km]?)", text.strip().lower())
    given = round(float(found[1]) * _SCALE[found[2]], 6) if found else 0
    value = int(given)
    if value < 1 or value != given:
        raise Usage(f"{option} {text}: a number of tokens above 0 expected, as 32000 or 32k")
    return value

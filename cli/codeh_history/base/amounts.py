"""Amounts as people type them: `32k`, `1.5m`."""

from __future__ import annotations

from .errors import Usage
from .lazy import Pattern

MOST = 256 << 20  # bytes of an answer or of a tool's output, unless told otherwise
_SCALE = {"": 1, "k": 1000, "m": 1_000_000}
_AMOUNT = Pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([km]?)")


def tokens(text: str, option: str = "--budget") -> int:
    """A number of tokens, `32k` for thousands; exit 2 for anything else, 0 included."""
    return amount(text, option, "tokens")


def size(text: str | None) -> int:
    """What `--max-bytes` says: a number, `32k` for thousands; MOST where none is given."""
    return MOST if text is None else amount(text, "--max-bytes", "bytes")


def amount(text: str, option: str, unit: str) -> int:
    """A number of that unit above 0, `32k` for thousands; exit 2 for anything else."""
    found = _AMOUNT.fullmatch(text.strip().lower())
    given = round(float(found[1]) * _SCALE[found[2]], 6) if found else 0
    value = int(given)
    if value < 1 or value != given:
        raise Usage(f"{option} {text}: a number of {unit} above 0 expected, as 32000 or 32k")
    return value

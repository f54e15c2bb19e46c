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
    """The bytes of `--max-bytes`: a number, `32k` for thousands; MOST where none is given."""
    return MOST if text is None else amount(text, "--max-bytes", "bytes")


def amount(text: str, option: str, unit: str) -> int:
    """A number of that unit above 0, `32k` for thousands; exit 2 for anything else."""
    match = _AMOUNT.fullmatch(text.strip().lower())
    number = round(float(match[1]) * _SCALE[match[2]], 6) if match else 0
    value = int(number)
    if value < 1 or value != number:
        raise Usage(f"{option} {text}: a number of {unit} above 0 expected, as 32000 or 32k")
    return value

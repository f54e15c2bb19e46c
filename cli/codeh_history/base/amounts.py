"""Amounts as people type them: `32k`, `1.5m`."""

from __future__ import annotations

from .errors import Usage
from .lazy import Pattern

MOST = 256 << 20  # default limit in bytes for an answer or a tool's output
_SCALE = {"": 1, "k": 1000, "m": 1_000_000}
_AMOUNT = Pattern(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([km]?)")


def tokens(text: str, option: str = "--budget") -> int:
    """Parse a positive number of tokens, such as `32k`; raise Usage for anything else."""
    return amount(text, option, "tokens")


def size(value: str | int | None) -> int:
    """Parse the value of `--max-bytes`, such as `32k`; None is the default."""
    return MOST if value is None else amount(str(value), "--max-bytes", "bytes")


def amount(text: str, option: str, unit: str) -> int:
    """Parse a positive amount in this unit, such as `32k`; raise Usage for anything else."""
    match = _AMOUNT.fullmatch(text.strip().lower())
    number = round(float(match[1]) * _SCALE[match[2]], 6) if match else 0
    value = int(number)
    if value < 1 or value != number:
        raise Usage(f"{option} {text}: expected a positive number of {unit}, such as 32000 or 32k")
    return value

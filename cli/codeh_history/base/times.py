"""Times: RFC 3339 UTC with milliseconds as stored, epoch milliseconds in between."""

from __future__ import annotations

import time

FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999  # the years 1 to 9999


def from_millis(millis: int) -> str:
    """Epoch milliseconds as `2026-01-02T03:04:05.678Z`."""
    seconds, rest = divmod(millis, 1000)
    t = time.gmtime(seconds)
    return f"{t[0]:04d}-{t[1]:02d}-{t[2]:02d}T{t[3]:02d}:{t[4]:02d}:{t[5]:02d}.{rest:03d}Z"


def to_millis(text: str) -> int | None:
    """An RFC 3339 time (or epoch milliseconds as digits) in epoch milliseconds; None if it is neither."""
    if text.isascii() and text.isdigit():
        return int(text) if len(text) < 16 and int(text) <= LAST else None
    from datetime import UTC, datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)

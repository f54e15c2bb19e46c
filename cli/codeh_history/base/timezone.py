"""The reader's clock: a time zone by name, and what a time is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from .env import Env
from .errors import Usage
from .times import to_millis

FIRST, LAST = -62135510400000, 253402214400000  # epoch milliseconds that a date can be made of


def now(env: Env, text: str | None) -> int:
    """`--now` in epoch milliseconds, else the clock's; exit 2 where it is no time."""
    if text is None:
        return env.millis()
    millis = to_millis(text)
    if millis is None:
        raise Usage(f"--now {text}: a time as 2026-01-31T12:00:00Z expected")
    return millis


def local(name: str | None) -> Callable[[int], datetime]:
    """Epoch milliseconds → the time in this zone (`Europe/Berlin`, `+02:00`), else in the machine's own."""
    zone = named(name) if name is not None else None

    def at(millis: int) -> datetime:
        moment = datetime.fromtimestamp(min(max(millis, FIRST), LAST) / 1000, UTC)
        return moment.astimezone(zone)

    return at


def clock(time: str | None) -> str:
    """A time of a record as a terminal shows it, on the reader's clock; what is no time stays as it is."""
    millis = to_millis(time) if time else None
    return f"{local(None)(millis):%Y-%m-%d %H:%M:%S}" if millis is not None else time or "-"


def named(name: str) -> tzinfo:
    """A time zone by name or offset; exit 2 where there is none."""
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    offset = re.fullmatch(r"(?:UTC|GMT)?([+-])(\d{1,2})(?::?([0-5]\d))?", name, re.IGNORECASE)
    if offset is not None and int(offset[2]) < 24:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise Usage(f"--tz {name}: no such time zone (Europe/Berlin, UTC or +02:00)") from None

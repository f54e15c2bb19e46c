"""Times: stored as RFC 3339 UTC with milliseconds, computed in epoch milliseconds, shown in local time."""

from __future__ import annotations

import time

from . import Callable
from .errors import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime, tzinfo

    Local = Callable[[int], datetime]  # epoch milliseconds → the time in a zone

FIRST, LAST = -62_135_596_800_000, 253_402_300_799_999  # the years 1 to 9999
A_DAY = 86_400_000
EPOCH_DIGITS = 12  # digits of epoch milliseconds, at least, since 1973
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def from_millis(millis: int) -> str:
    """Format epoch milliseconds as `2026-01-02T03:04:05.678Z`."""
    seconds, rest = divmod(millis, 1000)
    t = time.gmtime(seconds)
    return f"{t[0]:04d}-{t[1]:02d}-{t[2]:02d}T{t[3]:02d}:{t[4]:02d}:{t[5]:02d}.{rest:03d}Z"


def to_millis(text: str) -> int | None:
    """Parse an RFC 3339 time, or epoch milliseconds as digits; None if it is neither."""
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


def moment(now: int, since: str, option: str = "--since") -> int:
    """Convert `--since 7d` or `--since 2026-01-31` to epoch milliseconds, relative to `now`."""
    number, unit = since[:-1], since[-1:]
    if unit in UNITS and number.isdecimal():
        return max(now - int(number[:EPOCH_DIGITS]) * UNITS[unit] * 1000, FIRST)
    millis = None if since.isdecimal() and len(since) < EPOCH_DIGITS else to_millis(since)
    if millis is None:
        raise Usage(f"{option} {since}: expected 30m, 2h, 7d, or a date such as 2026-01-31")
    return millis


def local(name: str | None = None) -> Local:
    """Return a function from epoch milliseconds to a time in this zone, by default the machine's."""
    from datetime import UTC, datetime

    zone = named(name) if name is not None else None

    def at(millis: int) -> datetime:
        # clamped by a day, so that a zone's offset cannot leave the years 1 to 9999
        return datetime.fromtimestamp(min(max(millis, FIRST + A_DAY), LAST - A_DAY) / 1000, UTC).astimezone(
            zone
        )

    return at


def clock(time: str | None) -> str:
    """Format a record's time in the local zone; text that is not a time stays unchanged."""
    millis = to_millis(time) if time else None
    return f"{local()(millis):%Y-%m-%d %H:%M:%S}" if millis is not None else time or "-"


def brief(time: str | None, now: int) -> str:
    """Format a time in up to 11 characters: `03:04` today, `01-02 03:04` this year, else `2025-01-02`."""
    millis = to_millis(time) if time else None
    if millis is None:
        return time or "-"
    then, today = map(local(), (millis, now))
    if then.year != today.year:
        return f"{then:%Y-%m-%d}"
    return f"{then:%H:%M}" if then.date() == today.date() else f"{then:%m-%d %H:%M}"


def named(name: str) -> tzinfo:
    """Return the time zone with this name or offset; raise Usage if there is none."""
    from datetime import UTC, datetime
    from zoneinfo import ZoneInfo

    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    try:
        return (datetime.strptime(name, "%z").tzinfo or UTC) if name[:1] in "+-" else ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        raise Usage(f"--tz {name}: no such time zone (Europe/Berlin, UTC or +02:00)") from None

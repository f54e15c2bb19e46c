"""The reader's clock: moments as they are told, a time zone by name, and what a time is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo

from .env import Env
from .errors import Usage
from .times import FIRST as EARLIEST
from .times import to_millis

FIRST, LAST = -62135510400000, 253402214400000  # epoch milliseconds that a date can be made of
EPOCH_DIGITS = 12  # as few digits as epoch milliseconds have since 1973
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def now(env: Env, text: str | None) -> int:
    """`--now` in epoch milliseconds, else the clock's; exit 2 where it is no time."""
    if text is None:
        return env.millis()
    return _millis(text, f"--now {text}: a time as 2026-01-31T12:00:00Z expected")


def _millis(text: str, otherwise: str) -> int:
    """A time in epoch milliseconds; Usage, which says so, where it is none."""
    millis = to_millis(text)
    if millis is None:
        raise Usage(otherwise)
    return millis


def moment(env: Env, since: str, option: str = "--since") -> int:
    """The time a `--since` means, in epoch milliseconds: so long ago, or a date."""
    number, unit = since[:-1], since[-1:]
    if since.isdecimal() and len(since) < EPOCH_DIGITS:
        raise Usage(
            f"{option} {since}: unit missing: {since}d for days, {since}h for hours, or a date (2026-01-31)"
        )
    if unit in UNITS and number.isdecimal():
        ago = int(number[:EPOCH_DIGITS]) * UNITS[unit] * 1000  # all that is longer is before all times
        return max(env.millis() - ago, EARLIEST)
    return _millis(since, f"{option} {since}: 30m, 2h, 7d, or a date as 2026-01-31")


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


def brief(env: Env, time: str | None) -> str:
    """The same in at most eleven characters: `03:04` today, `01-02 03:04` this year, else `2025-01-02`."""
    millis = to_millis(time) if time else None
    if millis is None:
        return time or "-"
    at = local(None)
    then, now = at(millis), at(env.millis())
    if then.year != now.year:
        return f"{then:%Y-%m-%d}"
    return f"{then:%H:%M}" if then.date() == now.date() else f"{then:%m-%d %H:%M}"


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

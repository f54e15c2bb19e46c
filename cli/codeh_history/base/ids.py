"""What may be the id of a session, and so the name of its file."""

from __future__ import annotations

_ID = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
LONGEST_ID = 128
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"] + [f"{name}{n}" for name in ("com", "lpt") for n in range(1, 10)]
)


def is_id(text: str) -> bool:
    """`^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$`, and no device name."""
    if not 0 < len(text) <= LONGEST_ID or text[0] in "_-":
        return False
    return _ID.issuperset(text) and text.lower() not in _DEVICES

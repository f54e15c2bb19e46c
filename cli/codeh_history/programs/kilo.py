"""Read Kilo's sessions: opencode's database under another name, or an export.

Its versions begin at 7, opencode's at 0, which tells their exports apart.
"""

from __future__ import annotations

from . import opencode
from .fields import text_at
from .protocol import Head, Place


def recognises(head: Head) -> bool:
    if not opencode.recognises(head):
        return False
    majors = (text_at(value, "info.version").partition(".")[0] for value in head.values)
    own_table = head.has({"kilo_board": {"id"}})  # opencode lacks it
    return own_table or any(major.isdecimal() and int(major) >= 7 for major in majors)


PROGRAM = opencode.PROGRAM._replace(
    name="kilo", title="Kilo", recognises=recognises, recognises_own=opencode.recognises,
    places=(Place("KILO_DB", "", ("",)), Place("XDG_DATA_HOME", ".local/share", ("kilo/kilo*.db",))),
    writer=f"{__package__}.kilo_write", command="kilo",
)  # fmt: skip

"""Read Kilo's sessions: opencode's database under another name, or an export.

Its versions begin at 7, opencode's at 0, which tells their exports apart.
"""

from __future__ import annotations

from ..providers.parts import name_of
from . import opencode
from .fields import at
from .protocol import Head, Place

_OWN = {"kilo_board": {"id"}}  # a table that opencode has not
_FIRST = 7


def recognises(head: Head) -> bool:
    if not opencode.recognises(head):
        return False
    versions = (name_of(at(value, "info.version")) or "" for value in head.values)
    majors = (version.partition(".")[0] for version in versions)
    return head.has(_OWN) or any(major.isdecimal() and int(major) >= _FIRST for major in majors)


PROGRAM = opencode.PROGRAM._replace(
    name="kilo", title="Kilo", recognises=recognises, recognises_own=opencode.recognises,
    places=(Place("KILO_DB", "", ("",)), Place("XDG_DATA_HOME", ".local/share", ("kilo/kilo*.db",))),
    writer=f"{__package__}.kilo_write", command="kilo",
)  # fmt: skip

"""Write a view as an export that Kilo imports."""

from __future__ import annotations

from .opencode import write


class File(write.File):
    """opencode's export, of the version whose format this is."""

    VERSION = "7.7.7"
    AGENT = "code"

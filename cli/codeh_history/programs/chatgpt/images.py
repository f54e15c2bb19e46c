"""Images that a message of ChatGPT points to, from the zip of the export."""

from __future__ import annotations

import re

from ...base.mime import mime_type
from ...session.model import Part
from ..model import Session
from ..parts import inline
from ..protocol import Refused, Source

MOST = 16 << 20  # bytes of an image
ALL = 32 << 20  # bytes of the images of a conversation
MISSING = "image that is not in the export, or too large"
_POINTER = re.compile(r"(?:file-service|sediment)://(file[-_][A-Za-z0-9]+)")


class Images:
    """Those of a conversation; what cannot be had is counted."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.left = ALL

    def part(self, pointer: str) -> Part | None:
        """The part of an image; None where it is not at hand."""
        named = _POINTER.match(pointer)
        try:
            data = self.source.member(named[1], min(MOST, self.left)) if named else b""
        except Refused:
            data = b""
        kind = mime_type(data, "")
        if not kind.startswith("image/"):
            self.session.left[MISSING] += 1
            return None
        self.left -= len(data)
        return inline(data, kind)

"""A session that one process reads again and again: what is new is read and folded, not all of it."""

from __future__ import annotations

from _thread import RLock

from ..session.fold import fold
from ..session.growth import Growing
from ..session.records import Before, lines_of, parse
from ..session.rules import LONGEST
from ..session.view import View
from ..store import read
from ..store.held import Held


class Seen:
    """The view of a session as it was last seen; any thread may ask for it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._lock = RLock()
        self._held: Held | None = None
        self._growing: Growing | None = None
        self._before = Before()

    def view(self) -> View:
        """The view now, its parts not fetched from blocks; nobody may change it."""
        with self._lock:
            growing = self._more() or self._anew()
            return growing.view if growing is not None else fold(read.read_log(read.read_bytes(self.path)))

    def view_with(self, lines: bytes) -> View:
        """The view as it will be with these lines at the end of the file, which may never be there."""
        with self._lock:
            growing, found = self._more() or self._anew(), None
            if growing is not None:
                found = growing.foreseen(parse(lines_of(lines), before=self._before.copy()))
        if found is not None:
            return found
        data = read.read_bytes(self.path)
        return fold(read.read_log(data + (b"" if data.endswith(b"\n") else b"\n") + lines))

    def close(self) -> None:
        """Let go of the file and of what was read."""
        with self._lock:
            if self._held is not None:
                self._held.close()
            self._held = self._growing = None

    def _more(self) -> Growing | None:
        """What was there with what was added; None where that cannot be told by itself."""
        data = self._held.more(self.path) if self._held is not None else None
        if self._growing is None or data is None or len(data) > LONGEST:
            return None
        grown = not data or self._growing.grow(parse(lines_of(data), before=self._before))
        return self._growing if grown else None

    def _anew(self) -> Growing | None:
        """All that is there; None where the file is not one of ours, whole to its end."""
        self.close()
        try:
            self._held = Held(self.path)
        except OSError:
            return None
        data = self._held.more(self.path)
        log = read.read_log(data) if data and len(data) <= LONGEST else None
        if data is None or log is None or any(record.bare is not None for record in log.records):
            self.close()
            return None
        self._growing = Growing(log)
        self._before = Before()
        self._before.size, self._before.lines = len(data), data.count(b"\n")
        return self._growing

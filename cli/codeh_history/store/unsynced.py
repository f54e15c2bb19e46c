"""Session files that were written and wait for the disk together: many at a time take as long as a few."""

from __future__ import annotations

import os
import threading
import time

from ..base import locks
from ..base.folders import sync, sync_dir

MOST = 64  # files that stay open at a time
LONGEST = 0.5  # seconds for which others wait for one of them, if nothing of the next takes longer
_WAITING = 16  # of them wait for the disk at once: it takes what they have in one go


class Unsynced:
    """Files written but not yet durable; each stays open under its lock until `sync`.

    They are synced before they are too many, or have waited too long.
    """

    def __init__(self, longest: float = LONGEST) -> None:
        self._held: list[tuple[int, str, bool]] = []
        self._longest = longest
        self._since = 0.0  # when the first of them was added
        self._failed: dict[str, str] = {}

    @property
    def due(self) -> bool:
        """Whether one of them has waited long enough."""
        return bool(self._held) and time.monotonic() - self._since >= self._longest

    def __len__(self) -> int:
        return len(self._held)

    def add(self, fd: int, path: str, *, new: bool) -> None:
        """Take over a file, and with a `new` one its name."""
        if not self._held:
            self._since = time.monotonic()
        self._held.append((fd, path, new))
        if len(self._held) >= MOST or self.due:
            self.sync()

    def sync(self) -> None:
        """Make all of them durable, and unlock them."""
        held, self._held = self._held, []
        left = list(held)
        others: list[threading.Thread] = []
        try:
            for _ in held[1:_WAITING]:
                thread = threading.Thread(target=self._sync, args=(left,))
                thread.start()
                others.append(thread)
        except RuntimeError:
            pass  # no more threads here: those there are do it all
        self._sync(left)
        for thread in others:
            thread.join()
        for folder in {os.path.dirname(path) for _, path, new in held if new}:
            try:
                sync_dir(folder)
            except OSError as error:
                for _, path, new in held:
                    if new and os.path.dirname(path) == folder:
                        self._failed[path] = str(error.strerror)
        for fd, _, _ in held:
            locks.close(fd)

    def _sync(self, left: list[tuple[int, str, bool]]) -> None:
        while left:
            try:
                fd, path, _ = left.pop()
            except IndexError:  # another thread took it
                return
            try:
                sync(fd, data_only=True)
            except OSError as error:
                self._failed[path] = str(error.strerror)

    def failed(self) -> dict[str, str]:
        """Which files could not be synced since this was asked last, and why."""
        failed, self._failed = self._failed, {}
        return failed

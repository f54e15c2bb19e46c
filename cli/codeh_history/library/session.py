"""The public class."""

from __future__ import annotations

from .methods import Methods


class Session(Methods):
    """A session of this home, or in a file; any number of threads and processes may share it.

    What is appended is durable when the method returns. A failure is a `HistoryError`; its `code` is the
    exit code that the command would have.
    """

    __slots__ = ()

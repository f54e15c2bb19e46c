"""The public class `Session`."""

from __future__ import annotations

from .methods import Methods


class Session(Methods):
    """A session, by id or file; any number of threads and processes may share it.

    Appended records are durable when the method returns. Failures raise `HistoryError`, whose `code` is the
    exit code of the corresponding command.
    """

"""A key that is there already is not found."""

from codeh_history.store import log

log.LockedFile.lines_with_key = lambda self, key: iter(())

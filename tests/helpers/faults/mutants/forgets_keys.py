"""A key that is there already is not found."""

from codeh_history.store import log

log.LockedFile.keyed = lambda self, key: iter(())

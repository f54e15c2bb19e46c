"""A key that is there already is not found."""

from codeh_history.store import log
from codeh_history.store.needle import field

KEY = field("key", "").pattern[:-2]  # without its value
lines_with = log.LockedFile.lines_with
log.LockedFile.lines_with = lambda self, searched: (
    iter(()) if searched.pattern.startswith(KEY) else lines_with(self, searched)
)

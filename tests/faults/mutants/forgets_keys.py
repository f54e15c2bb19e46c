"""A key that is there already is not found."""

from codeh_history.store import log

find = log.Locked.find
log.Locked.find = lambda self, needle, start=0: -1 if b'"key"' in needle else find(self, needle, start)

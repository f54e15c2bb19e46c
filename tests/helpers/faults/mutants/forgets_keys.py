"""A key that is there already is not found."""

from codeh_history.store import file

file.LockedFile.keyed = lambda self, key: iter(())

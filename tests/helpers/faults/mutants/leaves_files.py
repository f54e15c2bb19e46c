"""Temporary files are left where they are."""

from codeh_history.store import new_file

new_file.remove = lambda _: None

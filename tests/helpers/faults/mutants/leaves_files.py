"""Temporary files are left where they are."""

from codeh_history.store import replace

replace.remove = lambda _: None

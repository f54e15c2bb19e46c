"""A line written right behind a torn one."""

from codeh_history.store import log

prefix = log._prefix
log._prefix = lambda *args: prefix(*args).removeprefix(b"\n")

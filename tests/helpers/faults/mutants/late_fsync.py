"""Synced, but after the acknowledgement."""

import os

later = []
leave = os._exit
sync = os.fdatasync
os.fdatasync = lambda fd: later.append(os.dup(fd))


def leave_synced(code):
    for fd in later:
        sync(fd)
    leave(code)


os._exit = leave_synced

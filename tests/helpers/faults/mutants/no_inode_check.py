"""A writer that does not look whether the path still names the file it has locked."""

from codeh_history.store import log


def careless(path, *, create, wait):
    fd, created = log._open(path, create=create)
    log.lock(fd, path, log.time.monotonic() + wait)
    return fd, created


log.open_locked = careless

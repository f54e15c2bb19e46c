"""A short write is taken for a whole one."""

import os

from codeh_history.store import log


def write(fd, _path, _size, data, *_, **__):
    os.write(fd, data)
    os.fdatasync(fd)


log.write = write

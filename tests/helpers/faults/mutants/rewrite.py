"""What many a program does: read all, write all."""

import os

from codeh_history.store import file, log


def rewrite(fd, _path, size, data, *_, **__):
    old = file.pread_all(fd, size)
    os.ftruncate(fd, 0)
    os.write(fd, old + data)
    os.fdatasync(fd)


log.write = rewrite

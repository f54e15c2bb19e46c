"""New content written over the old, in the same file."""

import os

from codeh_history.store import replace


def publish(path, data):
    fd = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(fd, data)
    os.fsync(fd)


replace._publish = publish

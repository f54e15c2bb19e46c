"""A terminal that commands write to, and what is shown there."""

import os
import pty
import struct


def opened(columns=80):
    """Both ends of a terminal of 24 lines: that of who looks at it, and the command's."""
    import fcntl
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return master, slave


def chunks(master):
    """What is written there until nobody has the other end, which closes this one."""
    try:
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                return
            if not chunk:
                return
            yield chunk
    finally:
        os.close(master)

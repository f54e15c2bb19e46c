"""A pseudo-terminal for commands, and what they write to it."""

import os
import pty
import struct


def opened(columns=80):
    """Open a terminal of 24 lines; return the reader's end and the command's."""
    import fcntl
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return master, slave


def chunks(master):
    """Yield what is written until the other end is closed, then close this one."""
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

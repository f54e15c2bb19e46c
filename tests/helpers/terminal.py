"""A pseudo-terminal for commands, and what they write to it."""

import os
import pty
import struct
import subprocess


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


def shown(argv, env, *, columns=80, stdin=subprocess.DEVNULL, stdout=None, keys=b""):
    """What a program writes to a terminal (stdout may be a file), where these keys are typed into a pager.

    stdin: None is the terminal.
    """
    master, slave = opened(columns)
    process = subprocess.Popen(
        argv,
        stdin=slave if stdin is None else stdin,
        stdout=stdout or slave,
        stderr=slave,
        env=env,
        start_new_session=True,
    )
    os.close(slave)
    output = b""
    for chunk in chunks(master):
        output += chunk
        if keys and b":" in chunk[-12:]:  # less waits for a key
            os.write(master, keys)
            keys = b""
    process.wait(60)
    return output

"""Run a program in a terminal of its own, and type a prompt: `typed_prompt.py PROMPT COMMAND…`.

It ends when the program shows `Done.`, or after half a minute.
"""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

SECONDS = 30.0
HUB = b"--cline-hub-daemon"
KEYS = ((6.0, lambda prompt: prompt), (7.5, lambda _: b"\r"))  # once its screen is drawn


def main(prompt, *words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(words[0], words, {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    try:
        _type(terminal, prompt.encode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        _end_hub()


def _type(terminal, prompt):
    start, keys, shown = time.monotonic(), [*KEYS], b""
    while (now := time.monotonic() - start) < SECONDS:
        if keys and now > keys[0][0]:
            os.write(terminal, keys.pop(0)[1](prompt))
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 1 << 16)
            except OSError:
                break
        if not keys and b"Done." in shown:
            break
    sys.stdout.buffer.write(shown)


def _end_hub():
    """End the hub that Cline leaves running, known by the directory that it was started in."""
    time.sleep(0.5)
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{process}/cmdline", "rb") as file:
            command = file.read().split(b"\0")
            if HUB in command and os.getcwd().encode() in command:
                os.kill(int(process), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])

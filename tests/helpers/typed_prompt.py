"""Run a program in a terminal of its own, and type a prompt: `typed_prompt.py READY PROMPT COMMAND…`.

The prompt is typed once READY is shown. It ends when the program shows `Done.`, or after a minute.
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

SECONDS = 60.0
HUB = b"--cline-hub-daemon"
KEYS = (3.0, 4.5, 8.0, 12.0)  # seconds after the screen is drawn: the prompt, and Enter until it is taken


def main(ready, prompt, *words):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(words[0], words, {**os.environ, "TERM": "xterm-256color"})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
    try:
        _type(terminal, ready.encode(), prompt.encode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        _end_hub()


def _type(terminal, ready, prompt):
    start, shown, drawn, keys = time.monotonic(), b"", None, [*KEYS]
    while (now := time.monotonic()) < start + SECONDS and not (
        len(keys) < len(KEYS) - 1 and b"Done." in shown
    ):
        if drawn is None and ready in shown:
            drawn = now
        if drawn is not None and keys and now > drawn + keys[0]:
            os.write(terminal, prompt if len(keys) == len(KEYS) else b"\r")
            del keys[0]
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                shown += os.read(terminal, 1 << 16)
            except OSError:
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

"""What is longer than the screen goes through the pager of the user."""

from __future__ import annotations

from ..base.env import Env

# Quit where one screen is enough, colours, and what was read stays on the screen.
LESS = "FRX"


def show(env: Env, data: bytes, *, paged: bool = True) -> None:
    """Print what is laid out already; through `$PAGER` (less) where a person can scroll in it.

    Only where stdin and stdout are a terminal: what runs unattended never waits for a key.
    """
    command = pager(env) if paged else None
    if command is None or not _is_long(data):
        env.draw(data)
        return
    import signal
    import subprocess

    environ = {"LESS": LESS, **env.environ}
    env.make_way()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's
    try:
        process = subprocess.Popen(["sh", "-c", command], stdin=subprocess.PIPE, env=environ)
        process.communicate(data)  # a pager that was quit has read enough
    finally:
        signal.signal(signal.SIGINT, before)
    if process.returncode in (126, 127):  # there is no such pager
        env.draw(data)


def _is_long(data: bytes) -> bool:
    import shutil

    return data.count(b"\n") >= shutil.get_terminal_size().lines


def pager(env: Env) -> str | None:
    """The command of `$PAGER`, else `less`; None without one, or where nobody could press a key."""
    wanted = env.environ.get("PAGER", "less").strip()
    if not (env.terminal(env.stdin) and env.terminal(env.stdout)) or env.environ.get("TERM") in (
        None,
        "dumb",
    ):
        return None
    if wanted == "less":
        import shutil

        wanted = "less" if shutil.which("less") else ""
    return wanted if wanted not in ("", "cat") else None

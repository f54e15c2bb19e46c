"""What is longer than the screen goes through the user's pager."""

from __future__ import annotations

import shutil

from ..base.env import Env


def show(env: Env, data: bytes, *, paged: bool = True) -> None:
    """Print what is laid out already; through `$PAGER` (less) where a person can scroll in it."""
    command = pager(env) if paged and data.count(b"\n") >= shutil.get_terminal_size().lines else None
    if command is None:
        env.draw(data)
        return
    import os
    import pydoc

    # quit where one screen is enough, colours, and what was read stays on the screen
    os.environ.setdefault("LESS", "FRX")
    env.make_way()
    pydoc.pipepager(data.decode("utf-8", "replace"), command)


def pager(env: Env) -> str | None:
    """The command of `$PAGER`, else `less`; None without one, or where nobody could press a key.

    Only where stdin and stdout are a terminal: what runs unattended never waits for a key.
    """
    command = env.environ.get("PAGER", "less").strip()
    unattended = not (env.terminal(env.stdin) and env.terminal(env.stdout))
    if unattended or env.environ.get("TERM") in (None, "dumb") or command in ("", "cat"):
        return None
    return command if shutil.which(command.split()[0]) else None

"""Show output that is longer than the screen in the user's pager."""

from __future__ import annotations

import shutil

from ..base.env import Env


def show(env: Env, data: bytes, *, paged: bool = True) -> None:
    """Print formatted output, through `$PAGER` (less) if it is longer than an interactive screen."""
    command = pager(env) if paged and data.count(b"\n") >= shutil.get_terminal_size().lines else None
    if command is None:
        env.draw(data)
        return
    import os
    import pydoc

    # quit if the output fits on the screen, keep colours, do not clear the screen
    os.environ.setdefault("LESS", "FRX")
    env.clear_progress()
    pydoc.pipepager(data.decode("utf-8", "replace"), command)


def pager(env: Env) -> str | None:
    """Return the command `$PAGER`, by default `less`; None if it is not installed.

    Also None unless stdin and stdout are terminals, so that an unattended command never waits for a key.
    """
    command = env.environ.get("PAGER", "less").strip()
    unattended = not (env.terminal(env.stdin) and env.terminal(env.stdout))
    if unattended or env.environ.get("TERM") in (None, "dumb") or command in ("", "cat"):
        return None
    return command if shutil.which(command.split()[0]) else None

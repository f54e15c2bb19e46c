"""Messages for people: rich on a terminal, plain in a pipe."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.env import Env
from ..session.model import Message, Summary
from . import parts, plain


def document(
    env: Env,
    messages: Sequence[tuple[int | None, Message]],
    summaries: Sequence[Summary],
    system: str | None,
) -> bytes:
    """The system prompt and summaries first, then the messages, then the references."""
    if rich_wanted(env):
        from . import rich_messages

        return rich_messages.document(messages, summaries, system, width=width(), colour=env.colour)
    ids = parts.short_ids([message.id for _, message in messages])
    pieces = [plain.system(system)] if system else []
    pieces += [plain.summary(summary) for summary in summaries]
    pieces += [plain.message(number, message, ids[message.id]) for number, message in messages]
    pieces.append(plain.references([message for _, message in messages]))
    return "".join(pieces).encode("utf-8", "backslashreplace")


def heading(env: Env, number: int | None, message: Message) -> str:
    """A message's heading alone, without a newline."""
    id = parts.short_ids([message.id])[message.id]
    if rich_wanted(env):
        from . import rich_messages, terminal

        text = rich_messages.heading(number, message, id)
        return terminal.printed(text, width=width(), colour=env.colour).decode().rstrip("\n")
    return plain.heading(number, message, id)


def rich_wanted(env: Env, fd: int | None = None) -> bool:
    """Whether stdout (or `fd`) is a terminal that can lay out text."""
    return env.terminal(env.stdout if fd is None else fd) and env.environ.get("TERM") != "dumb"


def width() -> int:
    import shutil

    return shutil.get_terminal_size().columns

"""What the talking commands say of an answer that was stored."""

from __future__ import annotations

from ..base.env import Env

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .answer import Received


def tell(env: Env, session: str, received: Received, *, echo: bool) -> None:
    """The id on stdout unless the text went there; tool calls are named."""
    if not echo:
        env.write(f"{received.id}\n".encode())
    if received.calls and not received.known:
        count = len(received.calls)
        waits = "a tool call waits" if count == 1 else f"{count} tool calls wait"
        env.note(f"{session}: {waits}: {', '.join(received.calls)} (codeh-history calls)")

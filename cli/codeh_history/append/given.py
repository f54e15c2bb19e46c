"""What `append` was asked for, and what of it contradicts itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..base.errors import Usage
from . import tool_parts


@dataclass(frozen=True)
class Given:
    """The options of a message."""

    message: Sequence[str] = ()
    file: Sequence[str] = ()
    role: str | None = None
    kind: str | None = None
    attach: Sequence[str] = ()
    call: Sequence[str] = ()
    args: Sequence[str] = ()
    call_id: Sequence[str] = ()
    result: str | None = None
    failed: bool = False
    references: str | None = None
    key: str | None = None
    pin: bool = False
    pending: bool = False
    max_items: int | None = None
    redact: bool = False

    def check(self) -> None:
        """Flags that contradict each other are exit 2."""
        if self.call and self.result:
            raise Usage("--call and --result: a message is one or the other; use --jsonl for both")
        if self.result == "" or "" in self.call:
            raise Usage("--call and --result name a tool")
        if self.args and not self.call:
            raise Usage("--args goes with --call NAME")
        if self.failed and not self.result:
            raise Usage("--failed goes with --result NAME")
        if self.call_id and not (self.call or self.result):
            raise Usage("--call-id goes with --call or --result")
        tool_parts.check(self.call, self.args, self.call_id)
        if self.key is not None and not self.key:
            raise Usage("--key is empty")
        if self.pending and (self.attach or self.max_items):
            raise Usage("--pending goes with text only")
        if self.max_items is not None and self.max_items < 1:
            raise Usage("--max-items: a number above 0")

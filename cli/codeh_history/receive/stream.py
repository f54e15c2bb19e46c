"""`append --stream`: a text that is still being written, pending as it arrives, committed at its end."""

from __future__ import annotations

from collections.abc import Callable

from ..append.text import ROLES, say_new
from ..base.env import Env
from ..providers.text.response import Exact
from ..session.model import Json
from ..store import log
from ..store.protocol import Locked
from ..store.resolve import Target
from .answer import Receiving


class Streaming(Receiving):
    """A message of any kind, whose session it may start; others may be reading along."""

    flush_seconds = 0.1
    flush_bytes = 4096

    def __init__(self, env: Env, target: Target, kind: str, role: str | None) -> None:
        super().__init__(env, target, Exact(), fresh=True)
        self.kind = kind
        self.role = role
        self.options = f" --role {role}" if kind in ROLES.values() else f" --kind {kind}"

    def message(self, type: str, id: str) -> Json:
        message: Json = {"type": type, "id": id, "ts": self.env.now(), "kind": self.kind}
        if self.role is not None:
            message["role"] = self.role
        return message

    def store(self, build: Callable[[Locked], bytes | None]) -> None:
        if log.append(self.env, self.target.path, build, create=not self.begun):
            say_new(self.env, self.target)

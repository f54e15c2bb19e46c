"""The outside world of one call: nothing on stdin, no terminal, output kept for whoever called."""

from __future__ import annotations

from ..base.env import Env
from ..base.errors import HistoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import Self


class Theirs(BaseException):
    """What the caller's own function raised, on its way through ours: it comes out as it was."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Call(Env):
    """What a verb may touch, for the length of a call; what fails in here is a `HistoryError`."""

    def __init__(self, environ: Mapping[str, str], stdin: bytes = b"") -> None:
        super().__init__(environ, stdin=-1, stdout=-1, stderr=-1)
        self.named_only = True
        self.given = stdin
        self.out: list[bytes] = []
        self.told: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if isinstance(error, Theirs):
            raise error.error
        if isinstance(error, Exception) and not isinstance(error, HistoryError):
            known = self.understood(error)
            if known is not None:
                raise known from error

    @property
    def output(self) -> bytes:
        """What the verb printed."""
        return b"".join(self.out)

    @staticmethod
    def lives_long() -> None:
        """How the collector is set is the program's."""

    @property
    def text(self) -> str:
        """The same as text, without its last newline."""
        return self.output.decode().removesuffix("\n")

    def draw(self, data: bytes | memoryview) -> None:
        self.out.append(bytes(data))

    def report(self, text: bytes, *, drawn: bool = False) -> None:  # noqa: ARG002
        self.told.append(text)

    def complain(self, text: str) -> None:
        """A note goes to the logger `codeh_history`, where the program uses `logging` at all."""
        import sys

        if "logging" in sys.modules:
            import logging

            logging.getLogger("codeh_history").info(text)

    def arriving(self, most: int = 0) -> Iterator[bytes]:  # noqa: ARG002
        yield self.given

    def waiting(self) -> bool:
        return False

    def idle(self, seconds: float) -> bool:  # noqa: ARG002
        return False

    def piped(self) -> bool:
        return False

    def terminal(self, fd: int) -> bool:  # noqa: ARG002
        return False

"""The environment of verbs that a `Session` calls, and the opened session."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import HistoryError, NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any, Self

    from ..session.model import Json
    from ..session.view import View
    from ..store.resolve import Target


class CallerError(BaseException):
    """Carries an exception of the caller's function through this package, which then raises `error`."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Caller:
    """Runs code of the caller in a `with` block, wrapping its exceptions in CallerError."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception):
            raise CallerError(error) from error


class Call(Env):
    """The environment of one call: empty stdin, no terminal, output collected for the caller.

    As a context manager, it raises failures as `HistoryError`.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(environ, stdin=-1, stdout=-1, stderr=-1)
        self.named_only = True
        self.input = b""
        self.out: list[bytes] = []
        self.reports: list[bytes] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if isinstance(error, CallerError):
            raise error.error
        if isinstance(error, Exception) and not isinstance(error, HistoryError):
            failure = self.translated(error)
            if failure is not None:
                raise failure from error

    @property
    def output(self) -> bytes:
        """The verb's output."""
        return b"".join(self.out)

    @property
    def text(self) -> str:
        """The output as text, without its final newline."""
        return self.output.decode().removesuffix("\n")

    @staticmethod
    def enable_gc() -> None:
        """Do nothing: garbage collection is up to the caller."""

    def draw(self, data: bytes | memoryview) -> None:
        self.out.append(bytes(data))

    def report(self, text: bytes, *, drawn: bool = False) -> None:  # noqa: ARG002
        self.reports.append(text)

    def warn(self, text: str) -> None:
        """Send a note to the logger `codeh_history`, if the program uses `logging`."""
        import sys

        if "logging" in sys.modules:
            import logging

            logging.getLogger("codeh_history").info(text)

    def read_stdin(self) -> bytes:
        return self.input


class OpenSession:
    """An opened session: its name and path, and the environment variables when it was opened."""

    def __init__(self, environ: dict[str, str], name: str, *, create: bool) -> None:
        from ..store import resolve
        from ..store.paths import SERVER, is_path

        if (is_path(name) or "/" in name) and not name.startswith(SERVER):
            name = os.path.abspath(name)
        with Call(environ) as call:
            target = (resolve.for_writing if create else resolve.for_reading)(call, name)
        self.environ = environ
        self.name = name if "/" in name else target.id
        self.create = create
        self.path = target.path
        self.call()

    def call(self) -> Call:
        """Return an environment for one call; NotFound if the session is missing and not to be created."""
        if not self.create and not self.exists:
            from ..store.paths import hint

            raise NotFound(f"{self.path}: no such session{hint(self.path)}")
        return Call(self.environ)

    @property
    def exists(self) -> bool:
        from ..store.paths import exists

        return exists(self.path)

    @property
    def target(self) -> Target:
        from ..store.resolve import Target

        return Target(self.path, "library")

    def run(self, verb: str, options: Json, **fixed: Any) -> Call:
        """Run a verb; return its environment, which has the output."""
        from ..commands import module_of
        from .options import read

        module = module_of(verb)
        with self.call() as call:
            module.run(call, read(module.Options, options, session=self.name, **fixed))
            return call

    def view(self, call: Call) -> View:
        """Return the session's view; empty before the first append."""
        from ..views.view import view_of

        return view_of(call, self.target, None if self.exists else b"")


def copy_of(value: Json) -> Json:
    """Return a deep copy, which the caller may change."""
    import orjson

    copy: Json = orjson.loads(orjson.dumps(value))
    return copy

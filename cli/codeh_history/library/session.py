"""A session as an object: each method does what the verb of its name does, by the same functions."""

from __future__ import annotations

import os

from ..base.env import Env
from ..base.errors import NotFound, Usage
from .env import Call
from .options import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..access.late_media import Deferred
    from ..blocks import Lost
    from ..session.model import Json
    from ..session.view import View
    from ..store.resolve import Target

    Texts = str | list[str] | tuple[str, ...]


class Session:
    """A session of this home, or in a file; any number of threads and processes may share it.

    What is appended is durable when the method returns. A failure is a `HistoryError`; its `code` is the
    exit code that the command would have.
    """

    __slots__ = ("_create", "_environ", "_name", "path")

    def __init__(self, environ: dict[str, str], name: str, path: str, *, create: bool) -> None:
        """Not to be called: `Session.open` finds out what is to be known."""
        self._environ = environ
        self._name = name
        self._create = create
        self.path = path

    @classmethod
    def open(
        cls,
        id_or_path: str | os.PathLike[str],
        create: bool = False,  # noqa: FBT001, FBT002 - a word for whoever reads the call
        home: str | os.PathLike[str] | None = None,
    ) -> Session:
        """The session of that id (or prefix, `@`, `@.`) or in that file; NotFound where it is not there.

        With `create` it need not be: the first append makes it. `home` replaces `$CODEH_HOME`.
        """
        from ..store import resolve
        from ..store.paths import is_path

        environ = dict(os.environ)
        if home is not None:
            environ["CODEH_HOME"] = os.path.abspath(home)
        name = os.fspath(id_or_path)
        if is_path(name) or "/" in name:
            name = os.path.abspath(name)
        elif name == "-":
            raise Usage("- is a stream on stdin: name a session")
        with Call(environ) as call:
            target = (resolve.for_writing if create else resolve.for_reading)(call, name)
            if not create and not os.path.exists(target.path):
                raise NotFound(f"{target.path}: no such session")
        return cls(environ, name if "/" in name else target.id, target.path, create=create)

    @property
    def id(self) -> str:
        """The id that its file's name stands for."""
        from ..store.paths import id_of

        return id_of(self.path)

    def __repr__(self) -> str:
        return f"Session({self._name!r})"

    # -- what is appended ---------------------------------------------------------------------------

    def append(self, message: Texts = (), **options: Any) -> str:
        """Append one message (`append`); its id."""
        from ..append.given import Given
        from ..commands import append

        with self._call() as call:
            given = read(Given, {"message": message, **options}, session=self._name, **_ELSEWHERE)
            append.store(call, given)
            return call.output.decode().strip()

    def extend(self, messages: Iterable[Json], *, redact: bool = False) -> list[str]:
        """Append many messages (`append --jsonl`), all or nothing; their ids."""
        import orjson

        from ..append import jsonl

        lines = [orjson.dumps(message) + b"\n" for message in messages]
        if not lines:
            return []
        with self._call(b"".join(lines)) as call:
            jsonl.run(call, self._name, redact=redact)
            return call.output.decode().split()

    # -- what is read -------------------------------------------------------------------------------

    @property
    def messages(self) -> list[Json]:
        """The messages of the view, as `show --jsonl` prints them."""
        from ..commands.show.numbered import message_json

        return self._shown(message_json)

    @property
    def items(self) -> list[Json]:
        """Of each message what is committed and what is pending, as `show --items` prints them."""
        from ..commands.show.numbered import item_json

        return self._shown(item_json)

    @property
    def settings(self) -> Json:
        """The session's settings: title, tags, system, tools, …"""
        return _own(self.view.meta)

    @property
    def view(self) -> View:
        """What a model would see now, to be looked at: its class may change in any version."""
        with self._call() as call:
            return self._look(call, self._target(), None)

    def payload(self, to: str | None = None, **options: Any) -> bytes:
        """The request body that sends the session to a provider (`payload`)."""
        from ..commands.payload import Given
        from ..config.layers import asked
        from ..send.payload import body_of

        with self._call() as call:
            given = read(Given, {"to": to, **options}, session=self._name, argument=None)
            held = asked(call, given, given.profile)
            pieces = body_of(
                call, None, self._name, held.request, under=held.under, strict=given.strict, look=self._look
            )
            return b"".join(pieces)

    # -- inside -------------------------------------------------------------------------------------

    def _call(self, stdin: bytes = b"") -> Call:
        """A call, unless there is no session to be written to."""
        if not self._create and not os.path.exists(self.path):
            raise NotFound(f"{self.path}: the session was removed")
        return Call(self._environ, stdin)

    def _target(self) -> Target:
        from ..store.resolve import Target

        return Target(self.path, "library")

    def _look(
        self,
        env: Env,
        target: Target,
        data: bytes | None,
        *,
        strict: bool = False,
        media: Deferred | None = None,
        lost: Lost | None = None,
    ) -> View:
        from ..access.view import looked_at, view_of

        if self._create and not os.path.exists(self.path):
            return looked_at(env, b"", None)
        return view_of(env, target, data, strict=strict, media=media, lost=lost)

    def _shown(self, one: Any) -> list[Json]:
        return [_own(one(number, message)) for number, message in enumerate(self.view.messages, 1)]


_ELSEWHERE = {"jsonl": False, "stream": False, "from_": None, "echo": False, "max_bytes": None}  # methods


def _own(value: Json) -> Json:
    """A copy that the caller may change."""
    import orjson

    copy: Json = orjson.loads(orjson.dumps(value))
    return copy

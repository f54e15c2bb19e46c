"""The public class `Session`: each method calls the functions of the verb with its name.

Type checkers read codeh_history/__init__.pyi, which lists all keyword arguments (`make generate`).
"""

from __future__ import annotations

import os

from ..base.errors import Usage
from ..base.input import Text
from .env import OpenSession, as_records, copy_of, dumped, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from ..session.model import Json, Message
    from ..session.view import View
    from .stream import Filtered, Stream

    Texts = str | list[str] | tuple[str, ...]


# options of `append` that belong to other methods
OTHER_METHODS = {"jsonl": False, "stream": False, "from_": None, "echo": False, "max_bytes": None}


class Session:
    """A session, by id or file; any number of threads and processes may share it.

    Appended records are durable when the method returns. Failures raise `HistoryError`, whose `code` is the
    exit code of the corresponding command.
    """

    def __init__(self, opened: OpenSession) -> None:
        """Use `Session.open` instead."""
        self._opened = opened

    @classmethod
    def open(
        cls,
        id_or_path: str | os.PathLike[str],
        create: bool = False,  # noqa: FBT001, FBT002 - positional is readable too
        home: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Open a session by id, prefix, `@`, `@.` or file; NotFound if it does not exist.

        With `create` the first append creates it. `home` replaces `$CODEH_HOME`.
        """
        environ = dict(os.environ)
        if home is not None:
            environ["CODEH_HOME"] = os.path.abspath(home)
        name = os.fspath(id_or_path)
        if name == "-":
            raise Usage("- is a stream on stdin; name a session")
        return cls(OpenSession(environ, name, create=create))

    @property
    def id(self) -> str:
        """The session's id, from its file name."""
        return self._opened.target.id

    @property
    def path(self) -> str:
        """The session's file."""
        return self._opened.path

    def close(self) -> None:
        """Do nothing: no resource stays open between calls."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._opened.name!r})"

    # -- append -----------------------------------------------------------------------------------

    def append(self, message: Texts = (), **options: Any) -> str:
        """Append one message (`append`); return its id."""
        from ..commands import append
        from ..talk.append.options import Options

        with self._opened.call() as call:
            chosen = read(
                Options, {"message": message, **options}, session=self._opened.name, **OTHER_METHODS
            )
            append.append(call, chosen)
            return call.text

    def extend(self, messages: Iterable[Json], *, redact: bool = False) -> list[str]:
        """Append many messages (`append --jsonl`), all or nothing; return their ids.

        Also accepts `{type, text, toolCalls?, timestamp, metadata?}` and `{committed, pending}`, the items
        of a chat interface; BadData if one is still pending.
        """
        from ..talk.append import jsonl

        items = list(messages)  # outside the block, which would translate the caller's errors
        with self._opened.call() as call:
            records = (record for message in items for record in as_records(message))
            call.input = b"".join(dumped(record) + b"\n" for record in records)
            if not call.input:
                return []
            jsonl.run(call, self._opened.name, redact=redact)
            return call.output.decode().split()

    def append_response(
        self,
        response: Any,
        from_: str = "auto",
        *,
        max_bytes: int | str | None = None,
        echo: Callable[[str], object] | None = None,
    ) -> Any:
        """Store a provider's response (`append --from`), bytes or an iterable of chunks; return its id.

        `echo` is called with the text as it arrives. For an async iterable, returns an awaitable.
        """
        from . import asking

        return asking.response(self._opened, response, from_, max_bytes, echo)

    def stream(
        self, role: str | None = None, *, kind: str | None = None, max_bytes: int | str | None = None
    ) -> Stream:
        """Begin a streamed message (`append --stream`)."""
        from . import asking

        return asking.stream(self._opened, role, kind, max_bytes)

    def ask(
        self,
        message: Texts = (),
        *,
        via: str | Callable[[bytes], Any] | None = None,
        echo: Callable[[str], object] | None = None,
        **options: Any,
    ) -> Any:
        """Append a prompt, send the session by `via`, store the answer (`ask`); return an `Answer`.

        `via` is a command, or a function from the request body to the response, as bytes or an iterable of
        bytes; `echo` is called with the text as it arrives. For an async function, returns an awaitable.
        """
        from . import asking

        return asking.run(
            via, {"message": message, **options},
            lambda via, options: asking.ask(self._opened, echo, via, options),
        )  # fmt: skip

    def calls(self, via: str | Callable[..., Any] | None = None, **options: Any) -> Any:
        """Return the tool calls without a result; with `via`, answer each (`calls`).

        `via` is a command, or a function from the call to its result, a text or JSON. For an async
        function, returns an awaitable.
        """
        from . import asking

        return asking.run(via, options, lambda *how: asking.calls(self._opened, *how))

    def undo(self, id: str | None = None, *, turn: bool = False) -> list[tuple[str, str]]:
        """Revert the newest record, or this one (`undo`); return the undone records, newest first."""
        from ..commands.undo import undo

        if id and turn:
            raise Usage("undo: pass either an id or turn, not both")
        with self._opened.call() as call:
            return [it[:2] for it in undo(call, self._opened.target, id, turn=turn)]

    def update(self, id: str, message: Texts = (), **options: Any) -> str:
        """Replace a message's text (`update`); return its id."""
        return self._opened.run("update", {"id": id, "message": message, **options}).text

    def commit(self, id: str | None = None) -> str | None:
        """Commit pending content (`commit`); return the message's id, None if nothing is pending."""
        return self._opened.run("commit", {"id": id}).text or None

    def clear(self) -> str:
        """Start over (`clear`); return the id for `undo`."""
        return self._opened.run("clear", {}).text

    def set(self, settings: Json) -> None:
        """Set title, tags, system prompt, tools, models, … (`set`); None unsets a key."""
        from ..commands import set_

        values: dict[str, object] = {}
        for key, value in settings.items():
            set_.check_key(key)
            values[key] = set_.value_of(key, Text(value)) if isinstance(value, str) else value
        with self._opened.call() as call:
            set_.store(call, self._opened.name, values)

    # -- reduce -----------------------------------------------------------------------------------

    def curate(self, **options: Any) -> Any:
        """Return the session without content that should not be sent again (`curate`).

        `remove_cmd` is a command, or a function from a text of the model's to the cleaned text. For an
        async function, returns an awaitable.
        """
        from . import asking

        return asking.run(None, options, lambda _, options: self._filter("curate", options))

    def compact(self, budget: int | str | None = None, **options: Any) -> Filtered:
        """Return the session reduced to a budget (`compact`)."""
        return self._filter("compact", {"budget": budget, **options})

    def repair(self, **options: Any) -> Filtered:
        """Return the session with broken pairs and empty parts repaired (`repair`)."""
        return self._filter("repair", options)

    def _filter(self, verb: str, options: Json) -> Filtered:
        import orjson

        from .stream import Filtered

        call = self._opened.run(verb, options, argument=None, report=True)
        return Filtered(call.output, [orjson.loads(line) for line in call.reports])

    def summarize(self, via: str | Callable[..., Any] | None = None, **options: Any) -> Any:
        """Summarise the oldest exchanges if they are due (`summarize`); return the result, or None.

        `via` is a command, or a function from the prompt to the summary. For an async function, returns an
        awaitable.
        """
        from . import asking

        return asking.run(via, options, lambda *how: asking.summarize(self._opened, *how))

    # -- read --------------------------------------------------------------------------------------

    @property
    def messages(self) -> list[Json]:
        """The messages of the view, in the format of `show --jsonl`."""
        from ..commands.show import message_json

        return self._shown(message_json)

    @property
    def items(self) -> list[Json]:
        """Each message's committed and pending content, in the format of `show --items`."""
        from ..commands.show import item_json

        return self._shown(item_json)

    @property
    def settings(self) -> Json:
        """The session's settings: title, tags, system, tools, …"""
        return copy_of(self.view.meta)

    @property
    def view(self) -> View:
        """The view, which is what a model would see now; its class may change in any version."""
        with self._opened.call() as call:
            return self._opened.view(call)

    def payload(self, to: str | None = None, **options: Any) -> Any:
        """Return the request body for a provider (`payload`), as bytes.

        `remove_cmd` is a command, or a function from a text of the model's to the cleaned text. For an
        async function, returns an awaitable.
        """
        if "remove_cmd" not in options:
            return self._payload(to, options)
        from . import asking

        return asking.run(None, options, lambda _, options: self._payload(to, options))

    def _payload(self, to: str | None, options: Json) -> bytes:
        from ..base.config import resolve
        from ..commands.payload import Options
        from ..talk.send.payload import body_of

        with self._opened.call() as call:
            chosen = read(Options, {"to": to, **options}, session=self._opened.name, argument=None)
            resolved = resolve(call, chosen, chosen.profile)
            pieces = body_of(
                call, None, self._opened.name, resolved.request, base=resolved.base, strict=chosen.strict,
                data=None if self._opened.exists else b"",
            )  # fmt: skip
            return b"".join(pieces)

    def export(self, to: str | None = None, **options: Any) -> bytes:
        """Return the session in another format (`export`)."""
        return self._opened.run("export", {"to": to, **options}, all=False, argument=None).output

    def fork(self, at: str | None = None, into: str | None = None) -> Self:
        """Copy this session, up to and including a message, into a new one (`fork`)."""
        from ..commands.fork import copy

        with self._opened.call() as call:
            name = copy(call, self._opened.target, at, into)
        return type(self)(OpenSession(self._opened.environ, name, create=False))

    def _shown(self, as_json: Callable[[int | None, Message], Json]) -> list[Json]:
        return [copy_of(as_json(number, message)) for number, message in enumerate(self.view.messages, 1)]

"""What a `Session` can do: each method does what the verb of its name does, by the same functions.

Users' tools read its types in session.pyi, where each `options` is written out (`make generate`).
"""

from __future__ import annotations

import os

from ..base.errors import Usage
from ..base.input import Text
from .env import Opened, own
from .options import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Self

    from ..session.model import Json, Message
    from ..session.view import View
    from .results import Filtered
    from .stream import Stream

    Texts = str | list[str] | tuple[str, ...]


class Methods:
    """The methods of a session; `Session` is the name by which it is public."""

    __slots__ = ("_opened",)

    def __init__(self, opened: Opened) -> None:
        """Not to be called: `Session.open` finds the session."""
        self._opened = opened

    @classmethod
    def open(
        cls,
        id_or_path: str | os.PathLike[str],
        create: bool = False,  # noqa: FBT001, FBT002 - a word for whoever reads the call
        home: str | os.PathLike[str] | None = None,
    ) -> Self:
        """The session of that id (or prefix, `@`, `@.`) or in that file; NotFound where it is not there.

        With `create` it need not be: the first append makes it. `home` replaces `$CODEH_HOME`.
        """
        environ = dict(os.environ)
        if home is not None:
            environ["CODEH_HOME"] = os.path.abspath(home)
        name = os.fspath(id_or_path)
        if name == "-":
            raise Usage("- is a stream on stdin: name a session")
        return cls(Opened(environ, name, create=create))

    @property
    def id(self) -> str:
        """The id that its file's name stands for."""
        return self._opened.target.id

    @property
    def path(self) -> str:
        """Its file."""
        return self._opened.path

    def close(self) -> None:
        """Nothing is held open between two calls; for programs that close what they open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._opened.name!r})"

    # -- what is appended ---------------------------------------------------------------------------

    def append(self, message: Texts = (), **options: Any) -> str:
        """Append one message (`append`); its id."""
        from ..append.options import Options
        from ..commands import append

        with self._opened.call() as call:
            chosen = read(Options, {"message": message, **options}, session=self._opened.name, **ELSEWHERE)
            append.store(call, chosen)
            return call.text

    def extend(self, messages: Iterable[Json], *, redact: bool = False) -> list[str]:
        """Append many messages (`append --jsonl`), all or nothing; their ids.

        An interface's `{type, text, toolCalls?, timestamp, metadata?}` and `{committed, pending}` are taken
        too; what is still pending is BadData.
        """
        from ..append import jsonl
        from .options import as_records, dumped

        lines = [dumped(record) + b"\n" for message in messages for record in as_records(message)]
        if not lines:
            return []
        with self._opened.call(b"".join(lines)) as call:
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
        """Store a provider's response (`append --from`): bytes, or an iterable as they arrive; its id.

        `echo` is told the text as it arrives. Of an async iterable something to be awaited.
        """
        from . import asking

        return asking.response(self._opened, response, from_, max_bytes, echo)

    def stream(
        self, role: str | None = None, *, kind: str | None = None, max_bytes: int | str | None = None
    ) -> Stream:
        """A message that is being written (`append --stream`)."""
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
        """Append a prompt, have `via` send the session, store the answer (`ask`): an `Answer`.

        `via`: a command, or a function of the request body that returns the response, as bytes or as an
        iterable of them; `echo` is told the text as it arrives. Of an async function something to be
        awaited.
        """
        from . import asking

        return asking.run(
            via, {"message": message, **options},
            lambda via, options: asking.ask(self._opened, echo, via, options),
        )  # fmt: skip

    def calls(self, via: str | Callable[..., Any] | None = None, **options: Any) -> Any:
        """The tool calls that wait for a result; with `via` each is answered (`calls`).

        `via`: a command, or a function of the call that returns the result, a text or JSON. Of an async
        function something to be awaited.
        """
        from . import asking

        return asking.run(via, options, lambda *how: asking.calls(self._opened, *how))

    def undo(self, id: str | None = None, *, turn: bool = False) -> list[tuple[str, str]]:
        """Take back what is newest, or this (`undo`); what it was, as (type, id), newest first."""
        from ..commands.undo import undo

        if id and turn:
            raise Usage("undo: an id or turn, one of them")
        with self._opened.call() as call:
            return [(it.type, it.id) for it in undo(call, self._opened.target, id, turn=turn)]

    def update(self, id: str, message: Texts = (), **options: Any) -> str:
        """Give a message new text (`update`); its id."""
        return self._opened.run("update", {"id": id, "message": message, **options}).text

    def commit(self, id: str | None = None) -> str | None:
        """Make pending content a message's own (`commit`); its id, None where nothing is pending."""
        return self._opened.run("commit", {"id": id}).text or None

    def clear(self) -> str:
        """Start over (`clear`); the id that `undo` takes."""
        return self._opened.run("clear", {}).text

    def set(self, settings: Json) -> None:
        """Set title, tags, system prompt, tools, models, … (`set`); None unsets."""
        from ..commands import set_

        values: dict[str, object] = {}
        for key, value in settings.items():
            set_.check_key(key)
            values[key] = set_.value_of(key, Text(value)) if isinstance(value, str) else value
        with self._opened.call() as call:
            set_.store(call, self._opened.name, values)

    # -- what makes it smaller ----------------------------------------------------------------------

    def curate(self, **options: Any) -> Any:
        """The session without what a model should not be sent again (`curate`).

        `remove_cmd`: a command, or a function of each text of the model that returns what stays of it. Of
        an async function something to be awaited.
        """
        from . import asking

        return asking.run(None, options, lambda _, options: self._filter("curate", options))

    def compact(self, budget: int | str | None = None, **options: Any) -> Filtered:
        """The session made to fit (`compact`)."""
        return self._filter("compact", {"budget": budget, **options})

    def repair(self, **options: Any) -> Filtered:
        """The session made whole (`repair`)."""
        return self._filter("repair", options)

    def _filter(self, verb: str, options: Json) -> Filtered:
        import orjson

        from .results import Filtered

        call = self._opened.run(verb, options, argument=None, report=True)
        return Filtered(call.output, [orjson.loads(line) for line in call.reports])

    def summarize(self, via: str | Callable[..., Any] | None = None, **options: Any) -> Any:
        """Summarise the oldest exchanges where that is due (`summarize`): what was done, None if nothing.

        `via`: a command, or a function of the prompt that returns the summary. Of an async function
        something to be awaited.
        """
        from . import asking

        return asking.run(via, options, lambda *how: asking.summarize(self._opened, *how))

    # -- what is read -------------------------------------------------------------------------------

    @property
    def messages(self) -> list[Json]:
        """The messages of the view, as `show --jsonl` prints them."""
        from ..commands.show import message_json

        return self._shown(message_json)

    @property
    def items(self) -> list[Json]:
        """Of each message what is committed and what is pending, as `show --items` prints them."""
        from ..commands.show import item_json

        return self._shown(item_json)

    @property
    def settings(self) -> Json:
        """The session's settings: title, tags, system, tools, …"""
        return own(self.view.meta)

    @property
    def view(self) -> View:
        """What a model would see now, to be looked at: its class may change in any version."""
        with self._opened.call() as call:
            return self._opened.look(call, self._opened.target)

    def payload(self, to: str | None = None, **options: Any) -> Any:
        """The request body that sends the session to a provider (`payload`), as bytes.

        `remove_cmd`: a command, or a function of each text of the model that returns what stays of it. Of
        an async function something to be awaited.
        """
        if "remove_cmd" not in options:
            return self._payload(to, options)
        from . import asking

        return asking.run(None, options, lambda _, options: self._payload(to, options))

    def _payload(self, to: str | None, options: Json) -> bytes:
        from ..commands.payload import Options
        from ..config.layers import resolve
        from ..send.payload import body_of

        with self._opened.call() as call:
            chosen = read(Options, {"to": to, **options}, session=self._opened.name, argument=None)
            held = resolve(call, chosen, chosen.profile)
            pieces = body_of(
                call, None, self._opened.name, held.request, under=held.under, strict=chosen.strict,
                data=None if self._opened.exists else b"",
            )  # fmt: skip
            return b"".join(pieces)

    def export(self, to: str | None = None, **options: Any) -> bytes:
        """The session in another form (`export`)."""
        return self._opened.run("export", {"to": to, **options}, all=False, argument=None).output

    def fork(self, at: str | None = None, into: str | None = None) -> Self:
        """A new session with a copy of this one, up to and including a message (`fork`)."""
        from ..commands.fork import copy

        with self._opened.call() as call:
            name = copy(call, self._opened.target, at, into)
        return type(self)(Opened(self._opened.environ, name, create=False))

    def _shown(self, as_json: Callable[[int | None, Message], Json]) -> list[Json]:
        return [own(as_json(number, message)) for number, message in enumerate(self.view.messages, 1)]


ELSEWHERE = {"jsonl": False, "stream": False, "from_": None, "echo": False, "max_bytes": None}  # methods

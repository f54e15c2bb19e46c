"""Shared by adapters: messages that keep a package's value, and asynchronous calls in order."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from itertools import groupby
from typing import Any, Concatenate, ParamSpec, TypeVar

import orjson

from .. import providers
from ..base.errors import BadData, NotFound
from ..library.session import Session
from ..providers.parts import name_of, object_of
from ..providers.request import Options
from ..session.model import Json, Message

FIELD = "native"  # the field of a message with `{PACKAGE: VALUE}`
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Render = Callable[[Sequence[Message], Sequence[str]], list[Any]]


class SerialExecutor:
    """Runs blocking calls in one thread, in order."""

    def __init__(self) -> None:
        self._process = -1
        self._thread: ThreadPoolExecutor | None = None

    async def __call__(self, work: Callable[..., Result], *arguments: Any) -> Result:
        if self._thread is None or self._process != os.getpid():  # threads do not survive a fork
            self._process, self._thread = os.getpid(), ThreadPoolExecutor(1, "codeh-history")
        return await asyncio.wrap_future(self._thread.submit(work, *arguments))


def in_order(
    work: Callable[Concatenate[Any, Arguments], Result],
) -> Callable[Concatenate[Any, Arguments], Coroutine[Any, Any, Result]]:
    """Make a method asynchronous by running it in its object's `executor`."""

    @wraps(work)
    async def call(self: Any, /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        result: Result = await self.executor(partial(work, self, *arguments, **named))
        return result

    return call


def exact_json(value: Any, what: str) -> Any:
    """Convert a value to JSON; raise BadData if a session would not return it unchanged."""
    try:
        plain = json.loads(json.dumps(value))
        if orjson.loads(orjson.dumps(plain)) == plain:
            return plain
    except (TypeError, ValueError) as error:
        raise BadData(f"{what}: cannot be stored unchanged: {error}") from None
    raise BadData(f"{what}: contains a number that cannot be stored unchanged; nothing was stored")


class NativeHistory:
    """A session in which each message keeps the package's value from which it was made.

    An unchanged message is returned as this value. Shortened or edited messages, summaries, and messages of
    other programs are `render`ed from their parts instead.
    """

    def __init__(self, package: str, session: Session, render: Render) -> None:
        self.package = package
        self.session = session
        self.render = render
        self.names: dict[str, str] = {}  # call id → function, as far as known

    def add(self, messages: Iterable[tuple[Any, Json]]) -> list[str]:
        """Append values with their messages, all or none; return the ids."""
        return self.session.extend(
            [
                {**message, FIELD: {self.package: exact_json(value, self.package)}}
                for value, message in messages
            ]
        )

    def values(self) -> list[Any]:
        """Return the current session as values."""
        view = self.session.view
        texts = [summary.text for summary in view.summaries]
        values: list[Any] = self.render((), texts) if texts else []
        pairs = ((self.value(message), message) for message in view.messages)
        for changed, group in groupby(pairs, lambda pair: pair[0] is None):
            items = list(group)
            values += self._rendered([m for _, m in items]) if changed else [value for value, _ in items]
        return values

    def value(self, message: Message) -> Any:
        """Return the value from which a message was made; None if it has none or was changed."""
        value = object_of(message.fields.get(FIELD)).get(self.package)
        if value is None or message.replaced:
            return None
        stored = message.fields
        if "blockIds" in stored:
            return value if stored["blockIds"] == message.blocks else None
        return value if stored.get("parts") == message.own else None

    def learn_names(self, calls: Iterable[Json], field: str = "id") -> None:
        """Remember the function of each call; `field` is that of a call's id."""
        names = [(name_of(call.get(field)), name_of(call.get("name"))) for call in calls]
        self.names.update((id, name) for id, name in names if id and name)

    def pop(self) -> list[Any]:
        """Revert the newest message and return its values; empty if there is no message."""
        before: str | None = None
        while True:
            newest = (m for m in reversed(self.session.view.messages) if m.role is not None)
            message = next(newest, None)
            if message is None:
                return []
            if message.id == before:
                raise NotFound(f"{self.session.id}: {message.id} cannot be undone")
            before = message.id
            value = self.value(message)
            values = [value] if value is not None else self._rendered([message])
            try:
                self.session.undo(message.id)
            except NotFound:  # another process was first
                continue
            if values:
                return values

    def clear(self) -> None:
        """Hide all messages, reversibly."""
        try:
            self.session.clear()
        except NotFound:  # nothing was ever appended
            pass

    def _rendered(self, messages: Sequence[Message]) -> list[Any]:
        sent = [message for message in messages if message.is_sent]
        return self.render(sent, ()) if sent else []


def rendering(format: str) -> Callable[[Sequence[Message], Sequence[str]], list[Any]]:
    """Return a function that renders messages as the elements of a provider's request."""
    package = providers.Format(format)

    def render(messages: Sequence[Message], summaries: Sequence[str]) -> list[Any]:
        request = package.request(list(messages), Options(faithful=True), summaries)
        elements: list[Any] = orjson.loads(orjson.dumps(request.body[package.package.FIELD]))
        return elements

    return render

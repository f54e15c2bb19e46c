"""Methods that call the caller's functions: to ask a model, run a tool, write a summary, clean text.

Functions run in the calling thread; async functions are awaited in the caller's event loop.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from ..base import config
from ..base.errors import NotFound, Usage
from ..base.options import MAX_BYTES, MOST_BYTES
from ..base.read_json import json_object
from ..commands import ask as ask_command
from ..commands import calls as calls_command
from ..session.model import Json
from ..session.pairing import Call
from ..summaries.command import Done
from ..talk.append import options as appending
from ..talk.append.parts import response_of
from ..talk.append.text import kind_and_role
from ..talk.receive import run_command
from ..talk.receive.answer import Received, Receiving, Streaming, reader_of
from ..talk.receive.run_command import exchange
from ..talk.send import payload
from .env import Caller, CallerError, OpenSession, copy_of, dumped, read
from .stream import Answer, CallbackEcho, Feed, Stream, pieces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..base.options import Parsed

A_FUNCTION = "a function"  # the value of `via` if it is a function
AGAIN = "`ask` without a text"

T = TypeVar("T")
OnText = Callable[[str], object]  # receives text as it arrives


def run(via: Any, options: Json, work: Callable[[Any, Json], Any]) -> Any:
    """Return `work(via, options)`, as an awaitable if `via` or a function in `remove_cmd` is async."""
    removers = options.get("remove_cmd") or ()
    removers = list(removers) if isinstance(removers, (list, tuple)) else [removers]

    def job(bridge: Bridge | None = None) -> Any:
        def adapted(function: Any) -> Any:
            return bridge.blocking(function) if bridge is not None and is_async(function) else function

        cleaning = [remover(adapted(each)) if callable(each) else each for each in removers]
        return work(adapted(via), {**options, "remove_cmd": cleaning} if removers else options)

    return in_thread(job) if any(map(is_async, [via, *removers])) else job()


def response(
    opened: OpenSession, data: Any, from_: str, max_bytes: int | str | None, echo: OnText | None
) -> Any:
    """Store a response and return its id."""

    def stored(data: Any) -> str:
        with opened.call() as call:
            if not opened.exists:
                raise NotFound(f"{opened.path}: no such session; a response never creates one")
            echoed = CallbackEcho(call, echo) if echo is not None else None
            receiving = Receiving(call, opened.target, reader_of(from_), echoed, fresh=False)
            most = MAX_BYTES.coerce(max_bytes, "max_bytes") or MOST_BYTES
            return Feed(receiving, most).all(pieces(data)).id

    return in_thread(lambda bridge: stored(bridge.result_of(data))) if is_async(data) else stored(data)


def stream(opened: OpenSession, role: str | None, kind: str | None, max_bytes: int | str | None) -> Stream:
    """Begin a streamed message."""
    call = opened.call()
    chosen = read(appending.Options, {"role": role, "kind": kind})
    streaming = Streaming(call, opened.target, *kind_and_role(chosen.role, chosen.kind))
    return Stream(call, streaming, MAX_BYTES.coerce(max_bytes, "max_bytes") or MOST_BYTES)


def ask(opened: OpenSession, echo: OnText | None, via: Any, options: Json) -> Answer:
    """Append a prompt, send the session, store the answer."""
    with opened.call() as call:
        chosen = _options(ask_command.Options, options, via, opened, no_stdin=True, id=True, echo=False)
        most = chosen.max_bytes or MOST_BYTES
        request = config.resolve(call, chosen, chosen.profile, chosen.via)
        if request.via is None:
            raise Usage("ask: pass `via`, a function or a command that sends the request")
        payload.checked_provider(request.request)
        echoed = CallbackEcho(call, echo) if echo is not None else None
        with ask_command.sending(call, opened.target, chosen, request, AGAIN) as ready:
            if isinstance(ready, Received):
                return Answer(opened.view(call).all[ready.id])
            body, reader = ready
            if callable(via):
                body.seek(0)
                receiving = Receiving(call, opened.target, reader, echoed, fresh=True)
                try:
                    with Caller():
                        response = via(body.read())
                    received = Feed(receiving, most).all(pieces(response))
                except CallerError as raised:
                    raised.error.add_note(f"the prompt is stored: {AGAIN} sends it")
                    raise
            else:
                received = exchange(call, opened.target, body, request.via, reader, echo=echoed, most=most)
        return Answer(opened.view(call).all[received.id])


def calls(opened: OpenSession, via: Any, options: Json) -> list[Json]:
    """Return the open calls; with `via`, answer each one."""
    with opened.call() as call:
        chosen = _options(calls_command.Options, options, via, opened, argument=None)
        tool: run_command.Run | None = None
        if callable(via):
            tool = tool_of(via)
        elif chosen.via or chosen.profile:
            command = config.command(call, "calls.via", chosen.profile, chosen.via)
            most = chosen.max_bytes or MOST_BYTES
            tool = run_command.by_command(command, most) if command is not None else None
        lines: list[Json] = []
        for waiting in calls_command.waiting(call, opened.target, chosen):
            line = copy_of(calls_command.line_of(waiting))
            if tool is not None:
                line["result"] = next(
                    iter(run_command.answer_call(call, opened.target, waiting, tool)), None
                )
            lines.append(line)
        return lines


def summarize(opened: OpenSession, via: Any, options: Json) -> Json | None:
    """Summarise the messages that are due."""
    from ..commands import summarize as summarize_command

    with opened.call() as call:
        fixed = {"argument": None, "all_": False, "jobs": 1, "emit": False, "apply": None, "in_place": True}
        chosen = _options(summarize_command.Options, options, via, opened, **fixed)
        writer = Writer(via, body=chosen.to is not None) if callable(via) else None
        counter = summarize_command.counter_of(call, chosen)
        settings = summarize_command.settings_of(call, chosen, counter, writer)
        summarize_command.summarize_session(call, opened.target, settings, chosen)
        return json_object(call.output)


def _options(takes: type[Parsed], options: Json, via: Any, opened: OpenSession, **fixed: object) -> Parsed:
    named = {**options, "via": A_FUNCTION if callable(via) else via}
    return read(takes, named, session=opened.name, **fixed)


# -- the caller's functions in place of commands ------------------------------------------------------


def tool_of(function: Callable[..., Any]) -> run_command.Run:
    """Answer calls by a function; an exception it raises becomes a failed result."""

    def run(call: Call) -> tuple[Json, str]:
        try:
            result = function(calls_command.line_of(call))
        except Exception as error:  # noqa: BLE001 - the caller's function may raise anything
            name = type(error).__name__
            return run_command.failed(call, str(error) or name, name)
        return response_of(result if isinstance(result, str) else dumped(result).decode()), ""

    return run


def remover(function: Callable[..., Any]) -> Callable[[str], str]:
    """Clean text by a function, as `--remove-cmd` does by a command."""

    def clean(text: str) -> str:
        with Caller():
            result = function(text)
        if not isinstance(result, str):
            raise TypeError(f"remove_cmd: {function!r} returned {type(result).__name__}: expected a string")
        return result

    return clean


class Writer:
    """Writes summaries by a function of the prompt, or with `body` of the request body."""

    def __init__(self, function: Callable[..., Any], *, body: bool) -> None:
        self.function = function
        self.body = body

    def run(self, data: bytes) -> Done:
        with Caller():
            summary = self.function(data if self.body else data.decode())
        chunks = pieces(summary)
        return Done(0, b"".join(c.encode() if isinstance(c, str) else bytes(c) for c in chunks), b"")

    def stop(self) -> None:
        """Do nothing: there is no process to stop."""


# -- async functions run in the caller's event loop, the verb in a thread ----------------------------


def is_async(function: object) -> bool:
    """Return whether this is an async function, an async generator function, or an async iterable."""
    called = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async `__call__`
    return hasattr(function, "__aiter__") or any(
        inspect.iscoroutinefunction(candidate) or inspect.isasyncgenfunction(candidate)
        for candidate in (function, called)
    )


class Bridge:
    """Runs awaitables in the caller's event loop from another thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._running: Any = None
        self._cancelled = False

    def blocking(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap an async function so that calling it waits for its result."""

        def call(*args: Any) -> Any:
            return self.result_of(function(*args))

        return call

    def result_of(self, value: Any) -> Any:
        """Wait for the value if it is awaitable; convert an async iterable to a plain one."""
        if inspect.isawaitable(value):
            value = self._result(value)
        return self._all(value.__aiter__()) if hasattr(value, "__aiter__") else value

    def cancel(self) -> None:
        """Cancel the running awaitable and all later ones."""
        self._cancelled = True
        if self._running is not None:
            self._running.cancel()

    def _all(self, pieces: AsyncIterator[Any]) -> Iterator[Any]:
        while True:
            try:
                piece = self._result(anext(pieces))
            except StopAsyncIteration:
                return
            yield piece

    def _result(self, awaitable: Any) -> Any:
        async def waited() -> Any:
            return await awaitable

        self._running = asyncio.run_coroutine_threadsafe(waited(), self.loop)
        if self._cancelled:
            self._running.cancel()
        try:
            return self._running.result()
        finally:
            self._running = None


async def in_thread(job: Callable[[Bridge], T]) -> T:
    """Run a job in a thread. If cancelled, cancel its awaitables and wait for it to store its data."""
    loop = asyncio.get_running_loop()
    bridge = Bridge(loop)
    done: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            settle = partial(done.set_result, job(bridge))
        except BaseException as error:  # noqa: BLE001 - raised in the loop
            settle = partial(done.set_exception, error)
        loop.call_soon_threadsafe(settle)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        bridge.cancel()
        await asyncio.wait([done])
        done.exception()  # retrieved, so that asyncio does not report it
        raise

"""The caller's async functions: our work goes on in a thread of its own, theirs in their event loop."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


def is_async(function: object) -> bool:
    """Whether this is a function that is awaited, or what is iterated so."""
    called = getattr(function, "__call__", None)  # noqa: B004 - an object may have an async one
    return hasattr(function, "__aiter__") or any(
        inspect.iscoroutinefunction(candidate) or inspect.isasyncgenfunction(candidate)
        for candidate in (function, called)
    )


class Bridge:
    """From a thread of ours into the loop of the caller."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._running: Any = None
        self._cancelled = False

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as one that can be called here; what it makes is waited for."""

        def call(*args: Any) -> Any:
            return self.had(function(*args))

        return call

    def had(self, made: Any) -> Any:
        """What was made, once it is there."""
        if inspect.isawaitable(made):
            made = self._result(made)
        return self._all(made.__aiter__()) if hasattr(made, "__aiter__") else made

    def cancel(self) -> None:
        """End what is waited for, and whatever would be."""
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


async def run(job: Callable[[Bridge], T]) -> T:
    """What the job returns. Cancelled, it is waited for: it leaves pending what it has."""
    loop = asyncio.get_running_loop()
    bridge = Bridge(loop)
    done: asyncio.Future[T] = loop.create_future()

    def work() -> None:
        try:
            settle = partial(done.set_result, job(bridge))
        except BaseException as error:  # noqa: BLE001 - raised again in the loop
            settle = partial(done.set_exception, error)
        loop.call_soon_threadsafe(settle)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), daemon=True).start()
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        bridge.cancel()
        await asyncio.wait([done])
        done.exception()  # it is this one's
        raise

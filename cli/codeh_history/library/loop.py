"""Call the caller's async functions in their event loop, while the verb runs in a thread."""

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


async def run(job: Callable[[Bridge], T]) -> T:
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

"""Results of a session's methods; receiving an answer or a text piece by piece, and storing it."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Generator, Iterable, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self

from ..base.env import Env
from ..base.errors import HistoryError
from ..session.model import Json, Message
from ..session.view import text_of
from ..talk.receive.answer import Echo, Received, Receiving, Streaming
from .env import Call, Caller, CallerError

_CHUNK = (bytes, str, bytearray, memoryview)


class Filtered(NamedTuple):
    """A filter's output (empty with `in_place`), and its changes in the format of `--report`."""

    output: bytes
    report: list[Json]


class Answer:
    """A stored answer: its message's `id`, its `text`, its tool `calls`.

    Awaiting it returns it unchanged, so that `await session.ask(…)` works with any `via`.
    """

    def __init__(self, message: Message) -> None:
        self.id = message.id
        self.text = text_of(message)
        self.calls: list[Json] = [
            dict(part["functionCall"]) for part in message.parts if "functionCall" in part
        ]

    def __repr__(self) -> str:
        return f"Answer({self.id!r}, {self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __await__(self) -> Generator[Any, None, Self]:
        yield from ()
        return self


class Feed:
    """Feeds a `Receiving` from any thread; a timer thread flushes data that has waited too long."""

    def __init__(self, receiving: Receiving, most: int) -> None:
        self.receiving = receiving
        self.most = most
        self.ended = False
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._failed: BaseException | None = None  # an exception in the timer thread

    def take(self, chunk: bytes | str) -> None:
        """Take the next chunk; write it now, or when its flush interval ends."""
        if not isinstance(chunk, _CHUNK):
            raise TypeError(f"a chunk is bytes or text, not {type(chunk).__name__}")
        data = chunk.encode() if isinstance(chunk, str) else bytes(chunk)
        with self._lock:
            self._check()
            self.receiving.arrived(data, self.most)
            if self.receiving.held and self._timer is None:
                delay = self.receiving.flushed + self.receiving.flush_seconds - time.monotonic()
                self._timer = threading.Timer(max(delay, 0.001), self._write)
                self._timer.daemon = True
                self._timer.start()

    def all(self, chunks: Iterable[Any]) -> Received:
        """Take all chunks and commit; on an exception, leave the received part pending."""
        end: Any = object()
        try:
            source = iter(chunks)
            while True:
                with Caller():  # the source is the caller's code
                    chunk = next(source, end)
                if chunk is end:
                    return self.close()
                self.take(chunk)
        except HistoryError:
            raise  # the message is already aborted
        except BaseException as error:
            self.abort(type(error.error if isinstance(error, CallerError) else error).__name__)
            raise

    def close(self) -> Received:
        """Commit the message."""
        with self._lock:
            self._end()
            self._check()
            return self.receiving.close()

    def abort(self, reason: str) -> None:
        """Leave the received part pending, with this reason."""
        with self._lock:
            self._end()
            self.receiving.interrupt(reason)

    def _end(self) -> None:
        self.ended = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed

    def _write(self) -> None:
        with self._lock:
            self._timer = None
            if self.ended:
                return
            try:
                if self.receiving.held:
                    self.receiving.flush()
            except BaseException as error:  # noqa: BLE001 - raised again by the next `take`
                self._failed = error


class CallbackEcho(Echo):
    """Passes the text of an answer to a function as it arrives."""

    def __init__(self, env: Env, callback: Callable[[str], object]) -> None:
        super().__init__(env)
        self.callback = callback

    def text(self, text: str) -> None:
        if text:
            with Caller():
                self.callback(text)

    def end(self) -> None:
        """Do nothing: the function needs no final newline."""


def pieces(data: Any) -> Iterable[Any]:
    """Return a response (bytes, text, a JSON object, or an iterable of bytes and texts) as chunks.

    An object of a provider's client library, a pydantic model, is converted to JSON.
    """
    if isinstance(data, _CHUNK):
        return [data]
    if hasattr(data, "model_dump_json"):
        return [data.model_dump_json(by_alias=True, exclude_none=True, warnings=False)]
    if isinstance(data, dict):
        import orjson

        return [orjson.dumps(data)]
    if not hasattr(data, "__iter__"):
        is_async = hasattr(data, "__await__") or hasattr(data, "__aiter__")
        hint = "; pass an `async def` itself" if is_async else ""
        kind = f"{type(data).__name__}{hint}"
        raise TypeError(f"a response is bytes, text, an object or an iterable, not {kind}")
    chunks: Iterable[Any] = data
    return chunks


class Stream:
    """`with session.stream("model") as s: s.write(chunk)`; an exception leaves the written part pending.

    Data is written to disk after a tenth of a second or 4 KiB. `id` is the message's id, None until its
    first write.
    """

    def __init__(self, call: Call, streaming: Streaming, most: int) -> None:
        self._call = call
        self._streaming = streaming
        self._feed = Feed(streaming, most)
        self.id: str | None = None

    def write(self, chunk: str | bytes) -> None:
        """Append text, or UTF-8 bytes split anywhere."""
        if self._feed.ended:
            raise ValueError("the stream has ended")
        with self._call:
            self._feed.take(chunk)
            self.id = self._streaming.pending

    def through(self, chunks: Iterable[str]) -> Iterator[str]:
        """Write each chunk and yield it."""
        for chunk in chunks:
            self.write(chunk)
            yield chunk

    async def athrough(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """Write each chunk of an async iterable and yield it."""
        async for chunk in chunks:
            self.write(chunk)
            yield chunk

    def commit(self) -> str:
        """Commit the message and return its id; BadData if it is blank."""
        with self._call:
            self.id = self._feed.close().id
            return self.id

    def abort(self, reason: str = "aborted") -> None:
        """Leave the message pending, with this reason."""
        with self._call:
            self._feed.abort(reason)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if self._feed.ended:
            return
        if kind is None:
            self.commit()
        else:
            self.abort(kind.__name__)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

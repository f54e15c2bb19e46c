"""A streamed message: pending on disk while it grows, committed at its end."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from types import TracebackType
from typing import Self

from ..talk.receive.answer import Streaming
from .env import Call
from .feed import Feed


class Stream:
    """`with session.stream("model") as s: s.write(chunk)`; an exception leaves the written part pending.

    Data is written to disk after a tenth of a second or 4 KiB. `id` is the message's id, None until its
    first write.
    """

    __slots__ = ("_call", "_feed", "_streaming", "id")

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

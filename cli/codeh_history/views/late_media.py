"""Keep large media in the block store until the request is written.

A request body contains every image of its session, and building it would hold several copies of each in
memory. So a short stand-in, itself valid base64, replaces the data while the body is built; the data is
inserted block by block when the body is written.
"""

from __future__ import annotations

import os

import orjson

from ..base import Any, Iterator
from ..base.env import Env
from ..base.lazy import Pattern
from ..session.model import Json, Part

BIG = 256 * 1024  # bytes; smaller blocks are read at once
HEAD = 4096  # characters of base64 that a stand-in keeps, enough for the dimensions of most images
_DATA = Pattern(rb'"data":"([A-Za-z0-9+/]+={0,2})"')  # base64 as every provider spells it
_SENT_UNCHANGED = ("image/", "audio/", "video/", "application/pdf")  # text files are decoded


class StandIn(str):
    """A short text with the length, beginning and end of the base64 that it replaces."""

    __slots__ = ("head", "size", "tail")
    size: int
    head: str
    tail: str

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: Any) -> str:
        if isinstance(key, slice) and key.step is None:
            if not key.start and key.stop is not None and 0 <= key.stop <= len(self.head):
                return self.head[: key.stop]
            if key.stop is None and key.start is not None and -len(self.tail) <= key.start < 0:
                return self.tail[key.start :]
        return super().__getitem__(key)


class Deferred:
    """The media that is inserted into a body when it is written; 128 random bits mark each place.

    `measured`: only images whose stand-in shows their dimensions, so that their tokens can be counted.
    """

    def __init__(self, *, measured: bool = False) -> None:
        self.measured = measured
        self._mark = os.urandom(16).hex()
        self._held: list[tuple[str, int, int]] = []  # block, and where its base64 begins and ends

    def part(self, id: str, data: bytes) -> Part | None:
        """Return the part in a block with a stand-in for its media; None if it must be read at once."""
        match = _DATA.search(data)
        start, end = match.span(1) if match else (0, 1)
        if (end - start) % 4:  # no base64, or not padded
            return None
        text = f"{self._mark}{len(self._held):032x}"
        part: Json = orjson.loads(data[:start] + text.encode() + data[end:])
        blob = part.get("inlineData")
        if not isinstance(blob, dict) or blob.get("data") != text:
            return None
        mime = str(blob.get("mimeType")).lower()
        if not mime.startswith(_SENT_UNCHANGED):
            return None
        stand_in = StandIn(text)
        stand_in.size = end - start
        stand_in.head = data[start : min(end, start + HEAD)].decode()
        stand_in.tail = data[end - 4 : end].decode()
        if self.measured:
            from ..tokens import media

            if not (mime.startswith("image/") and media.dimensions(stand_in.head)):
                return None
        self._held.append((id, start, end))
        part["inlineData"] = {**blob, "data": stand_in}
        return part  # type: ignore[return-value]

    @property
    def used(self) -> bool:
        return bool(self._held)

    def pieces(self, body: bytes, env: Env) -> Iterator[bytes | memoryview]:
        """Yield the body with the data inserted; one block is in memory at a time."""
        from ..store.blocks import fetch, open_stores

        stores = open_stores(env)
        at = 0
        for mark in Pattern(self._mark.encode() + rb"([0-9a-f]{32})").finditer(body):
            yield body[at : mark.start()]
            id, start, end = self._held[int(mark[1], 16)]
            yield memoryview(fetch(stores, [id])[id])[start:end]
            at = mark.end()
        yield body[at:]

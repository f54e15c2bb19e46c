"""A session under its lock, as passed to the functions that build what is written."""

from __future__ import annotations

from ..base import Any, Iterator
from ..base.errors import BadData
from ..base.escape import quote


class Locked:
    """A session under its lock, as passed to `build`.

    `size` is the current number of bytes; `prefix` precedes the first new line: a header in an empty
    session, a newline after a torn line.
    """

    prefix: bytes

    def __init__(self, path: str, session: str, size: int = 0) -> None:
        self.path = path
        self.session = session
        self.size = size
        self._ids: set[bytes] | None = None
        self._streamed: int | None = None

    @property
    def offset(self) -> int:
        """Where the first new line will start."""
        return self.size + len(self.prefix)

    @property
    def created(self) -> bool:
        """Whether the session is new."""
        return self.prefix.endswith(b"}\n")

    def has(self, id: str) -> bool:
        """Return whether any record has this seeded id."""
        if self._ids is None:
            import re

            self._ids = set(re.findall(rb'(?<=")[0-9a-f]{20}(?=")', self.read()))
        return id.encode() in self._ids

    def streamed_bytes(self) -> int:
        """Return the size of the lines that streamed content; seeded ids do not depend on it."""
        if self._streamed is None:
            from ..session.fold import streamed
            from .foreign import read_log

            data = self.read()
            self._streamed = streamed(read_log(data).records) if b'"open"' in data else 0
        return self._streamed

    def read(self) -> bytes:
        """Return the current content for parsing, without lines too long for records."""
        raise NotImplementedError

    def whole(self) -> bytes:
        """Return the current content for rewriting it."""
        return self.read()

    def holds(self, data: bytes, offset: int) -> bool:
        """Return whether the session has these bytes at this offset."""
        raise NotImplementedError

    def lines_with_key(self, key: str) -> Iterator[bytes]:
        """Yield the lines that may have this key, in order; false positives are possible."""
        return self.lines_with("key", key)

    def lines_with(self, name: str, value: str) -> Iterator[bytes]:
        """Yield the lines that may contain this field, in order; false positives are possible."""
        pattern = field(name, value)
        for block in self.blocks():
            at = 0
            while match := pattern.search(block, at):
                at = block.find(b"\n", match.end())
                at = at if at >= 0 else len(block)
                yield block[block.rfind(b"\n", 0, match.start()) + 1 : at]

    def blocks(self) -> Iterator[bytes]:
        """Yield the content in pieces that end with a line."""
        yield self.read()

    def add(self, data: bytes) -> None:
        """Add bytes, durable once the lock is released."""
        raise NotImplementedError

    def replace(self, data: bytes) -> None:
        """Replace the content, durable once the lock is released."""
        raise NotImplementedError

    def remove(self) -> None:
        """Delete a session in a database."""
        raise NotImplementedError


def field(name: str, value: str) -> Any:
    """Return a pattern for `"name": "value"`, or for any escape, since that may be part of it."""
    import re

    names = [re.escape(quote(text).encode("utf-8", "surrogatepass")) for text in (name, value)]
    return re.compile(rb"%b[ \t\r]*:[ \t\r]*%b|\\[u/]" % (*names,))


def exists_already(path: str) -> BadData:
    """Return the error for a new session whose id exists."""
    return BadData(f"{path}: already exists; choose another id")

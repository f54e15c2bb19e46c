"""What calls did, found out by another core while their session is still read.

Of a session full of calls that takes as long as reading it, and needs nothing but its bytes.
"""

from __future__ import annotations

import fcntl
import marshal
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Self

from ..base.child import Child
from ..base.env import polled
from ..session.fold import fold
from ..session.model import Message
from ..session.pairing import Call, pair
from ..session.view import View
from ..store import read
from ..store.foreign import Arriving
from ..tokens.formula import sent
from .calls import Told, told_of

MANY = 100  # calls that are worth a process
LEAST, MOST = 1 << 19, 1 << 26  # bytes of a session that is: below it takes no time, above much memory
PATIENCE = 0.1  # seconds that are waited for it, or for room to tell it what there is
_CALL = b'"functionCall"'
_AT_ONCE, _WIDE = 1 << 18, 1 << 20  # bytes: that are read, that a pipe holds

Key = tuple[int, int]  # the place of a message among those that are sent, and which of its parts


class Ahead:
    """Knows what the calls of a session did before it is asked. What is not asked for is ended with it.

    `least`: bytes above which a session is looked at; on one core none is.
    """

    def __init__(
        self, least: float = LEAST, many: int = MANY, patience: float = PATIENCE, *, cores: int
    ) -> None:
        self._patience = patience
        self._least = least
        self._many = many
        self._alone = cores == 1 or least >= MOST
        self._child: Child | None = None
        self._messages: list[Message] = []
        self._found: dict[Key, tuple[Key | None, Told]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def reading(self, source: bytes | Arriving) -> bytes | Arriving:
        """The same session, which is looked at elsewhere from here on."""
        if self._alone:
            return source
        if isinstance(source, Arriving):
            return source.through(self._shared)
        if type(source) is bytes and self._least < len(source) < MOST and source.count(_CALL) > self._many:
            self._begin(lambda: _told(source))
        return source

    def of(self, view: View) -> Callable[[Call], Told | None]:
        """Who is asked about the calls of this view, which is the one of those bytes."""
        if self._child is not None and not view.log.refers:
            self._messages = [message for message in view.messages if sent(message)]
        return self._of_call

    def _of_call(self, call: Call) -> Told | None:
        """What a call came to; None where that is not known."""
        if self._messages and self._child is not None:
            self._take(self._child.result(self._patience))
        asked, told = self._found.get((call.place, call.part), (None, None))
        if told is None or not self._is_same(call.place, call.message):
            return None
        answer = call.answer
        if answer is None:
            return told if asked is None else None
        same = asked == (answer.place, answer.part) and self._is_same(answer.place, answer.message)
        return told if same else None

    def _is_same(self, place: int, message: Message) -> bool:
        return place < len(self._messages) and self._messages[place] is message

    def _take(self, said: bytes | None) -> None:
        self._end()
        for key, answer, fields in marshal.loads(said) if said else ():  # noqa: S302 - said by ourselves
            self._found[key] = answer, Told.of(fields)

    def _begin(self, work: Callable[[], Iterable[bytes]]) -> None:
        try:
            self._child = Child(work)
        except OSError:
            self._alone = True

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def _shared(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The blocks of a stream, given on as they come once there are enough of them."""
        first: list[bytes] = []
        size = 0
        for block in blocks:
            yield block
            first.append(block)
            size += len(block)
            if size > self._least:
                if sum([one.count(_CALL) for one in first]) > self._many:
                    blocks = self._given_on(first, blocks)
                yield from blocks

    def _given_on(self, first: list[bytes], blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The other blocks, each also given to who looks at them, as long as there is anybody."""
        theirs, ours = os.pipe()

        def work() -> Iterable[bytes]:
            os.close(ours)
            return _told(Arriving(chain(first, iter(lambda: os.read(theirs, _AT_ONCE), b""))))

        try:
            self._begin(work)
        finally:
            os.close(theirs)
        size = sum(map(len, first))
        _make_wide(ours)
        try:
            for block in blocks:
                size += len(block)
                if self._child is not None and not (size < MOST and _give(ours, block, self._patience)):
                    self._end()
                yield block
        finally:
            os.close(ours)


def _make_wide(pipe: int) -> None:
    """Have a pipe hold more, where that can be, and never wait for room there."""
    os.set_blocking(pipe, False)
    larger = getattr(fcntl, "F_SETPIPE_SZ", None)  # on Linux
    if larger is not None:
        with suppress(OSError):  # pipes of this user hold all that they may
            fcntl.fcntl(pipe, larger, _WIDE)


def _give(pipe: int, block: bytes, patience: float) -> bool:
    """Whether a block could be written without a long wait for room."""
    try:
        while block:
            try:
                block = block[os.write(pipe, block) :]
            except BlockingIOError:
                if not polled(pipe, 1000 * patience, for_writing=True):
                    return False
    except BrokenPipeError:
        return False
    return True


def _told(source: bytes | Arriving) -> Iterator[bytes]:
    """What each call of a session came to: where it and its answer stand, and all that is told."""
    messages = [message for message in fold(read.read_log(source)).messages if sent(message)]
    found = []
    for call in pair(messages).calls:
        answer = None if call.answer is None else (call.answer.place, call.answer.part)
        found.append(((call.place, call.part), answer, told_of(call).fields()))
    yield marshal.dumps(found)

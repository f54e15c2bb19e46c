"""Texts counted on all cores.

Each has a process: threads of one wait for each other, as tiktoken's patterns share what they work with.
"""

from __future__ import annotations

import marshal
import os
import re
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice, pairwise
from typing import NamedTuple

from ..base.child import Child

LARGE = 1 << 17  # characters above which one text is cut
MOST = 8  # processes

# Cuts here leave the count unchanged: no pre-token of either vocabulary spans them.
_CUT = r"[A-Za-z0-9](?=\s)|\n(?=[!-.0-~])"

Count = Callable[[str], int]


class Shares(NamedTuple):
    """How much is shared, in characters, about."""

    worth: int = 1 << 19  # that are worth a process
    turn: int = 1 << 16  # that a process counts before it takes others
    turns: int = 1 << 13  # turns: the numbers of so many fit in a pipe


SHARES = Shares()


def counts(count: Count, texts: Sequence[str], cores: int = 1, shares: Shares = SHARES) -> list[int]:
    """Each text's count, by as many processes."""
    cores = min(cores, MOST, sum(map(len, texts)) // shares.worth)
    if cores <= 1:
        return [count(text) for text in texts]
    cuts = [cut(text) for text in texts]
    turns = _turns([piece for pieces in cuts for piece in pieces], shares)
    counted = iter(_shared(count, turns, cores))
    return [sum(islice(counted, len(pieces))) for pieces in cuts]


def cut(text: str) -> list[str]:
    """A large text in pieces whose counts add up to its own."""
    if len(text) <= LARGE:
        return [text]
    pieces: list[str] = []
    start = 0
    place = re.compile(_CUT)
    while len(text) - start > LARGE:
        match = place.search(text, start + LARGE // 2)
        if match is None:
            break
        pieces.append(text[start : match.end()])
        start = match.end()
    pieces.append(text[start:])
    return pieces


def _shared(count: Count, turns: Sequence[Sequence[str]], cores: int) -> list[int]:
    """The count of each piece. Who has time takes the next turn; what a child fails at is counted here."""
    found: dict[int, list[int]] = {}
    children: list[Child] = []
    ours = os.getpid()
    try:
        queue = _queue(len(turns))
    except OSError:
        return [count(piece) for turn in turns for piece in turn]

    def work() -> Iterator[bytes]:
        yield marshal.dumps(dict(_taken(count, turns, queue, lambda: os.getppid() == ours)))

    try:
        with suppress(OSError):  # as many as there may be
            while len(children) + 1 < min(cores, len(turns)):
                children.append(Child(work))
        found.update(_taken(count, turns, queue, lambda: True))
        for child in children:
            said = child.result()
            found |= marshal.loads(said) if said else {}  # noqa: S302 - said by ourselves
    finally:
        for child in children:
            child.end()
        os.close(queue)
    return [
        number
        for place, turn in enumerate(turns)
        for number in (found[place] if place in found else map(count, turn))
    ]


def _turns(pieces: Sequence[str], shares: Shares) -> list[Sequence[str]]:
    """The pieces in order, as many together as are worth a turn."""
    size = max(shares.turn, sum(map(len, pieces)) // shares.turns)
    ends, length = [0], 0
    for number, piece in enumerate(pieces, 1):
        length += len(piece)
        if length >= size or number == len(pieces):
            ends.append(number)
            length = 0
    return [pieces[start:end] for start, end in pairwise(ends)]


def _queue(count: int) -> int:
    """A pipe that the numbers up to this one are read from, each by one process; then it is at its end."""
    queue, write_end = os.pipe()
    try:
        os.set_blocking(write_end, False)  # what finds no room there nobody takes
        os.write(write_end, array("I", range(1, count + 1)).tobytes())
    finally:
        os.close(write_end)
    return queue


def _taken(
    count: Count, turns: Sequence[Sequence[str]], queue: int, wanted: Callable[[], bool]
) -> Iterator[tuple[int, list[int]]]:
    """Turns from the queue, as long as there are any, and their counts."""
    size = array("I").itemsize
    while wanted() and (number := int.from_bytes(os.read(queue, size), sys.byteorder, signed=False)):
        yield number - 1, list(map(count, turns[number - 1]))

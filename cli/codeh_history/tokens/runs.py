"""Counts of many messages remembered together, by the lines they stand in.

A history grows at its end: its older lines are asked for in the same runs every time, and one look-up
finds the counts of them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ..session.model import Message
from ..session.records import Record
from . import memory
from .counter import Counter

FORMULA = "/1"  # of another formula no counts are found
Run = tuple[list[Message], bytes]  # messages in order, and their key; none where it is not to be remembered


def split(counter: Counter, messages: Iterable[Message]) -> list[Run]:
    """Messages in runs; no key for the last, which still grows, and where more than lines is shown.

    A run is of places in the log: what stands beside a message does not move it to another.
    """
    groups = [list(group) for _, group in groupby(messages, lambda message: message.place // counter.run)]
    if counter.cache is None or counter.approximate or len(groups) < 2:
        return [(group, b"") for group in groups]
    lines = [_lines(group) for group in groups[:-1]]
    keys = memory.keys_of(counter.vocabulary + FORMULA, lines, counter.media)
    keys = [key if data else b"" for key, data in zip(keys, lines, strict=True)]
    return list(zip(groups, [*keys, b""], strict=True))


def _lines(messages: Sequence[Message]) -> bytes | memoryview:
    """The lines of messages; nothing where one shows something else than its line."""
    if any(message.line is None for message in messages):
        return b""
    first, last = messages[0], messages[-1]
    if last.place - first.place == len(messages) - 1 and isinstance(first.line, Record):
        found = first.line.until(last.line)
        if found is not None:
            return found
    return b"\n".join([message.raw or b"" for message in messages])


def recall(counter: Counter, runs: Sequence[Run]) -> dict[bytes, list[int]]:
    """The remembered counts of runs, those of all their parts in a row."""
    keys = [key for _, key in runs if key]
    if counter.cache is None or not keys:
        return {}
    found = memory.recall(counter.cache, keys, "runs")
    return {key: list(map(int, str(counts).split())) for key, counts in found.items()}


def remember(counter: Counter, counts: Iterable[tuple[bytes, Sequence[Sequence[int]]]]) -> None:
    """Keep what the parts of runs cost."""
    rows = [(key, " ".join(str(n) for parts in run for n in parts)) for key, run in counts]
    if counter.cache is not None and rows:
        memory.remember(counter.cache, rows, "runs")

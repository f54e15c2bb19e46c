"""`verify`: what is wrong with a session, each problem with its byte offset. Nothing is changed."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...access.open_calls import Calling
from ...access.skim import BIG, NeedsFold, Skim, logs
from ...base import piped
from ...base.env import Env
from ...base.errors import HistoryError, Lost
from ...session.fold import fold
from ...session.model import Message
from ...session.pairing import Answer, Call, Pairing, only_results
from ...session.view import uses_tools
from ...store import read
from ...store.paths import sessions_dir
from ...store.resolve import Target
from .lines import Checks, Problem

BATCH = 256  # blocks fetched at once
_STEP = 1 << 20


@dataclass(frozen=True)
class Verdict:
    """What was read, and what is wrong with it, in the order of the file."""

    session: str
    records: int
    messages: int
    problems: list[Problem]


def verify(env: Env, target: Target, *, big: int = BIG, step: int = _STEP) -> Verdict:
    """Everything that is wrong with a session: its lines, what they name, its pairs, its blocks."""
    data = piped.needed(env) if target.path == "-" else None
    kept = os.path.dirname(target.path) == sessions_dir(env)  # a copy elsewhere may have any name
    checks = Checks(target.id if kept else None)
    pieces = checks.through(
        [read.read_log(data)] if data is not None else logs(target.path, big=big, step=step)
    )
    pairs = Pairs()
    try:
        skim = Skim(pieces)
        for number, message in skim.messages():
            pairs.add(number, message, message.place)
        messages = skim.placed
    except NeedsFold:
        for _ in pieces:
            pass  # the rest is checked too
        pairs = Pairs()
        messages = _folded(env, target, data, pairs)
    problems = [*checks.problems(), *pairs.problems(), *missing(env, checks)]
    if data is None and problems and read.being_written(target.path):
        problems = [problem for problem in problems if problem.reason != "torn last line"]
    lines = lines_at([p.offset for p in problems if p.line is None], target, data, step)
    return Verdict(target.id, checks.records, messages, _with_lines(problems, lines))


def _folded(env: Env, target: Target, data: bytes | None, pairs: Pairs) -> int:
    """Take the messages of the view for pairs; returns how many there are."""
    log = read.read_log(data if data is not None else read.read_bytes(target.path))
    view = fold(log)
    if any(message.blocks is not None for message in view.messages):
        from ...access.stored_parts import hydrated

        try:
            view = hydrated(env, view)
        except HistoryError:
            return len(view.messages)  # what is missing is told; who answers whom cannot be
    for number, message in enumerate(view.messages, 1):
        pairs.add(number, message, log.records[message.place].offset)
    return len(view.messages)


class Pairs:
    """Calls without a response (but those the session ends with), responses without a call, late ones."""

    def __init__(self) -> None:
        self.calling = Calling()
        self.found: list[Problem] = []
        self.last_model = 0
        self.others = array("q")  # numbers of what is no mere result, ascending but for streams
        self.known: dict[str, tuple[int, int]] = {}  # of the messages held: number and offset

    def add(self, number: int, message: Message, offset: int) -> None:
        if message.role is None or not message.committed:
            return
        if message.role == "model":
            self.last_model = number
        if not only_results(message):
            self.others.append(number)
        if uses_tools(message):
            self.known[message.id] = number, offset
        let_go = self.calling.add(message)
        if let_go is not None:
            self._judge(let_go)
            self.known = {}

    def problems(self) -> list[Problem]:
        self._judge(self.calling.pairing())
        return self.found

    def _judge(self, pairing: Pairing) -> None:
        for call in pairing.calls:
            number, _ = self.known[call.message.id]
            if call.answer is None:
                if number < self.last_model or (self.others and self.others[-1] > number):
                    self._say(call, f"the call of {call.name} is never answered")
            elif self._between(number, self.known[call.answer.message.id][0]):
                self._say(call.answer, f"the result of {call.name} comes late, after other messages")
        for answer in pairing.orphans:
            self._say(answer, f"the result of {answer.name} answers no call")
        for answer in pairing.doubles:
            self._say(answer, f"a second result of {answer.name} for a call that is answered")

    def _say(self, where: Call | Answer, reason: str) -> None:
        self.found.append(Problem(self.known[where.message.id][1], reason, where.message.id))

    def _between(self, first: int, last: int) -> bool:
        at = bisect_right(self.others, first)
        return at < len(self.others) and self.others[at] < last


def missing(env: Env, checks: Checks) -> Iterator[Problem]:
    """The blocks that are not in their store, or not what their name says."""
    if not checks.blocks:
        return
    from ...blocks import fetch, open_stores

    stores = open_stores(env)
    ids = list(checks.blocks)
    for at in range(0, len(ids), BATCH):
        lost: Lost = {}
        fetch(stores, ids[at : at + BATCH], lost)
        for id, why in lost.items():
            yield Problem(checks.blocks[id][0], why, checks.blocks[id][1])


def _with_lines(problems: list[Problem], lines: dict[int, int]) -> list[Problem]:
    """The problems in file order, each with the line that its offset lies in."""
    problems.sort(key=lambda problem: (problem.offset, problem.line or 0))
    return [p if p.line is not None else replace(p, line=lines[p.offset]) for p in problems]


def lines_at(
    offsets: Sequence[int], target: Target, data: bytes | None = None, step: int = _STEP
) -> dict[int, int]:
    """The line that each of these offsets of a session's file (or of `data`) lies in, the first being 1."""
    found: dict[int, int] = {}
    if not offsets:
        return found
    chunks = iter([data]) if data is not None else _chunks(target.path, step)
    chunk, start, at, line = b"", 0, 0, 1
    for offset in sorted(set(offsets)):
        while offset >= start + len(chunk):
            line += chunk.count(b"\n", at)
            start, at = start + len(chunk), 0
            chunk = next(chunks, b"")
            if not chunk:
                break
        line += chunk.count(b"\n", at, offset - start)
        at = offset - start
        found[offset] = line
    return found


def _chunks(path: str, step: int) -> Iterator[bytes]:
    with read.Opened(path) as (fd, size):
        for at in range(0, size, step):
            yield os.pread(fd, step, at)

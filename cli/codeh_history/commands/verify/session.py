"""Find the problems of a session, each with its byte offset; changes nothing."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...base.env import Env
from ...base.errors import HistoryError, Lost
from ...base.input import required_stdin
from ...session.by_reference import block_ids
from ...session.fold import fold
from ...session.model import Json
from ...session.pairing import Answer, Call, only_results, pair
from ...session.records import VERSION, Log, Record
from ...session.rules import NAMES_OF_AN_OP, OTHER, RULES, added_ids, ids_in, own_id
from ...session.view import View
from ...store import read
from ...store.paths import sessions_dir
from ...store.resolve import Target

BATCH = 256  # blocks per fetch


class Problem(NamedTuple):
    """A problem, with its byte offset in the file, record id and line, if known.

    For a provider: its `path` in the body, and the message's number `n`.
    """

    offset: int | None
    reason: str
    id: str | None = None
    line: int | None = None
    n: int | None = None
    path: str | None = None


class Verdict(NamedTuple):
    """The view of a session and its problems."""

    view: View
    problems: list[Problem]


def verify(env: Env, target: Target) -> Verdict:
    """Check lines, references, calls and results, and blocks; problems are in file order."""
    data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
    log = read.read_log(data)
    kept = os.path.dirname(target.path) == sessions_dir(env)  # elsewhere a file may have any name
    checks = Checks(target.id if kept else None, log)
    view = fold(log)
    problems = [*checks.problems, *pairs(env, view), *missing(env, checks)]
    if target.path != "-" and problems and read.being_written(target.path):
        problems = [problem for problem in problems if problem.reason != "torn last line"]
    problems = with_lines(problems, data)
    problems.sort(key=lambda problem: (problem.offset, problem.line))
    return Verdict(view, problems)


def pairs(env: Env, view: View) -> Iterator[Problem]:
    """Calls without a response (except at the end), responses without a call, and late responses."""
    if any(message.blocks is not None for message in view.messages):
        from ...views.stored_parts import hydrated

        try:
            view = hydrated(env, view)
        except HistoryError:
            return  # `missing` reports the block; the pairs are unknown
    sent = [message for message in view.messages if message.role is not None and message.committed]
    places = {message.id: place for place, message in enumerate(sent)}
    others = [place for place, message in enumerate(sent) if not only_results(message)]
    pairing = pair(sent)

    def problem(where: Call | Answer, reason: str) -> Problem:
        return Problem(view.log.records[where.message.place].offset, reason, where.message.id)

    for call in pairing.calls:
        after = bisect_right(others, places[call.message.id])  # the first other message after it
        if call.answer is None:
            if after < len(others):
                yield problem(call, f"the call of {call.name} is never answered")
        elif after < len(others) and others[after] < places[call.answer.message.id]:
            yield problem(call.answer, f"the result of {call.name} comes late, after other messages")
    for answer in pairing.orphans:
        yield problem(answer, f"the result of {answer.name} answers no call")
    for answer in pairing.doubles:
        yield problem(answer, f"a second result of {answer.name} for a call that is answered")


def missing(env: Env, checks: Checks) -> Iterator[Problem]:
    """Blocks that are missing or altered."""
    if not checks.blocks:
        return
    from ...store.blocks import fetch, open_stores

    stores = open_stores(env)
    ids = list(checks.blocks)
    for at in range(0, len(ids), BATCH):
        lost: Lost = {}
        fetch(stores, ids[at : at + BATCH], lost)
        for id, why in lost.items():
            yield Problem(checks.blocks[id][0], why, checks.blocks[id][1])


def with_lines(problems: Iterable[Problem], data: bytes) -> list[Problem]:
    """Add line numbers to problems with an offset."""
    problems = list(problems)
    lines: dict[int, int] = {}
    line, start = 1, 0
    for offset in sorted({problem.offset for problem in problems if problem.offset is not None}):
        line += data.count(b"\n", start, offset)
        lines[offset], start = line, offset
    return [p if p.offset is None or p.line else p._replace(line=lines[p.offset]) for p in problems]


class Checks:
    """Checks the lines of a log; `problems` are unordered."""

    def __init__(self, session: str | None, log: Log) -> None:
        """`session`: the id in the file's name."""
        self.session = session
        self.header: Json | None = None
        self.problems = [Problem(each.offset, each.reason, line=each.line or None) for each in log.damage]
        self.blocks: dict[str, tuple[int, str | None]] = {}  # block id → where it is first referenced
        self._ids: dict[str, int] = {}  # id → offset of its first record
        for record in log.records:
            self._check(record)

    def _check(self, record: Record) -> None:
        data, offset = record.data, record.offset
        what = data["type"]
        if what == "session":
            self._header(data, offset)
            return
        own, names = own_id(data), RULES.get(what, OTHER).names
        if names:
            self._names(ids_in(data, names), offset, what, own)
        for id in added_ids(data):
            if id in self._ids:
                reason = f"has an id that was used before, at byte {self._ids[id]}"
                self.problems.append(Problem(offset, reason))
            self._ids.setdefault(id, offset)
        if what == "compaction":
            for op in data["ops"]:
                ids = filter(None, ids_in(op, NAMES_OF_AN_OP))
                self._names(ids, offset, f"{op.get('op')} of a compaction", own)
        if "blockIds" in data or what == "compaction":
            for block in block_ids(data):
                self.blocks.setdefault(block, (offset, own or data.get("of")))

    def _header(self, data: Json, offset: int) -> None:
        version, id = data.get("version"), data.get("id")
        reasons = []
        if self.header is not None:
            reasons = ["a second header, which is ignored"]
        else:
            self.header = data
            if isinstance(version, int) and version > VERSION:
                reasons.append(f"version {version} is newer than this program's {VERSION}")
            if self.session is not None and id != self.session:
                reasons.append(f"the header says session {id}, the file's name {self.session}")
        self.problems += [Problem(offset, reason) for reason in reasons]

    def _names(self, ids: Iterable[str], offset: int, by: str, own: str | None) -> None:
        """Report ids that no earlier record has."""
        self.problems += (
            Problem(offset, f"{by} names nothing earlier: {id}", own) for id in ids if id not in self._ids
        )

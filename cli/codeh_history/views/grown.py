"""A program's file that only grew since it was imported: what is new, read from its end alone.

A file of hundreds of megabytes grows by a few lines an hour. Its last old lines are read again, by the same
reader, and must come to just what stands at the end of the copy, which must be as the import left it; then
what the lines after them come to is what reading all of the file would add. Wherever that is not certain,
all of it is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..programs import records
from ..programs.model import Entry, Session
from ..session.model import Json
from ..session.records import dumps
from ..store import log
from ..store.paths import path_of
from ..store.program_files import Ending, File, folder_stamp, sessions_in
from ..store.protocol import Locked
from ..store.state import stamp_of
from .copy import Brought

REACH = 256 << 10  # bytes of old lines that are read again


class Known(NamedTuple):
    """A file as it was read last, what lay beside it, and the copy that it was brought into."""

    size: int
    lines: int
    beside: list[int]
    settings: Json
    copy: str
    stamp: list[int]  # of the copy


def known(env: Env, file: File, session: Session, copy: str, *, reach: int = REACH) -> Known | None:
    """What to remember of a file that was read; None where all of it must be read again."""
    stamp = stamp_of(path_of(env, copy))
    whole = session.loose or file.size < 2 * reach or not file.counted or file.packed
    if whole or stamp is None or file.at(file.size - 1, 1) != b"\n":
        return None
    return Known(file.size, file.counted, folder_stamp(file.folder), session.settings, copy, stamp)


def bring(
    env: Env,
    whole: File,
    program: str,
    before: Known,
    *,
    reach: int = REACH,
) -> tuple[Brought, Known] | None:
    """Append to the copy what the file says anew, and what to remember; None where all must be read.

    What was appended is durable on return.
    """
    target = path_of(env, before.copy)
    if stamp_of(target) != before.stamp or whole.size <= before.size:
        return None
    file, path = Ending(whole, before.size, reach), whole.path
    if folder_stamp(file.folder) != before.beside:
        return None
    (session,) = sessions_in(file, program, newest=True)
    ends = _ends(session, file.old)
    same = all(before.settings.get(key) == value for key, value in session.settings.items())
    if ends is None or session.loose or not same:
        return None
    again, new = ([_moved(item, before.lines - file.old) for item in items] for items in ends)
    last = records.lines(map(records.message, again), path)
    certain = False

    def build(locked: Locked) -> bytes:
        nonlocal certain
        data = locked.whole()
        held = len(data) == before.stamp[1] and data.endswith(last)
        certain = held and not any(name in data for name in _names(new))
        return records.lines(map(records.message, new), path) if certain else b""

    log.append(env, target, build)
    if not certain:
        return None
    lines = before.lines - file.old + file.counted
    after = before._replace(size=file.size, lines=lines, stamp=stamp_of(target) or [])
    return Brought(before.copy, len(new), created=False), after


def _ends(session: Session, old: int) -> tuple[list[Entry], list[Entry]] | None:
    """The old messages from the last prompt on, and the new ones; None where they hang on others.

    The first line stands apart, and the prompt must not be the first: what belongs to it may not be there.
    A model may be named long before it answers.
    """
    entries = [item if isinstance(item, Entry) else None for item in session.items]
    count = sum(item is None or item.lines[0] <= old for item in entries)
    starts = [place for place, item in enumerate(entries[:count]) if item and item.kind == "user" and place]
    found = entries[starts[-1] :] if starts else [None]
    whole = [item for item in found if item is not None]
    again = whole[: count - starts[-1]] if starts else []
    new = whole[len(again) :]
    broken = any(problem.effect == "forgets" and problem.line > old for problem in session.problems)
    grew = any(item is not None and max(item.lines) > old for item in entries[:count])
    apart = grew or any(min(item.lines) <= old for item in new)
    nameless = any(item.kind == "codeh" and "model" not in item.fields for item in new)
    calls = {
        part["functionCall"].get("id") for item in whole for part in item.parts if "functionCall" in part
    }
    answers = {
        part["functionResponse"].get("id")
        for item in new
        for part in item.parts
        if "functionResponse" in part
    }
    if len(whole) < len(found) or broken or apart or nameless or not answers <= calls:
        return None
    return again, new


def _moved(entry: Entry, by: int) -> Entry:
    """The same message with the numbers that its lines have in the whole file."""
    pieces = [piece._replace(line=piece.line + by) for piece in entry.pieces]
    return Entry(entry.id, entry.kind, entry.ts, pieces, entry.fields)


def _names(entries: Sequence[Entry]) -> Iterator[bytes]:
    """What must be said nowhere in the copy, or a message is not a new one: its id, its response's."""
    for entry in entries:
        yield b'"id":' + dumps(entry.id)
        if "response" in entry.fields:
            yield b'"response":' + dumps(entry.fields["response"])

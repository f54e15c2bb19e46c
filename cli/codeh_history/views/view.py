"""Make a session's view: read, parse, fold, fetch parts from the block store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import BadData, Lost, NotASession, NotFound
from ..base.input import required_stdin
from ..base.options import Reading
from ..base.words import plural, unique_match
from ..session.fold import fold
from ..session.model import Message
from ..session.records import ELEMENT, TORN, Damage, Log
from ..session.view import View
from ..store import read
from ..store.locked import Locked
from ..store.resolve import Target, for_reading
from .late_media import Deferred

MOST_SHOWN = 3  # damaged lines named
MOST_NAMED = 20  # elements named
_KINDS = (  # of damage
    ("lost", "damaged line", "skipped"),
    ("mended", "line", "repaired"),
    ("element", "unexpected element", "kept unchanged"),
)


def open_view(env: Env, options: Reading, *, allow_missing: bool) -> tuple[Target, View]:
    """Return the session that the options name, and its view as `measured_view` makes it."""
    target = for_reading(env, options.session, options.argument)
    return target, measured_view(env, target, strict=options.strict, allow_missing=allow_missing)


def measured_view(env: Env, target: Target, *, strict: bool, allow_missing: bool) -> View:
    """Return a view to count and print, not to send: images of known dimensions lack their data.

    Note damage on stderr, and with `allow_missing` missing blocks.
    """
    lost: Lost | None = {} if allow_missing else None
    view = view_of(env, target, strict=strict, media=Deferred(measured=True), lost=lost)
    report_missing_blocks(env, target.id, lost)
    return view


def view_of(
    env: Env,
    target: Target,
    data: bytes | None = None,
    *,
    strict: bool = False,
    hydrate: bool = True,
    media: Deferred | None = None,
    lost: Lost | None = None,
    newest: int | None = None,
) -> View:
    """Return the view of a session's file, of the stream on stdin, or of `data`, with parts from blocks.

    Note the log's damage. `media` receives large media. A missing block raises BadData, or with `lost` is
    recorded there and replaced by a placeholder. `newest`: fetch the parts of the last N messages only.
    """
    env.held = None  # keep one view at a time
    in_memory = data is not None
    if data is None:
        data = required_stdin(env) if target.path == "-" else read.read_bytes(target.path, skip=True)
    view = fold(read.read_log(data))
    damage = view.log.damage
    if damage and not view.log.records and damage[0].reason != TORN:
        reasons = _first([_located(each) for each in damage], MOST_SHOWN)
        raise NotASession(f"{target.path}: not a session: none of its lines is a record ({reasons})")
    report_damage(env, target, view.log, strict=strict, in_memory=in_memory)
    for text in view.notes:
        env.note(f"{target.id}: {text}")
    if hydrate and view.log.refers:
        from .stored_parts import hydrated

        if media is not None and any(key.startswith("compact.") for key in view.meta):
            media.measured = True  # the session sets a budget
        shown = None if newest is None else {message.id for message in view.messages[-newest:]}
        view = hydrated(env, view, media=media, lost=lost, only=shown)
    env.held = view
    return view


def locked_view(env: Env, locked: Locked) -> View:
    """Return the view of a locked session, for reading only."""
    return read_only_view(env, locked.read(), locked.session)


def read_only_view(env: Env, data: bytes, session: str | None) -> View:
    """Return the view of these bytes, for reading only: its parts must not be stored again.

    Large media stays in the block store to save memory. Placeholders replace missing blocks; with a
    `session`, they are noted under its name.
    """
    view = fold(read.read_log(data))
    if view.log.refers:
        from .stored_parts import hydrated

        lost: Lost = {}
        view = hydrated(env, view, media=Deferred(), lost=lost)
        if session is not None:
            report_missing_blocks(env, session, lost)
    return view


def report_damage(env: Env, target: Target, log: Log, *, strict: bool, in_memory: bool = False) -> None:
    """Note a log's damaged lines, repaired lines and unexpected elements; with `strict` raise BadData."""
    damage = log.damage
    torn = damage and damage[-1].reason == TORN
    if torn and not in_memory and read.being_written(target.path):
        damage = damage[:-1]
    texts = []
    for kind, most in (("lost", MOST_SHOWN), ("mended", MOST_SHOWN), ("element", MOST_NAMED)):
        same = [each for each in damage if _kind(each) == kind]
        if same:
            reasons = _first([_located(each) for each in same], most)
            texts.append(f"{target.path}: {damage_summary(same)} ({reasons})")
    if texts and strict:
        raise BadData("; ".join(texts))
    for text in texts:
        env.note(text)


def damage_summary(damage: Sequence[Damage]) -> str:
    """Return the numbers of damaged lines, repaired lines and unexpected elements as text."""
    counts = Counter(map(_kind, damage))
    return ", ".join(f"{plural(counts[kind], what)} {done}" for kind, what, done in _KINDS if counts[kind])


def _kind(damage: Damage) -> str:
    return "element" if damage.line == ELEMENT else "mended" if damage.mended else "lost"


def _located(damage: Damage) -> str:
    """Return a reason with its line and byte; another program's lines have no byte offset."""
    if damage.line == ELEMENT:
        return damage.reason
    byte = f", byte {damage.offset}" if damage.offset >= 0 else ""
    return f"line {damage.line}{byte}: {damage.reason}"


def _first(texts: Sequence[str], most: int) -> str:
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


def report_missing_blocks(env: Env, session: str, lost: Lost | None, *, strict: bool = False) -> None:
    """Note the blocks that were replaced by placeholders; with `strict`, raise BadData."""
    if not lost:
        return
    text = f"{session}: {plural(len(lost), 'block')} left out: {_first(list(lost.values()), MOST_SHOWN)}"
    if strict:
        raise BadData(text)
    env.note(text)


def find_message(view: View, name: str, *, session: str) -> Message:
    """Return the message with this id, unique prefix, or `:N` in `show`'s numbering (`:-1`: the last)."""
    if name in view.all:
        return view.all[name]
    if not name.startswith(":"):
        otherwise = "no such message (`codeh-history show --jsonl` lists them)"
        return view.all[unique_match(name, view.all, session, otherwise)]
    try:
        number = int(name[1:])
    except ValueError:
        raise NotFound(f"{session}: {name}: not a number") from None
    count = len(view.messages)
    if number == 0 or not -count <= number <= count:
        raise NotFound(f"{session}: {name}: there are {count} messages")
    return view.messages[number - 1 if number > 0 else number]

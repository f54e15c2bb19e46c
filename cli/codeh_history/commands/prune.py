"""Move old sessions to the trash (`rm --restore` restores them); without --yes only list them."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Usage
from ..base.options import Verb, flag, option
from ..base.times import from_millis, moment, to_millis
from ..base.words import plural
from ..session.fold import fold
from ..store import begun, read, trash
from ..store.read import loaded_together
from ..store.resolve import ids
from ..views import rows as listing
from ..views.rows import last_used

EXAMPLES = """\
  codeh-history prune --older-than 90d          # dry run
  codeh-history prune --older-than 90d --yes    # pinned sessions stay
  codeh-history prune --keep 200 --yes
"""
STRAY = "rm takes single sessions"
_SKEW = 60_000  # milliseconds by which the clock of another writer may be ahead


class Options(Verb):
    older_than: str | None = option("AGE", "Last used before this: 90d, 12w, or a date.")
    keep: int | None = option("N", "All but the N most recently used.", least=0, excludes=("older_than",))
    yes: bool = flag("Move them.")


def run(env: Env, options: Options) -> int:
    sessions = newest_first(env)
    if options.keep is not None:
        old = sessions[options.keep :]
    elif options.older_than is not None:
        before = moment(env.millis(), options.older_than, "--older-than")
        old = [session for session in sessions if 0 < session.used < before]
    else:
        raise Usage("pass either --older-than AGE or --keep N")
    moved = code = 0
    for id, _, size, stays in old:
        try:
            if stays:
                raise BadData(stays)
            if options.yes:
                trash.remove(env, id, size=size)
                env.stored = f"{id}, in the trash"
        except HistoryError as error:
            env.note(f"{id}: not moved: {error}")
            if isinstance(error, InputOutput):
                code = error.exit_code
            continue
        moved += 1
        env.print(id)
    if not moved:
        env.note(f"nothing to prune in {plural(len(sessions), 'session')}")
    else:
        done = "moved to the trash (restore with rm --restore)"
        env.note(
            f"{plural(moved, 'session')} {done if options.yes else 'to move to the trash; pass --yes'}"
        )
    return code


class Session(NamedTuple):
    """A session: when it was last used (epoch milliseconds), its size, and why it cannot be moved."""

    id: str
    used: int
    size: int
    stays: str


def newest_first(env: Env) -> list[Session]:
    """The sessions, newest first; raise BadData if a record is in the future, so that ages are unknown."""
    sessions: list[Session] = []
    paths = {path: id for id, path in ids(env)}
    for path in loaded_together(list(paths)):
        if path.endswith(".json"):
            continue  # the older format is read, never moved
        id, row = paths[path], listing.row_of(path)
        written = 0
        with suppress(HistoryError, OSError):  # an unreadable session is not moved
            written = to_millis(begun.times(path)[2]) or 0
        last = last_used(row) or written
        if max(last, written) > env.millis() + _SKEW:  # compared with now, because a writer may be running
            newest = from_millis(max(last, written))
            why = f"the newest record ({newest}) is in the future; check the clock"
            raise BadData(f"{path}: {why}; nothing was moved")
        stays = "locked by another process" if read.being_written(path) else ""
        stays = "it is pinned (`set pinned=false` unpins it)" if row["pinned"] else stays
        if row["pending"] and not stays:
            stays = "an answer is pending"
            with suppress(HistoryError, OSError):
                view = fold(read.read_log(read.read_bytes(path)))
                stays = stays if any(message.is_streaming for message in view.messages) else ""
        sessions.append(Session(id, last, row["bytes"], stays))
    return sorted(sessions, key=lambda session: (-session.used, session.id))

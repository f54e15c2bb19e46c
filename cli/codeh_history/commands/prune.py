"""Move old sessions to the trash (`rm --restore` restores them); without --yes only list them."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Usage
from ..base.options import Verb, flag, option
from ..base.times import from_millis, moment, to_millis
from ..base.words import plural
from ..store import begun, trash
from ..store.awaiting import is_awaiting
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
            code = error.exit_code if isinstance(error, InputOutput) else code
        else:
            env.print(id)
            moved += 1
    done = "moved to the trash (restore with rm --restore)"
    what = f"{plural(moved, 'session')} {done if options.yes else 'to move to the trash; pass --yes'}"
    env.note(what if moved else f"nothing to prune in {plural(len(sessions), 'session')}")
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
    paths = {path: id for id, path in ids(env) if not path.endswith(".json")}  # the older form never moves
    for path in loaded_together(list(paths)):
        id, row, newest = paths[path], listing.row_of(path), 0
        with suppress(HistoryError, OSError):  # an unreadable session is not moved
            newest = to_millis(begun.times(path)[2]) or 0
        used = last_used(row) or newest
        newest = max(used, newest)
        if newest > env.millis() + _SKEW:  # compared with now, because a writer may be running
            why = f"the newest record ({from_millis(newest)}) is in the future; check the clock"
            raise BadData(f"{path}: {why}; nothing was moved")
        stays = "a command waits for an answer" if is_awaiting(env.home, id) else ""
        stays = "it is pinned (`set pinned=false` unpins it)" if row["pinned"] else stays
        sessions.append(Session(id, used, row["bytes"], stays))
    return sorted(sessions, key=lambda session: (-session.used, session.id))

"""Sync this home's sessions with another store; changes on both sides are kept."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.env import Env
from ..base.errors import HistoryError, TryAgain, Usage
from ..base.options import ENCRYPT_TO, IDENTITY, Verb, argument, flag
from ..base.words import is_id, plural
from ..session.model import Json
from ..sync.replica import other_replica, own_replica
from ..sync.run import Synced, sync

EXAMPLES = """\
  codeh-history sync dir:/media/stick/codeh       # then the same on the other machine
  codeh-history sync dir:/mnt/share/codeh demo    # only this session and its forks
  codeh-history sync dir:/mnt/share/codeh --dry-run
  codeh-history sync postgres://codeh@db.example/codeh    # the password from PGPASSFILE
  codeh-history sync dir:/mnt/share/sealed --encrypt-to age1... --identity key.txt
  */10 * * * *  codeh-history sync dir:/mnt/share/codeh
"""


class Options(Verb):
    url: str = argument("URL", "The other store: dir:PATH or postgres://…")
    sessions: Sequence[str] | None = argument("[SESSION]...", "Only these, and their forks.")
    encrypt_to: Sequence[str] = ENCRYPT_TO
    identity: Sequence[str] = IDENTITY
    dry_run: bool = flag("Print what would be done; change nothing.")
    json: bool = flag("A JSON line on stdout for each session that changed.")


def run(env: Env, options: Options) -> int:
    only = options.sessions or ()
    for name in only:
        if not is_id(name):
            raise Usage(f"{name}: not an exact session id")
    other = other_replica(env, options.url, options.encrypt_to, options.identity)
    code = 0
    for done in sync(env, (own_replica(env), other), only, dry=options.dry_run):
        if isinstance(done, HistoryError):
            env.warn(str(done))
            code = code or done.exit_code
            continue
        env.stored = f"{done.plan.writes[0].session}, synced" if done.plan.writes else env.stored
        if done.plan.left:
            code = code or TryAgain.exit_code
        note_changes(env, done, other.name)
        for line in lines(done) if options.json else ():
            env.print_json(line)
    if options.dry_run:
        env.note("dry run; nothing written")
    return code


def note_changes(env: Env, done: Synced, other: str) -> None:
    """Note what was done with a session and its forks."""
    for session, fork in done.plan.forks:
        env.note(f"{session}: new messages on both sides; the other branch is now {fork}")
    for write in done.plan.writes:
        what = plural(write.lines, "line") if write.lines else "what was redacted"
        how = "switched to the other branch, " if write.switched else ""
        how = "new, " if write.before is None else how
        env.note(f"{write.session}: {how}{what} {'to' if write.replica else 'from'} {other}")
    if done.missing:
        env.note(f"{plural(len(done.missing), 'block')} missing, not copied: {', '.join(done.missing[:3])}")
    if done.kept:
        env.note(
            f"{plural(done.kept, 'block')} with redacted content left; `gc` removes unreferenced blocks"
        )
    for session, why in done.plan.left.items():
        env.warn(f"{session}: left unchanged in both: {why}")


def lines(done: Synced) -> list[Json]:
    """A JSON object for each session that changed or was left unchanged."""
    empty = {"received": 0, "sent": 0, "switched": False, "fork_of": None}
    sessions = [write.session for write in done.plan.writes]
    sessions += [*(fork for _, fork in done.plan.forks), *done.plan.left]
    by_session: dict[str, Json] = {session: {"session": session, **empty} for session in sessions}
    for write in done.plan.writes:
        line = by_session[write.session]
        line["sent" if write.replica else "received"] += write.lines
        line["switched"] = line["switched"] or write.switched
    for session, fork in done.plan.forks:
        by_session[fork]["fork_of"] = session
    for session, why in done.plan.left.items():
        by_session[session]["left"] = why
    return list(by_session.values())

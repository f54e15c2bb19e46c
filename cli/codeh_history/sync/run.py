"""Carry out a sync so that no content is lost, even if it is interrupted.

Each session is written under its lock if it is unchanged since it was read; else the sync is planned again.
Before a session is written, its blocks are stored, and a fork with the content that it loses is written.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import HistoryError, Lost, TryAgain
from ..store.blocks import copy_missing
from ..store.foreign import check_writable
from ..views.rewrite import block_ids
from .families import briefs, families
from .plan import Plan, Write, plan
from .replica import Replica

TRIES = 50  # plans after which a family that keeps changing is given up


class Synced(NamedTuple):
    """The result for a session and its forks."""

    plan: Plan
    missing: list[str]  # blocks that no store has
    kept: int = 0  # blocks of redacted content still in a store; `gc` removes them


def sync(
    env: Env, replicas: Sequence[Replica], only: Collection[str], *, dry: bool = False
) -> Iterator[Synced | HistoryError]:
    """Make the sessions equal, or `only` these with their forks; yield each result when it is done.

    Errors are yielded too, so that the other families are still synced. `dry`: only plan.
    """
    for names in families([briefs(env, replica, replica.sessions()) for replica in replicas], only):
        try:
            done = _family(replicas, names, dry=dry)
        except HistoryError as error:
            yield error
        else:
            if done.plan.writes or done.plan.left:
                yield done


def _family(replicas: Sequence[Replica], names: Sequence[str], *, dry: bool) -> Synced:
    """Make a session and its forks equal; plan again if one of them changes meanwhile."""
    done, missing, begun = Plan(), list[str](), time.time()
    for _ in range(TRIES):
        stores = [_read(replica, names) for replica in replicas]
        busy = [replica.busy(names) for replica in replicas]
        planned = plan(stores, busy)
        if dry:
            return Synced(planned, [])
        for write in planned.writes:
            missing += _copy_blocks(replicas, write)
            if not replicas[write.replica].put(write.session, write.before, write.after):
                break
            done.writes.append(write)
        else:
            kept = sum(_sweep(replicas, number, done.writes, begun) for number in range(len(replicas)))
            return Synced(Plan(done.writes, planned.forks, planned.left), missing, kept)
        names = sorted({*names, *(write.session for write in planned.writes)})
        for replica in replicas:
            replica.sessions()
    raise TryAgain(f"{names[0]}: kept changing during the sync; try again")


def _read(replica: Replica, names: Iterable[str]) -> dict[str, bytes]:
    sessions = {}
    for name in names:
        data = replica.read(name)
        if data is not None:
            check_writable(data, replica.store.path(name))
            sessions[name] = data
    return sessions


def _copy_blocks(replicas: Sequence[Replica], write: Write) -> list[str]:
    """Copy the blocks that a session needs to its store; return those that no store has."""
    to, other = replicas[write.replica], replicas[1 - write.replica]
    before = set(block_ids(write.before or b""))
    wanted = [id for id in block_ids(write.after) if id not in before]
    if not (wanted and to.blocks):
        return wanted
    lost: Lost = {}
    copy_missing([*to.blocks, *other.blocks], wanted, lost)
    return list(lost)


def _sweep(replicas: Sequence[Replica], number: int, writes: Sequence[Write], begun: float) -> int:
    """Delete the blocks to which the written sessions no longer refer; return the number left to `gc`."""
    own = [write for write in writes if write.replica == number]
    before = {id for write in own for id in block_ids(write.before or b"")}
    unused = before - {id for write in own for id in block_ids(write.after)}
    return replicas[number].delete_unused(unused, begun) if unused else 0

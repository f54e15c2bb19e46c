"""Carry out a sync so that no content is lost, even if it is interrupted.

The sessions that differ are compared by hashes, cached by stamp, so that unchanged ones are neither read
nor decrypted. Each is written under its lock if it is unchanged since it was read; else the sync is planned
again. Before a session is written, its blocks are stored, and a fork with the content that it loses.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, Lost, NotFound, TryAgain
from ..base.read_json import json_object
from ..store.blocks import copy_missing
from ..store.cache import Remembered
from ..store.foreign import check_writable
from ..store.protocol import Stamp
from ..views.rewrite import block_ids
from .log import read
from .plan import Plan, Write, plan, root_of
from .replica import Replica


class Brief(NamedTuple):
    """A session's hash ("" if missing), and the session it was forked from.

    The fork of two unrelated sessions has no parent in its header, but its name begins with the root's.
    """

    hash: str
    parent: str | None


ABSENT = Brief("", None)


def briefs(env: Env, replica: Replica, sessions: Mapping[str, Stamp]) -> dict[str, Brief]:
    """Return the briefs of all sessions in a store, reading those that are not cached."""
    remembered = Remembered(env.home, f"sync {replica.place}", 1)
    result: dict[str, Brief] = {}
    for session, stamp in sessions.items():
        before = remembered.get(session, stamp)
        if before is not None:
            result[session] = Brief(*before)
            continue
        try:
            result[session] = _brief(session, replica.read(session))
            remembered.keep(session, stamp, [*result[session]])
        except (BadData, InputOutput):
            result[session] = Brief(replica.place, None)  # differs from every hash
    remembered.save(sessions)
    return result


def _brief(session: str, data: bytes | None) -> Brief:
    if data is None:
        return ABSENT
    line = data.partition(b"\n")[0]
    header = json_object(line) or {}
    of = header.get("parent") if header.get("type") == "session" else None
    parent = of.get("session") if isinstance(of, dict) else None
    if not isinstance(parent, str):
        root = root_of(session, read(line + b"\n"))
        parent = root if root != session else None
    return Brief(hashlib.sha256(data).hexdigest(), parent)


def families(stores: Sequence[Mapping[str, Brief]], only: Collection[str]) -> list[list[str]]:
    """Return the sessions that differ between two stores, each with its forks, by id.

    With `only`, return just the groups of these sessions; NotFound if neither store has one.
    """
    ours, theirs = stores
    everything = ours.keys() | theirs.keys()
    for name in only:
        if name not in everything:
            raise NotFound(f"{name}: no such session in either store")
    together: dict[str, set[str]] = {}  # session → its family
    for name, brief in (*ours.items(), *theirs.items()):
        parent = name if brief.parent is None else brief.parent
        family = together.get(name, {name}) | together.get(parent, {parent})
        together.update(dict.fromkeys(family, family))
    differ = {name for name in everything if ours.get(name, ABSENT).hash != theirs.get(name, ABSENT).hash}
    groups = {id(family): family & everything for family in together.values()}.values()
    chosen = (group for group in groups if group & differ and (not only or group & set(only)))
    return sorted(map(sorted, chosen))


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

"""Remove what no session needs: deltas of committed streams, unreferenced blocks, old unsent texts."""

from __future__ import annotations

import os
from collections.abc import Collection

import orjson

from ...base.env import Env
from ...base.errors import HistoryError
from ...base.options import QUIET, Options, flag, option
from ...base.times import from_millis
from ...base.timezone import moment
from ...blocks import open_store
from ...render.progress import progress, size_of
from ...store import elsewhere, resolve, trash, unsent
from ...store.resolve import Target
from . import unused

UNSENT_DAYS = 30  # a text that no session took is kept for so long
SECOND = 32 << 20  # bytes of sessions that are looked through in about a second
EXAMPLES = """\
  codeh-history gc              # what would go: a JSON line for each session, and one for the blocks
  codeh-history gc --yes
  codeh-history gc --trash 30d --yes    # sessions removed 30 days ago or earlier, for good
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history gc --shared --yes   # only this home uses it
"""
STRAY = "it looks at every session of this home"


class Given(Options):
    yes: bool = flag("Remove it; without, only say what would go.")
    shared: bool = flag("Blocks of a store that other homes may use, too.")
    age: str | None = option("AGE", "Sessions removed before, too: 30d, 12w, or a date.", long="--trash")
    quiet: bool = QUIET


def run(env: Env, given: Given) -> int:
    before = moment(env, given.age, "--trash") / 1000 if given.age is not None else None
    unused.check(env)
    gone = emptied(env, before, yes=given.yes) if before is not None else ()
    found = list(resolve.ids(env))
    failed = []
    with progress(env, "collecting", sum(size_of(path) for _, path in found), SECOND) as told:
        for number, (name, path) in enumerate(found, 1):
            code = deltas(env, name, path, yes=given.yes)
            failed += [code] if code else []
            told.done(number, len(found))
        blocks(env, yes=given.yes, shared=given.shared, but=gone)
    unsent_texts(env, yes=given.yes)
    if not given.yes:
        env.note("nothing was removed: --yes removes it")
    return failed[0] if failed else 0


def emptied(env: Env, before: float, *, yes: bool) -> list[str]:
    """Report, or remove for good, what went to the trash before a moment (epoch seconds): its files."""
    gone = trash.empty(env, before) if yes else trash.older(env, before)
    for item in gone:
        since = from_millis(int(item.since * 1000))
        line = {"trash": item.id, "path": item.path, "since": since, "bytes": item.size, "removed": yes}
        env.write(orjson.dumps(line) + b"\n")
    return [item.path for item in gone]


def deltas(env: Env, name: str, path: str, *, yes: bool) -> int:
    """Report, or remove, one session's deltas; the exit code of a failure, which is noted."""
    if path.endswith(".json"):
        return 0
    try:
        count, size = unused.deltas(path)
        if count and yes:
            unused.drop_deltas(env, Target(path, "gc"))
            env.stored = f"{name}, without its deltas"
    except HistoryError as error:
        env.complain(f"{name}: {error}")
        return error.exit_code
    if count:
        env.write(orjson.dumps({"session": name, "deltas": count, "bytes": size, "removed": yes}) + b"\n")
    return 0


def unsent_texts(env: Env, *, yes: bool) -> None:
    """Report, or remove, the texts that no session took, once they are old."""
    for path, size in unsent.files(env, env.millis() / 1000 - UNSENT_DAYS * 86400).items():
        if yes:
            os.unlink(path)
        env.write(orjson.dumps({"unsent": path, "bytes": size, "removed": yes}) + b"\n")


def blocks(env: Env, *, yes: bool, shared: bool, but: Collection[str] = ()) -> None:
    """Report, or remove, the blocks that nothing refers to, never those that others may refer to."""
    before = unused.grace(env)
    store = open_store(env)
    if store.shared and not shared:
        env.note(f"{store.name}: other homes may use these blocks: left alone (--shared, if they do not)")
        return
    moved = unused.gone(env)
    if moved and not shared:
        env.note(
            f"{moved[0]}: needed blocks and is gone; if it was moved, it needs them still:"
            f" all blocks are left alone (--shared, if nothing needs them)"
        )
        return
    gone = unused.unused(env, store, before, but=but)
    if yes:
        unused.sweep(env, before)
        count = store.delete(sorted(gone), before)
        elsewhere.forget(env, moved)
    else:
        count = len(gone)
    if count:
        size = sum(gone.values())
        env.write(
            orjson.dumps({"store": store.name, "blocks": count, "bytes": size, "removed": yes}) + b"\n"
        )

"""Remove what no session needs: deltas of committed streams, unreferenced blocks, old unsent texts."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

import orjson

from ...base.env import Env
from ...base.errors import HistoryError
from ...base.options import QUIET, OptionSet, flag, option
from ...base.times import from_millis, moment
from ...blocks import open_store
from ...render.progress import progress, size_of
from ...session.model import Json
from ...store import elsewhere, resolve, trash, unsent
from ...store.resolve import Target
from . import unused

UNSENT_DAYS = 30  # a text that no session took is kept for so long
SECOND = 32 << 20  # bytes of sessions that are looked through in about a second
EXAMPLES = """\
  codeh-history gc              # what would be removed, a JSON line for each session, one for blocks
  codeh-history gc --yes
  codeh-history gc --trash 30d --yes    # also delete sessions trashed 30 days ago or earlier
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history gc --shared --yes   # only this home uses it
"""
STRAY = "it looks at every session of this home"


class Options(OptionSet):
    yes: bool = flag("Remove it (default: only report it).")
    shared: bool = flag("Also blocks of a store that other homes may use.")
    age: str | None = option(
        "AGE", "Also sessions trashed before AGE: 30d, 12w, or a date.", long="--trash"
    )
    quiet: bool = QUIET


def run(env: Env, options: Options) -> int:
    failed: list[int] = []
    lines = 0
    for lines, line in enumerate(removable(env, options, failed), 1):  # noqa: B007
        env.write(orjson.dumps({**line, "removed": options.yes}) + b"\n")
    if not lines and not failed:
        env.note("nothing to remove")
    elif not options.yes:
        env.note("nothing removed; pass --yes to remove it")
    return failed[0] if failed else 0


def removable(env: Env, options: Options, failed: list[int]) -> Iterator[Json]:
    """A line for each thing that no session needs, once it is removed if that was asked for.

    `failed` gets the exit codes of failures, which are noted.
    """
    before = moment(env.millis(), options.age, "--trash") / 1000 if options.age is not None else None
    unused.check(env)
    gone: list[str] = []
    if before is not None:
        for item in trash.empty(env, before) if options.yes else trash.older(env, before):
            gone.append(item.path)
            since = from_millis(int(item.since * 1000))
            yield {"trash": item.id, "path": item.path, "since": since, "bytes": item.size}
    sessions = list(resolve.ids(env))
    with progress(env, "collecting", sum(size_of(path) for _, path in sessions), SECOND) as bar:
        for number, (name, path) in enumerate(sessions, 1):
            try:
                yield from deltas(env, name, path, yes=options.yes)
            except HistoryError as error:
                env.complain(f"{name}: {error}")
                failed.append(error.exit_code)
            bar.done(number, len(sessions))
        yield from blocks(env, yes=options.yes, shared=options.shared, but=gone)
    for path, size in unsent.files(env, env.millis() / 1000 - UNSENT_DAYS * 86400).items():
        if options.yes:
            os.unlink(path)
        yield {"unsent": path, "bytes": size}


def deltas(env: Env, name: str, path: str, *, yes: bool) -> Iterator[Json]:
    """What one session has of deltas that are committed; with `yes` they are removed."""
    count, size = (0, 0) if path.endswith(".json") else unused.deltas(path)
    if count:
        if yes:
            unused.drop_deltas(env, Target(path, "gc"))
            env.stored = f"{name}, without its deltas"
        yield {"session": name, "deltas": count, "bytes": size}


def blocks(env: Env, *, yes: bool, shared: bool, but: Collection[str] = ()) -> Iterator[Json]:
    """The blocks that nothing can refer to; with `yes` they are removed."""
    before = unused.grace(env)
    store = open_store(env)
    moved = unused.gone(env)
    if store.shared and not shared:
        env.note(f"{store.name}: other homes may use these blocks; kept (--shared removes them)")
        return
    if moved and not shared:
        env.note(
            f"{moved[0]} referred to blocks and is missing; if it was moved, it still needs them:"
            f" all blocks are kept (--shared removes them)"
        )
        return
    unneeded = unused.unused(env, store, before, but=but)
    count = len(unneeded)
    if yes:
        unused.sweep(env, before)
        count = store.delete(sorted(unneeded), before)
        elsewhere.forget(env, moved)
    if count:
        yield {"store": store.name, "blocks": count, "bytes": sum(unneeded.values())}

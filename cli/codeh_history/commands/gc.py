"""Remove what no session needs: deltas of committed streams, unreferenced blocks, old unsent texts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress

from ..base.env import Env
from ..base.errors import HistoryError, InputOutput, NotFound
from ..base.folders import SUFFIX
from ..base.options import Verb, flag, option
from ..base.times import from_millis, moment
from ..render.progress import size_of, tracked
from ..session.model import Json, added_ids
from ..store import outside, postgres, read, resolve, trash, unsent
from ..store.blocks import open_store
from ..store.blocks.protocol import BlockStore
from ..store.paths import SERVER, own_dir, sessions_dir
from ..store.resolve import Target
from ..views import rewrite

DAY = 86400  # seconds
UNSENT_DAYS = 30  # days that unsent text is kept
GRACE_DAYS = 7  # days; newer blocks and temporary files may belong to a running command
EXAMPLES = """\
  codeh-history gc              # what would be removed, a JSON line for each session, one for blocks
  codeh-history gc --yes
  codeh-history gc --trash 30d --yes    # also delete sessions trashed 30 days ago or earlier
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history gc --shared --yes   # only this home uses it
"""
STRAY = "it looks at every session of this home"
_ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_ESCAPED = re.compile(rb"\\u00(3[0-9]|6[1-6])")  # a hex digit, escaped in JSON


class Options(Verb):
    yes: bool = flag("Remove it (default: only report it).")
    shared: bool = flag("Also blocks of a store that other homes may use.")
    age: str | None = option("AGE", "Also sessions trashed before AGE: 30d, or a date.", long="--trash")


def run(env: Env, options: Options) -> int:
    any_line, code = False, 0
    for line in removable(env, options):
        any_line = True
        if isinstance(line, HistoryError):
            env.warn(str(line))
            code = code or line.exit_code
        else:
            env.print_json({**line, "removed": options.yes})
    if not any_line:
        env.note("nothing to remove")
    elif not options.yes:
        env.note("nothing removed; pass --yes to remove it")
    return code


def removable(env: Env, options: Options) -> Iterator[Json | HistoryError]:
    """Yield a line for each thing that no session needs, or why it stays; --yes removes it first."""
    now = env.millis() / 1000
    before = moment(env.millis(), options.age, "--trash") / 1000 if options.age is not None else None
    old = trash.older(env, before) if before is not None else []
    store, limit = open_store(env), now - GRACE_DAYS * DAY
    missing = [  # sessions outside the home that referred to blocks
        path for path in outside.recorded(env) if not (path.startswith(SERVER) or os.path.lexists(path))
    ]
    # first, because a file that may refer to blocks and cannot be read stops gc
    unneeded = unused(env, store, limit, ignored=[item.path for item in old])
    if before is not None and options.yes:
        old = trash.empty(env, before)
    for item in old:
        since = from_millis(int(item.since * 1000))
        yield {"trash": item.id, "path": item.path, "since": since, "bytes": item.size}
    sessions = list(resolve.ids(env))
    for name, path in tracked(env, "collecting", sessions, sum(size_of(path) for _, path in sessions)):
        try:
            yield from deltas(env, name, path, yes=options.yes)
        except HistoryError as error:
            yield type(error)(f"{name}: {error}")
    if store.shared and not options.shared:
        env.note(f"{store.name}: other homes may use these blocks; kept (--shared removes them)")
    elif missing and not options.shared:
        env.note(f"{missing[0]} referred to blocks and is missing; all are kept (--shared removes them)")
    else:
        count = len(unneeded)
        if options.yes:
            sweep(env, limit)
            count = store.delete(sorted(unneeded), limit)
            outside.forget(env, missing)
        if count:
            yield {"store": store.name, "blocks": count, "bytes": sum(unneeded.values())}
    for path, size in unsent.files(env, now - UNSENT_DAYS * DAY).items():
        if options.yes:
            os.unlink(path)
        yield {"unsent": path, "bytes": size}


def deltas(env: Env, name: str, path: str, *, yes: bool) -> Iterator[Json]:
    """Count a session's deltas of committed streams; with `yes`, remove them."""
    removed = split(read.read_bytes(path))[1]
    if removed:
        if yes:
            rewrite.in_place(env, Target(path, "gc"), lambda data: split(data)[0])
            env.stored = f"{name}, without its deltas"
        yield {"session": name, "deltas": len(removed), "bytes": sum(map(len, removed))}


def split(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Split a session into lines to keep, and deltas that no view needs, whatever is undone later.

    These precede the first commit of their stream, which contains the whole content. The stream's id is
    unique, and no update precedes the commit.
    """
    if b'"delta"' not in data:
        return [data], []
    lines = list(rewrite.records(data))
    records = {number: record.data for number, (_, record) in enumerate(lines) if record is not None}
    used = Counter(id for record in records.values() for id in added_ids(record))
    waiting: dict[str, list[int]] = {}  # the deltas of each stream
    unneeded: set[int] = set()
    for number, record in records.items():
        what, stream = record["type"], str(record.get("of"))
        if what == "open" and used[record["id"]] == 1:
            waiting[record["id"]] = []
        elif stream in waiting and what == "delta":
            waiting[stream].append(number)
        elif stream in waiting and what != "abort":
            deltas = waiting.pop(stream)
            whole = isinstance(record.get("parts"), list) or isinstance(record.get("blockIds"), list)
            if what == "commit" and "id" not in record and whole:
                unneeded.update(deltas)
    kept = [line for number, (line, _) in enumerate(lines) if number not in unneeded]
    return kept, [lines[number][0] for number in sorted(unneeded)]


# -- blocks -------------------------------------------------------------------------------------------


def unused(env: Env, store: BlockStore, before: float, *, ignored: Collection[str]) -> dict[str, int]:
    """The blocks older than `before` that no file refers to, in or outside this home, with their sizes.

    The trash is read before and after the sessions, so that a session moved meanwhile is seen. Anything
    that looks like a block id is a reference, in damaged lines too. `ignored`: files to be removed.
    """
    old = store.stale(before)
    for path in _referring(env):
        for id in _block_ids(path) if path not in ignored else ():
            old.pop(id, None)
    return old


def _referring(env: Env) -> Iterator[str]:
    """The files that may refer to blocks, in and outside the home."""
    store, own = sessions_dir(env), own_dir(env)
    yield from _files(trash.trash_dir(env))
    yield from _files(own)
    for name in {store, *outside.recorded(env)} - {own}:
        if name.startswith(SERVER):
            try:
                server, _ = postgres.of(f"{name}/")
            except KeyError:
                why = "its sessions may need blocks: set CODEH_STORE to it; nothing was removed"
                raise InputOutput(f"{name}: {why}") from None
            yield from map(server.path, server.loaded_together([*server.stamps()]))  # one at a time
        elif name == store:
            yield from _files(store)
        else:
            yield name
    yield from _files(trash.trash_dir(env))


def _files(folder: str) -> Iterator[str]:
    """The files in a folder; raise InputOutput for others, except empty folders: they may hold sessions."""
    for entry in os.scandir(folder) if os.path.lexists(folder) else ():
        if entry.is_file():
            yield entry.path
        elif os.path.lexists(entry.path) and not (entry.is_dir() and not os.listdir(entry.path)):
            why = "not a file; move it elsewhere, because it may hold sessions; nothing was removed"
            raise InputOutput(f"{entry.path}: {why}")


def _block_ids(path: str) -> set[str]:
    """The block ids in a file."""
    try:
        with open(read.open_stored(path)[0], "rb") as file:
            data = file.read()
    except NotFound:
        return set()  # moved meanwhile; it is read at its new path too
    plain = _ESCAPED.sub(lambda escaped: bytes.fromhex(escaped[1].decode()), data)
    return {match[0].decode() for match in _ID.finditer(plain)}


def sweep(env: Env, before: float) -> None:
    """Remove temporary files that killed processes left behind."""
    for folder in {own_dir(env), sessions_dir(env)}:
        for path in _files(folder) if not folder.startswith(SERVER) else ():
            name = os.path.basename(path)
            with suppress(FileNotFoundError):
                if name.startswith(".") and name.endswith(SUFFIX) and os.stat(path).st_mtime < before:
                    os.unlink(path)

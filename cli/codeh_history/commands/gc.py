"""Remove what no session needs: deltas of committed streams, unreferenced blocks, old unsent texts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ..base.env import Env
from ..base.errors import HistoryError, InputOutput
from ..base.folders import SUFFIX
from ..base.options import Verb, flag, option
from ..base.times import from_millis, moment
from ..render.progress import size_of, tracked
from ..session.model import Json
from ..session.records import Record
from ..session.rules import added_ids
from ..store import outside, postgres, read, resolve, trash, unsent
from ..store.blocks import open_store
from ..store.blocks.protocol import BlockStore
from ..store.paths import SERVER, own_dir, sessions_dir
from ..store.resolve import Target
from ..views import rewrite

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
    before = moment(env.millis(), options.age, "--trash") / 1000 if options.age is not None else None
    old = trash.older(env, before) if before is not None else []
    store = open_store(env)
    missing = [  # sessions outside the home that referred to blocks
        path for path in outside.recorded(env) if not (path.startswith(SERVER) or os.path.lexists(path))
    ]
    # first, because a file that may refer to blocks and cannot be read stops gc
    unneeded = unused(env, store, _limit(env), ignored=[item.path for item in old])
    if before is not None and options.yes:
        old = trash.empty(env, before)
    for item in old:
        since = from_millis(int(item.since * 1000))
        yield {"trash": item.id, "path": item.path, "since": since, "bytes": item.size}
    sessions = list(resolve.ids(env))
    size = sum(size_of(path) for _, path in sessions)
    for name, path in tracked(env, "collecting", sessions, size):
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
            sweep(env, _limit(env))
            count = store.delete(sorted(unneeded), _limit(env))
            outside.forget(env, missing)
        if count:
            yield {"store": store.name, "blocks": count, "bytes": sum(unneeded.values())}
    for path, size in unsent.files(env, env.millis() / 1000 - UNSENT_DAYS * 86400).items():
        if options.yes:
            os.unlink(path)
        yield {"unsent": path, "bytes": size}


def _limit(env: Env) -> float:
    """Blocks and temporary files changed after this time (in seconds) are not removed."""
    return env.millis() / 1000 - GRACE_DAYS * 86400


def deltas(env: Env, name: str, path: str, *, yes: bool) -> Iterator[Json]:
    """Count a session's deltas of committed streams; with `yes`, remove them."""
    removed = [] if path.endswith(".json") else split(read.read_bytes(path))[1]
    if removed:
        if yes:
            rewrite.in_place(env, Target(path, "gc"), lambda data: split(data)[0])
            env.stored = f"{name}, without its deltas"
        yield {"session": name, "deltas": len(removed), "bytes": sum(map(len, removed))}


def split(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Split a session into lines to keep and lines to remove."""
    if b'"delta"' not in data:
        return [data], []
    lines = list(rewrite.records(data))
    unneeded = superseded([record for _, record in lines if record is not None])
    rest = [line for line, record in lines if record is None or record.offset not in unneeded]
    return rest, [line for line, record in lines if record is not None and record.offset in unneeded]


def superseded(records: Sequence[Record]) -> set[int]:
    """The offsets of deltas that no view needs, whatever is undone later.

    They precede the first commit of their stream, which contains the whole content. The stream's id is
    unique, and no update precedes the commit.
    """
    used = Counter(id for record in records for id in added_ids(record.data))
    waiting: dict[str, list[int]] = {}  # offsets, by stream
    unneeded: set[int] = set()
    for record in records:
        data, stream = record.data, str(record.data.get("of"))
        if data["type"] == "open" and used[data["id"]] == 1:
            waiting[data["id"]] = []
        elif stream not in waiting or data["type"] == "abort":
            continue
        elif data["type"] == "delta":
            waiting[stream].append(record.offset)
        else:
            deltas = waiting.pop(stream)
            whole = isinstance(data.get("parts"), list) or isinstance(data.get("blockIds"), list)
            if data["type"] == "commit" and "id" not in data and whole:
                unneeded.update(deltas)
    return unneeded


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
    yield from _files(trash.trash_dir(env))
    yield from _files(own_dir(env))
    place = sessions_dir(env)
    for name in {place, *outside.recorded(env)}:
        if name.startswith(SERVER):
            try:
                server, _ = postgres.of(f"{name}/")
            except KeyError:
                raise InputOutput(
                    f"{name}: its sessions may need blocks: set CODEH_STORE to it; nothing was removed"
                ) from None
            yield from map(server.path, server.loaded_together([*server.stamps()]))  # one at a time
        elif name != place:
            yield name
        elif place != own_dir(env):
            yield from _files(place)
    yield from _files(trash.trash_dir(env))


def _files(folder: str) -> Iterator[str]:
    """The files in a folder; raise InputOutput for anything else, which may contain sessions."""
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        if not os.path.islink(folder):
            return
        raise InputOutput(f"{folder}: a dangling link; nothing was removed") from None
    for entry in entries:
        if entry.is_file():
            yield entry.path
        elif entry.is_dir() and os.listdir(entry.path):
            why = "a folder: sessions in it may need blocks; move it elsewhere"
            raise InputOutput(f"{entry.path}: {why}; nothing was removed")
        elif not entry.is_dir() and os.path.lexists(entry.path):  # otherwise moved meanwhile
            raise InputOutput(f"{entry.path}: not a readable file; move it elsewhere; nothing was removed")


def _block_ids(path: str) -> set[str]:
    """The block ids in a file."""
    try:
        if path.startswith(SERVER):
            fd = read.open_stored(path)[0]
        else:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return set()  # moved meanwhile; it is read at its new path too
    plain = _ESCAPED.sub(lambda escaped: bytes.fromhex(escaped[1].decode()), data)
    return {match[0].decode() for match in _ID.finditer(plain)}


def sweep(env: Env, before: float) -> None:
    """Remove temporary files that killed processes left behind."""
    folders = {own_dir(env), sessions_dir(env)}
    for path in (path for folder in folders if not folder.startswith(SERVER) for path in _files(folder)):
        name = os.path.basename(path)
        if name.startswith(".") and name.endswith(SUFFIX):
            try:
                if os.stat(path).st_mtime < before:
                    os.unlink(path)
            except FileNotFoundError:
                continue

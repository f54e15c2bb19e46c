"""Remove what no session needs: deltas of committed streams, unreferenced blocks, old unsent texts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import orjson

from ..base.env import Env
from ..base.errors import HistoryError, InputOutput
from ..base.folders import SUFFIX
from ..base.options import QUIET, OptionSet, flag, option
from ..base.times import from_millis, moment
from ..render.progress import progress, size_of
from ..session.model import Json
from ..session.records import Record
from ..session.rules import brought
from ..store import elsewhere, postgres, read, resolve, trash, unsent
from ..store.blocks import open_store
from ..store.blocks.protocol import BlockStore
from ..store.paths import SERVER, own_dir, sessions_dir
from ..store.resolve import Target
from ..views import rewrite

UNSENT_DAYS = 30  # days that unsent text is kept
GRACE_DAYS = 7  # days; newer blocks and temporary files may belong to a running command
SECOND = 32 << 20  # bytes of sessions scanned in about a second
EXAMPLES = """\
  codeh-history gc              # what would be removed, a JSON line for each session, one for blocks
  codeh-history gc --yes
  codeh-history gc --trash 30d --yes    # also delete sessions trashed 30 days ago or earlier
  CODEH_BLOCKS=redis://blocks.example/0 codeh-history gc --shared --yes   # only this home uses it
"""
STRAY = "it looks at every session of this home"
_ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_ESCAPED = re.compile(rb"\\u00(3[0-9]|6[1-6])")  # a hex digit, escaped in JSON
_REACH = 6 * 64 + 6  # bytes of a fully escaped id, and of the escape before it
_STEP = 1 << 20


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
    """Yield a line for each thing that no session needs; with --yes, remove it first.

    Exit codes of failures, which are reported on stderr, are added to `failed`.
    """
    before = moment(env.millis(), options.age, "--trash") / 1000 if options.age is not None else None
    check(env)
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
    """Count a session's deltas of committed streams; with `yes`, remove them."""
    gone = [] if path.endswith(".json") else sort(read.read_bytes(path))[1]
    if gone:
        if yes:
            rewrite.in_place(env, Target(path, "gc"), lambda data: sort(data)[0])
            env.stored = f"{name}, without its deltas"
        yield {"session": name, "deltas": len(gone), "bytes": sum(map(len, gone))}


def sort(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """Split a session into lines to keep and lines to remove."""
    if b'"delta"' not in data:
        return [data], []
    lines = list(rewrite.records(data))
    gone = spent([record for _, record in lines if record is not None])
    kept = [line for line, record in lines if record is None or record.offset not in gone]
    return kept, [line for line, record in lines if record is not None and record.offset in gone]


def spent(records: Sequence[Record]) -> set[int]:
    """The offsets of deltas that no view needs, whatever is undone later.

    They precede the first commit of their stream, which holds the whole content; the stream's id is unique
    and it was not updated before.
    """
    used = Counter(id for record in records for id in brought(record.data))
    waiting: dict[str, list[int]] = {}  # offsets, by stream
    gone: set[int] = set()
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
                gone.update(deltas)
    return gone


# -- blocks -------------------------------------------------------------------------------------------


def blocks(env: Env, *, yes: bool, shared: bool, but: Collection[str] = ()) -> Iterator[Json]:
    """Count unreferenced blocks; with `yes`, remove them."""
    before = env.millis() / 1000 - GRACE_DAYS * 86400
    store = open_store(env)
    noted = (path for path in elsewhere.noted(env) if not path.startswith(SERVER))
    moved = [path for path in noted if not os.path.lexists(path)]
    if store.shared and not shared:
        env.note(f"{store.name}: other homes may use these blocks; kept (--shared removes them)")
        return
    if moved and not shared:
        env.note(
            f"{moved[0]} referred to blocks and is missing; if it was moved, it still needs them:"
            f" all blocks are kept (--shared removes them)"
        )
        return
    unneeded = unused(env, store, before, but=but)
    count = len(unneeded)
    if yes:
        sweep(env, before)
        count = store.delete(sorted(unneeded), before)
        elsewhere.forget(env, moved)
    if count:
        yield {"store": store.name, "blocks": count, "bytes": sum(unneeded.values())}


def unused(env: Env, store: BlockStore, before: float, *, but: Collection[str] = ()) -> dict[str, int]:
    """Blocks older than `before` that no file of this home or noted elsewhere refers to, with sizes.

    The trash is read before and after the sessions, so that a session moved meanwhile is seen. Anything
    that looks like a block id counts, in damaged lines too. `but`: files that are about to be removed.
    """
    old = store.stale(before)
    for path in _holders(env, trash.trash_dir(env), own_dir(env), trash.trash_dir(env)):
        if not old:
            return {}
        for id in _named(path) if path not in but else ():
            old.pop(id, None)
    return old


def check(env: Env) -> None:
    """Raise InputOutput if a file that may refer to blocks cannot be read: then nothing may be removed."""
    for path in _holders(env, own_dir(env), trash.trash_dir(env)):
        fd = _opened(path)
        if fd is not None:
            os.close(fd)


def _holders(env: Env, *folders: str) -> Iterator[str]:
    """Files that may refer to blocks: those in these folders, listed one by one, and those elsewhere."""
    for folder in folders:
        yield from _files(folder)
    place = sessions_dir(env)
    for name in {place, *elsewhere.noted(env)}:
        if name.startswith(SERVER):
            yield from _on_server(name)
        elif name != place:
            yield name
        elif place != own_dir(env):
            yield from _files(place)


def _on_server(name: str) -> Iterator[str]:
    """The sessions of a database, one at a time."""
    try:
        store, _ = postgres.of(f"{name}/")
    except KeyError:
        raise InputOutput(
            f"{name}: its sessions may need blocks: set CODEH_STORE to it; nothing was removed"
        ) from None
    yield from map(store.path, store.passing([*store.stamps()]))


def _files(folder: str) -> list[str]:
    """The files in a folder; raise InputOutput for anything else, which may contain sessions."""
    try:
        with os.scandir(folder) as entries:
            return [entry.path for entry in entries if entry.is_file() or _hides(entry)]
    except FileNotFoundError:
        if not os.path.islink(folder):
            return []
        raise InputOutput(f"{folder}: a dangling link; nothing was removed") from None
    except OSError as error:
        raise InputOutput(f"{error.filename or folder}: {error.strerror}; nothing was removed") from None


def _hides(entry: os.DirEntry[str]) -> bool:
    """Return False for an empty folder or a vanished entry; raise InputOutput otherwise."""
    if entry.is_dir():
        if not os.listdir(entry.path):
            return False
        why = "a folder: sessions in it may need blocks; move it elsewhere"
        raise InputOutput(f"{entry.path}: {why}; nothing was removed")
    if not os.path.lexists(entry.path):
        return False  # moved meanwhile; its new place is read too
    raise InputOutput(f"{entry.path}: not a readable file; move it elsewhere; nothing was removed")


def _opened(path: str) -> int | None:
    if path.startswith(SERVER):
        return read.held(path)[0]
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None  # moved meanwhile; its new place is read too
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}; nothing was removed") from None


def _named(path: str) -> Iterator[str]:
    """Yield the block ids in a file."""
    fd = _opened(path)
    if fd is None:
        return
    try:
        tail = b""
        while chunk := os.read(fd, _STEP):
            text = tail + chunk
            plain = _ESCAPED.sub(lambda escaped: bytes.fromhex(escaped[1].decode()), text)
            yield from (match[0].decode() for match in _ID.finditer(plain))
            tail = text[-_REACH:]
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}; no block was removed") from None
    finally:
        os.close(fd)


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
            except OSError as error:
                raise InputOutput(f"{path}: {error.strerror}") from None

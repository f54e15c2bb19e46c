"""`gc`: what no session needs any more: deltas of committed streams, and blocks that nothing refers to."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from ...base.env import Env
from ...base.errors import InputOutput
from ...base.folders import SUFFIX
from ...blocks.protocol import BlockStore
from ...session.records import Record
from ...session.rules import brought
from ...store import elsewhere, postgres, read, trash
from ...store.paths import SERVER, own_dir, sessions_dir
from ...store.resolve import Target
from ...views import rewrite

GRACE_DAYS = 7  # a block, or a half-written file, younger than this may belong to what is being written
_ID = re.compile(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_ESCAPED = re.compile(rb"\\u00(3[0-9]|6[1-6])")  # a digit of one, in another spelling of JSON
_REACH = 6 * 64 + 6  # an id in this spelling, and what stands before it
_STEP = 1 << 20


def grace(env: Env) -> float:
    """Epoch seconds: what was written before may be removed."""
    return env.millis() / 1000 - GRACE_DAYS * 86400


# -- deltas -------------------------------------------------------------------------------------------


def deltas(path: str) -> tuple[int, int]:
    """How many deltas of a session mean nothing any more, and how many bytes they take."""
    _, gone = _sorted(read.read_bytes(path))
    return len(gone), sum(map(len, gone))


def drop_deltas(env: Env, target: Target) -> None:
    """Replace the session's file by one without them."""
    rewrite.in_place(env, target, lambda data: _sorted(data)[0])


def _sorted(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """The lines of a session that stay, and those that may go."""
    if b'"delta"' not in data:
        return [data], []
    lines = list(rewrite.records(data))
    gone = spent([record for _, record in lines if record is not None])
    kept = [line for line, record in lines if record is None or record.offset not in gone]
    return kept, [line for line, record in lines if record is not None and record.offset in gone]


def spent(records: Sequence[Record]) -> set[int]:
    """The offsets of the deltas that show in no view, whatever is undone later.

    They stand before the first commit of their stream, which carries the content itself; that stream has
    an id of its own, and was not updated before.
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


def unused(env: Env, store: BlockStore, before: float, *, but: Collection[str] = ()) -> dict[str, int]:
    """The blocks older than `before` that no file of this home or noted elsewhere names, with sizes.

    The trash is looked at before and after the sessions: what is moved meanwhile, either way, is seen.
    Whatever looks like a block's id counts, in whatever record, damaged lines too. `but`: files that are
    to go.
    """
    old = store.stale(before)
    for path in _holders(env, trash.trash_dir(env), own_dir(env), trash.trash_dir(env)):
        if not old:
            return {}
        for id in _named(path) if path not in but else ():
            old.pop(id, None)
    return old


def check(env: Env) -> None:
    """InputOutput where something that may name blocks cannot be read: then nothing is to go."""
    for path in _holders(env, own_dir(env), trash.trash_dir(env)):
        fd = _opened(path)
        if fd is not None:
            os.close(fd)


def gone(env: Env) -> list[str]:
    """The sessions elsewhere that named blocks and are not where they were: moved, perhaps."""
    noted = (path for path in elsewhere.noted(env) if not path.startswith(SERVER))
    return [path for path in noted if not os.path.lexists(path)]


def _holders(env: Env, *folders: str) -> Iterator[str]:
    """What may name blocks: the files of these folders, each listed in its turn, and those elsewhere."""
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
    """The sessions of a database, one after the other."""
    try:
        store, _ = postgres.of(f"{name}/")
    except KeyError:
        raise InputOutput(
            f"{name}: its sessions may need blocks: set CODEH_STORE to it; nothing was removed"
        ) from None
    yield from map(store.path, store.passing([*store.stamps()]))


def _files(folder: str) -> list[str]:
    """The files in a folder; whatever else is there may hide sessions, and is InputOutput."""
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
    """False for an empty folder, and for what is gone already; all else is InputOutput."""
    if entry.is_dir():
        if not os.listdir(entry.path):
            return False
        why = "a folder: sessions in it may need blocks; move it elsewhere"
        raise InputOutput(f"{entry.path}: {why}; nothing was removed")
    if not os.path.lexists(entry.path):
        return False  # moved meanwhile: it is seen where it went
    raise InputOutput(f"{entry.path}: not a readable file; move it elsewhere; nothing was removed")


def _opened(path: str) -> int | None:
    if path.startswith(SERVER):
        return read.held(path)[0]
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None  # moved meanwhile: it is seen where it went
    except OSError as error:
        raise InputOutput(f"{path}: {error.strerror}; nothing was removed") from None


def _named(path: str) -> Iterator[str]:
    """The block ids in a file."""
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
    """Remove the temporary files that killed processes left in the folders of sessions."""
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

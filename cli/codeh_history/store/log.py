"""Append to a session: one lock, one write, one sync; an acknowledged append is on disk.

validate → open (O_APPEND, O_NOFOLLOW) → check that it is our regular file → flock with a deadline → check
that the path still names this inode → start a new line after a torn one → one write → fdatasync →
acknowledge.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from ..base import Callable, locks
from ..base.env import Env
from ..base.errors import BadData, HistoryError, InputOutput, NotFound, TryAgain, Unsynced
from ..base.folders import ensure_dir, sync, sync_dir
from ..session.model import LONGEST
from .file import pread_all
from .locked import Locked, LockedFile
from .paths import SERVER, hint, id_of, own_dir, sessions_dir

LOCK_SECONDS = 10.0
_HEADER = b'{"type":"session","version":1'
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    *,
    create: bool = False,
    header: Callable[[], bytes] | None = None,
    wait: float = LOCK_SECONDS,
) -> bool:
    """Append the lines that `build` returns (None or empty: write nothing); durable on return.

    With `header`, create a new session even without lines. Return whether the session was created. Errors
    leave the existing bytes unchanged.
    """
    if path.startswith(SERVER):
        return _append_to_server(env, path, build, create=create, header=header, wait=wait > 0)
    try:
        if create and not os.path.exists(path):
            _create_folder(env, path)
        fd, created = open_locked(path, create=create, wait=wait)
        try:
            size = os.fstat(fd).st_size
            prefix = _prefix(fd, path, size, header or (lambda: first_line(env, path)))
            locked = LockedFile(fd, path, size, id_of(path), prefix)
            lines = build_lines(env, locked, build)
            if lines or (locked.created and header):
                write(fd, path, size, prefix + lines, new=locked.created)
                return locked.created
            return False
        finally:
            env.locked = None
            _close(fd, path, created=created)
    except OSError as error:
        raise InputOutput(f"{error.filename or path}: {error.strerror}; nothing was stored") from None


def _append_to_server(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    *,
    create: bool,
    header: Callable[[], bytes] | None,
    wait: bool,
) -> bool:
    """Append to a session in a database; on failure, save the messages to a file that the error names."""
    from contextlib import suppress

    from ..base.postgres import Unreachable
    from . import postgres, unsent
    from .postgres.row import Row

    store, id = postgres.of(path)
    begin = header or (lambda: first_line(env, path))
    lines = b""
    try:
        with store.locked(id, create=create, header=begin, wait=wait) as row:
            prefix = row.prefix  # raises BadData if the session must not be written
            lines = build_lines(env, row, build)
            if lines or (header and row.created):
                row.add(prefix + lines)
            return row.created and bool(row.changes)
    except postgres.Missing:
        raise NotFound(f"{path}: no such session{hint(path)}") from None
    except Unreachable as error:
        env.locked = None  # its methods query the server
        if create and not lines:
            with suppress(HistoryError):  # build the lines as for a new session
                lines = build(Row(path, id)) or b""
        raise unsent.keep_messages(env, path, error, lines) from None
    finally:
        env.locked = None


def build_lines(env: Env, locked: Locked, build: Callable[[Locked], bytes | None]) -> bytes:
    """Build the new lines, none longer than the maximum; record for `gc` that they refer to blocks."""
    env.locked = locked
    lines = build(locked) or b""
    if len(lines) > LONGEST:
        from .lines import fit_lines

        lines = fit_lines(env, locked.path, lines)
    if b'"blockId' in lines:
        from .outside import add

        add(env, locked.path, lines)
    return lines


def _create_folder(env: Env, path: str) -> None:
    """Create the sessions folder if it is missing; any other missing folder may be a typo."""
    folder = os.path.dirname(path)
    try:
        os.stat(folder or ".")
    except FileNotFoundError:
        if os.path.join(folder, "") not in (os.path.join(of(env), "") for of in (own_dir, sessions_dir)):
            raise InputOutput(f"{folder or '.'}: no such directory; nothing was stored") from None
        ensure_dir(folder)


def _close(fd: int, path: str, *, created: bool) -> None:
    """Unlock; the data is already synced, so a failure here does not undo the append."""
    try:
        try:
            info = os.fstat(fd)
            if created and info.st_size == 0 and info.st_nlink > 0:  # not replaced meanwhile
                os.unlink(path)  # still locked, so no other process has written to it
        finally:
            locks.close(fd)
    except OSError:
        pass


def open_locked(path: str, *, create: bool, wait: float) -> tuple[int, bool]:
    """Open the session file and lock it; reopen it if it was replaced meanwhile."""
    deadline = time.monotonic() + wait
    created = False
    while True:
        try:
            fd, new = _open(path, create=create)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise BadData(f"{path}: a symbolic link is never written; name the file itself") from None
            if error.errno == errno.EISDIR:
                raise BadData(f"{path}: a directory, not a session") from None
            raise InputOutput(f"{path}: {error.strerror}; nothing was stored") from None
        created = created or new
        try:
            _check_ours(fd, path)
            lock(fd, path, deadline)
            try:
                named = os.stat(path, follow_symlinks=False)
            except FileNotFoundError:
                named = None
            if named is not None and os.path.samestat(os.fstat(fd), named):
                return fd, created
        except BaseException:
            locks.close(fd)
            raise
        locks.close(fd)
        if named is None and not create:
            raise NotFound(f"{path}: the session was removed")
        if time.monotonic() >= deadline:
            raise TryAgain(f"{path}: keeps being replaced by another process; try again")


def _open(path: str, *, create: bool) -> tuple[int, bool]:
    try:
        return os.open(path, _FLAGS), False
    except FileNotFoundError:
        if not create:
            raise NotFound(f"{path}: no such session{hint(path)}") from None
    try:
        fd = os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _open(path, create=False)
    os.fchmod(fd, 0o600)
    return fd, True


def _check_ours(fd: int, path: str) -> None:
    """Raise BadData unless it is a regular file of this user with a single hard link."""
    info = os.fstat(fd)
    if not stat.S_ISREG(info.st_mode):
        raise BadData(f"{path}: not a regular file; a session is one")
    if info.st_uid != os.geteuid():
        raise BadData(f"{path}: belongs to another user (uid {info.st_uid}); copy it first")
    if info.st_nlink > 1:
        raise BadData(f"{path}: has {info.st_nlink} hard links; copy it first")


def lock(fd: int, path: str, deadline: float) -> None:
    """Lock a file or folder; raise TryAgain if another process still holds the lock at the deadline."""
    pause = 0.001
    while True:
        try:
            return locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise TryAgain(f"{path}: locked by another process; try again") from None
        except OSError as error:
            raise TryAgain(f"{path}: cannot be locked ({error.strerror})") from None
        time.sleep(pause)
        pause = min(pause * 2, 0.05)


def _prefix(fd: int, path: str, size: int, header: Callable[[], bytes]) -> bytes:
    """Return what precedes the first new line: a header in an empty file, a newline after a torn line."""
    if size == 0:
        return header()
    start = os.pread(fd, len(_HEADER) + 1, 0)
    torn = b"" if os.pread(fd, 1, size - 1) == b"\n" else b"\n"
    if start[:-1] == _HEADER and start[-1:] in (b",", b"}") and (not torn or b"\n" in pread_all(fd, size)):
        return torn
    from .foreign import check_writable

    if check_writable(pread_all(fd, size), path):
        return torn + header()
    return torn


def first_line(env: Env, path: str, parent: str = "", *, with_cwd: bool = True) -> bytes:
    """Return the header of a new session, with its parent (JSON) and the working directory.

    With seeded ids the directory is omitted, because ids depend on offsets and must not depend on it.
    """
    from ..base.escape import quote

    text = f'{{"type":"session","version":1,"id":{quote(id_of(path))},"created":{quote(env.now())}'
    cwd = env.cwd() if with_cwd and not env.seed else ""
    text += f',"cwd":{quote(cwd)}' if cwd else ""
    text += f',"parent":{parent}' if parent else ""
    return (text + "}\n").encode("utf-8", "replace")


def write(fd: int, path: str, size: int, data: bytes, *, new: bool) -> None:
    """Write once (again only after a short write), then fdatasync; sync the directory of a new file.

    A failed write is undone unless another process has appended after it.
    """
    written = 0
    try:
        while written < len(data):
            written += os.write(fd, data[written:] if written else data)
    except OSError as error:
        try:
            if os.fstat(fd).st_size == size + written:
                os.ftruncate(fd, size)
        except OSError:
            pass  # the torn line stays: readers skip it, and the next append starts a new line
        raise InputOutput(f"{path}: {error.strerror}; nothing was stored; retry with --key") from None
    try:
        sync(fd, data_only=True)
        if new:
            sync_dir(os.path.dirname(path))
    except OSError as error:
        reason = f"{error.strerror}; it was stored, but its durability is unknown; retry with --key"
        raise Unsynced(f"{path}: {reason}") from None

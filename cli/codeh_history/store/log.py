"""Append to a session or replace it, under its lock; what is acknowledged is on disk.

Append: validate → open (O_APPEND, O_NOFOLLOW) → check that it is our regular file → flock with a deadline →
check that the path still names this inode → start a new line after a torn one → one write → fdatasync →
acknowledge. Replace: lock → temporary file, locked too → write → fsync → rename → fsync the directory.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from ..base import Callable, Iterator, Self, locks
from ..base.env import Env
from ..base.errors import BadData, InputOutput, NotFound, TryAgain, Unsynced
from ..base.folders import ensure_dir, sync, sync_dir
from ..session.model import LONGEST
from .file import blocks, pread_all, readable
from .locked import Locked
from .paths import SERVER, database_of, hint, id_of, own_dir, sessions_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

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
    lines = b""
    try:
        with locked(env, path, create=create, header=header, wait=wait) as session:
            lines = _built(env, session, build) or b""
            if len(lines) > LONGEST:
                from .lines import fit_lines

                lines = fit_lines(env, path, lines)
            record_blocks(env, path, lines)
            if not lines and not (session.created and header):
                return False
            session.add(session.prefix + lines)
            return session.created
    except TryAgain as error:
        if not path.startswith(SERVER):
            raise
        from . import unsent

        raise unsent.keep_messages(env, path, error, lines, build if create else None) from None


def replace(
    env: Env,
    path: str,
    build: Callable[[Locked], bytes | None],
    *,
    create: bool = False,
    beside: bool = False,
) -> bool:
    """Replace a session's content with what `build` returns, durable on return; None leaves it unchanged.

    Return whether it was replaced. Errors leave the session unchanged. `create`: create a missing file.
    `beside`: the session's blocks are stored beside it, not in this home.
    """
    with locked(env, path, create=create) as session:
        new = _built(env, session, build)
        if new is None:
            return False
        if len(new) > LONGEST:
            from .lines import check_lengths

            check_lengths(path, session.whole(), new)
        if not beside:
            record_blocks(env, path, new)
        session.replace(new)
        return True


def locked(
    env: Env,
    path: str,
    *,
    create: bool = False,
    header: Callable[[], bytes] | None = None,
    wait: float = LOCK_SECONDS,
) -> AbstractContextManager[Locked]:
    """Return a context that holds a session's lock; a database commits the changes at its end."""
    header = header or (lambda: first_line(env, path))
    database = database_of(path)
    if database is not None:
        store, id = database
        return store.locked(id, create=create, header=header, wait=wait > 0, missing=lambda: hint(path))
    return LockedFile(env, path, header, create=create, wait=wait)


class LockedFile(Locked):
    """A session's file; as a context, it holds the lock."""

    def __init__(
        self, env: Env, path: str, header: Callable[[], bytes], *, create: bool, wait: float
    ) -> None:
        super().__init__(path, id_of(path))
        self._env = env
        self._header = header
        self._create = create
        self._wait = wait

    def __enter__(self) -> Self:
        try:
            if self._create and not os.path.exists(self.path):
                _create_folder(self._env, self.path)
            self._fd, self._created = open_locked(self.path, create=self._create, wait=self._wait)
            try:
                self.size = os.fstat(self._fd).st_size
                self.prefix = _prefix(self._fd, self.path, self.size, self._header)
            except BaseException:
                _close(self._fd, self.path, created=self._created)
                raise
        except OSError as error:
            raise _not_stored(error, self.path) from None
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        _close(self._fd, self.path, created=self._created)
        if isinstance(error, OSError):
            raise _not_stored(error, self.path) from None

    def read(self) -> bytes:
        return readable(self._fd, self.size)

    def whole(self) -> bytes:
        return pread_all(self._fd, self.size)

    def holds(self, data: bytes, offset: int) -> bool:
        return pread_all(self._fd, len(data), offset) == data

    def blocks(self) -> Iterator[bytes]:
        return blocks(self._fd, self.size, skip=True)

    def add(self, data: bytes) -> None:
        write(self._fd, self.path, self.size, data, new=self.created)

    def replace(self, data: bytes) -> None:
        """Write and lock a file beside this one, and give it its name.

        A process that waits for the old file's lock then notices and opens the new file; a process that
        opens the new file waits for its lock.
        """
        from ..base import folders
        from .new_file import sync_name, temporary

        with temporary(self.path) as (temp, fd):
            locks.lock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            folders.write(fd, data)
            sync(fd)
            os.replace(temp, self.path)
            sync_name(self.path, "it was replaced")


def _built(env: Env, session: Locked, build: Callable[[Locked], bytes | None]) -> bytes | None:
    """Return what `build` returns; new ids are those of this session meanwhile."""
    env.locked = session
    try:
        return build(session)
    finally:
        env.locked = None


def record_blocks(env: Env, path: str, lines: bytes) -> None:
    """Record for `gc` that a session refers to blocks."""
    if b'"blockId' in lines:
        from . import outside

        outside.add(env, path)


def _not_stored(error: OSError, path: str) -> InputOutput:
    return InputOutput(f"{error.filename or path}: {error.strerror}; nothing was stored")


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

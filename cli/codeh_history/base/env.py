"""Access to the outside world: environment, clock, ids, standard streams. Importing it has no effects."""

from __future__ import annotations

import os

from .errors import BadData, HistoryError, InputOutput, Interrupted, TryAgain, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Protocol

    class Placed(Protocol):
        """The place where a record is written: a session and a byte offset."""

        session: str

        @property
        def offset(self) -> int: ...

        def has(self, id: str) -> bool: ...

        def streamed_bytes(self) -> int: ...


SIGPIPE = 13


class Env:
    """Everything outside the process that a command may use; tests pass their own."""

    def __init__(
        self, environ: Mapping[str, str] | None = None, *, stdin: int = 0, stdout: int = 1, stderr: int = 2
    ) -> None:
        self.environ: Mapping[str, str] = dict(os.environ) if environ is None else environ
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.quiet = False
        self.stored: str | None = None  # the id that was stored, for later error messages
        self.locked: Placed | None = None  # the session being written
        self.clear_progress: Callable[[], object] = lambda: None  # removes a progress bar from the terminal
        self.run_line: Callable[[list[str], Env], int] | None = None  # runs a command line, for `serve`
        self.options_of: Callable[[list[str]], Mapping[str, object] | None] | None = None  # parses it
        self.named_only = False  # whether every session must be named, as in the library
        self.default_session: str | None = None  # its path, once chosen
        self.held: object = None  # large objects, kept alive because freeing them at exit takes time
        self._ordinal = 0

    @staticmethod
    def enable_gc() -> None:
        """Turn on garbage collection, which short-lived commands run without."""
        import gc

        gc.enable()

    # -- clock and ids ------------------------------------------------------------------------------

    def millis(self) -> int:
        """Return the current time in epoch milliseconds, or `CODEH_NOW` if set."""
        fixed = self.environ.get("CODEH_NOW")
        if not fixed:
            import time

            return time.time_ns() // 1_000_000
        from .times import to_millis

        millis = to_millis(fixed)
        if millis is None:
            raise Usage(f"CODEH_NOW: not a time: {fixed}")
        return millis

    def now(self) -> str:
        """Return the current time in the stored form: RFC 3339, UTC, with milliseconds."""
        from .times import from_millis

        return from_millis(self.millis())

    @property
    def seed(self) -> str | None:
        """`CODEH_ID_SEED`, which makes ids predictable for tests."""
        return self.environ.get("CODEH_ID_SEED") or None

    def new_id(self, session: str, offset: int) -> str:
        """Return a random id, or with `CODEH_ID_SEED` a hash of seed, session, byte offset and ordinal.

        The offset does not count streamed content, because its size depends on timing. So an offset can
        repeat, as it also can in a session replaced by a shorter one. The ordinal then advances to the
        first unused id.
        """
        if self.seed is None:
            return self.random_id()
        offset -= self.locked.streamed_bytes() if self.locked is not None else 0
        while True:
            self._ordinal += 1
            id = self._seeded(session, offset, self._ordinal)
            if self.locked is None or not self.locked.has(id):
                return id

    def streamed_id(self, place: Placed, of: str) -> str:
        """Return an id for streamed content; no other id depends on it."""
        return self.random_id() if self.seed is None else self._seeded(place.session, place.offset, of)

    def _seeded(self, *names: object) -> str:
        import hashlib

        text = "\0".join(map(str, (self.seed, *names)))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]

    def id_in(self, place: Placed, more: int = 0) -> str:
        """Return `new_id` for the offset `more` bytes after the end, read only if the id depends on it."""
        return self.random_id() if self.seed is None else self.new_id(place.session, place.offset + more)

    @staticmethod
    def random_id() -> str:
        return os.urandom(10).hex()

    def ids(self, session: str, count: int) -> Callable[[int], str]:
        """Return a function from offset to `new_id` for `count` records; draw random ids all at once."""
        if self.seed is not None:
            return lambda offset: self.new_id(session, offset)
        drawn = os.urandom(10 * count).hex()
        ids = (drawn[at : at + 20] for at in range(0, len(drawn), 20))
        return lambda _: next(ids)

    # -- places -------------------------------------------------------------------------------------

    @property
    def home(self) -> str:
        """`$CODEH_HOME`, else `~/.codeh`."""
        home = self.environ.get("CODEH_HOME")
        if home:
            return os.path.expanduser(home)  # crontab and systemd do not expand ~
        return os.path.join(self.environ.get("HOME") or _home_of_user(), ".codeh")

    @staticmethod
    def cwd() -> str:
        """Return the working directory as sessions record it, or "" if it no longer exists."""
        try:
            return os.getcwd().encode("utf-8", "replace").decode()
        except OSError:
            return ""

    # -- streams ------------------------------------------------------------------------------------

    def write(self, data: bytes | memoryview) -> None:
        """Write data to stdout, with control characters escaped if it is a terminal."""
        if self.terminal(self.stdout):
            from .escape import shown

            data = shown(bytes(data))
        self.draw(data)

    def print(self, *lines: str) -> None:
        """Write lines to stdout; file names that are not UTF-8 keep their bytes."""
        self.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))

    def print_json(self, *values: object) -> None:
        """Write each value to stdout as a line of JSON."""
        import orjson

        self.write(b"".join(orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE) for value in values))

    def print_list(self, values: Iterable[object], *, as_array: bool) -> None:
        """Write each value as soon as it is available, as an element of a JSON array or a JSON line."""
        import orjson

        before = b"[\n" if as_array else b""
        for value in values:
            self.write(before + orjson.dumps(value) + (b"" if as_array else b"\n"))
            before = b",\n" if as_array else b""
        if as_array:
            self.write(b"[]\n" if before == b"[\n" else b"\n]\n")

    def draw(self, data: bytes | memoryview) -> None:
        """Write formatted output to stdout unchanged, including styles.

        A closed pipe ends the command silently with 141, any other failure with 74.
        """
        self.clear_progress()
        try:
            while data:
                try:
                    data = data[os.write(self.stdout, data) :]
                except BlockingIOError:  # a process that shares stdout set it to non-blocking
                    import select

                    select.select([], [self.stdout], [])
        except BrokenPipeError:
            raise Interrupted(SIGPIPE) from None
        except OSError as error:
            raise self.output_error(f"stdout: {error.strerror}") from None

    def output_error(self, reason: str) -> InputOutput:
        """Return the error for failed output, which mentions once that a record was stored."""
        stored = f" (stored all the same: {self.stored})" if self.stored else ""
        return InputOutput(reason.removesuffix(stored) + stored)

    def note(self, text: str) -> None:
        """Print a note on stderr, unless `-q` silences it."""
        if not self.quiet:
            self.warn(text)

    def warn(self, text: str) -> None:
        """Print a line on stderr regardless of flags, with control characters escaped."""
        if not text.isprintable():
            from .escape import visible

            text = visible(text)
        self.clear_progress()
        try:
            os.write(self.stderr, f"codeh-history: {text}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            pass  # stderr is closed

    def report(self, text: bytes, *, drawn: bool = False) -> None:
        """Print requested output such as `--report` on stderr; `drawn` output is already formatted."""
        if not drawn and self.terminal(self.stderr):
            from .escape import shown

            text = shown(text)
        self.clear_progress()
        os.write(self.stderr, text + b"\n")

    def note_terminal_input(self) -> None:
        """On a terminal, note that stdin is being read, and how to end it."""
        if self.terminal(self.stdin):
            self.note("reading from the terminal; end it with Ctrl-D")

    def read_stdin(self) -> bytes:
        """Read stdin to its end, a file in one piece."""
        self.note_terminal_input()
        blocks: list[bytes] = []
        try:
            size = max(1 << 18, os.fstat(self.stdin).st_size)
            while block := os.read(self.stdin, min(size, 1 << 30)):
                blocks.append(block)
        except OSError as error:
            raise InputOutput(f"stdin: {error.strerror}") from None
        return b"".join(blocks)

    def stdin_kind(self) -> str:
        """Return `file`, `pipe` (also for a socket), or "" for a terminal, other device or closed stdin."""
        import stat

        try:
            mode = os.fstat(self.stdin).st_mode
        except OSError:
            return ""
        if stat.S_ISREG(mode):
            return "file"
        return "pipe" if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else ""

    def waiting(self) -> bool:
        """Return whether stdin has unread bytes: a pipe with data, or a file not at its end."""
        kind = self.stdin_kind()
        if kind == "file":
            return os.lseek(self.stdin, 0, os.SEEK_CUR) < os.fstat(self.stdin).st_size
        import fcntl
        import termios

        return kind == "pipe" and any(fcntl.ioctl(self.stdin, termios.FIONREAD, b"\0\0\0\0"))

    def piped(self) -> bool:
        """Return whether stdin is a pipe that has data or a writer."""
        import select

        if self.stdin_kind() != "pipe":
            return False
        poll = select.poll()
        poll.register(self.stdin, select.POLLIN)
        return all(events & select.POLLIN for _, events in poll.poll(0))

    def terminal(self, fd: int) -> bool:
        return os.isatty(fd)

    def translated(self, error: Exception) -> HistoryError | None:
        """Translate a library or system error into one the user can act on; None for a bug."""
        if isinstance(error, OSError):
            return self.io_error(error)
        if "ecursion" in str(error):  # raised by orjson or Python
            return BadData("JSON nested deeper than 200 levels; nothing was stored, sent or changed")
        if "start new thread" in str(error):
            return TryAgain("the system does not allow another thread (ulimit -u, memory); try again")
        if "surrogates not allowed" in str(error):  # from bytes that are not UTF-8
            return BadData(str(self.output_error("a text, argument or file name is not UTF-8")))
        return None

    @staticmethod
    def io_error(error: OSError) -> InputOutput:
        """Return the error for a failed system call; a full or missing place without a name is TMPDIR's."""
        import errno

        temporary = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOENT)
        place = "temporary files (in $TMPDIR or /tmp)" if temporary else "input or output"
        return InputOutput(f"{error.filename or place}: {error.strerror or error}")

    @property
    def colour(self) -> bool:
        """Whether to use colour on stdout."""
        return self.coloured(self.stdout)

    def coloured(self, fd: int) -> bool:
        """Return whether to use colour: for a terminal, without `NO_COLOR` or `TERM=dumb`."""
        plain = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb"
        return self.terminal(fd) and not plain


def _home_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise Usage("no home directory: neither CODEH_HOME nor HOME is set") from None


def unwind() -> None:
    """Make SIGTERM and SIGHUP raise Interrupted, so that open files and streams are closed properly.

    An ignored signal (nohup) stays ignored.
    """
    import signal

    def stop(number: int, _frame: object) -> None:
        raise Interrupted(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def open_standard_streams() -> None:
    """Open any closed standard descriptor, so that no session file is opened under its number.

    A closed stdout becomes read-only, so that output still fails with 74.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if fd != 0 else os.O_WRONLY)

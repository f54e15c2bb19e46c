"""The outside world: environment, clock, ids, standard streams. Built at the edge, inert at import."""

from __future__ import annotations

import os

from .errors import BadData, HistoryError, InputOutput, Interrupted, TryAgain, Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Protocol

    class Placed(Protocol):
        """Where a record is to stand: in a session, from a byte on."""

        session: str

        @property
        def offset(self) -> int: ...

        def has(self, id: str) -> bool: ...

        def streamed(self) -> int: ...


SIGPIPE = 13


class Env:
    """What a command may touch; tests build their own."""

    def __init__(
        self, environ: Mapping[str, str] | None = None, *, stdin: int = 0, stdout: int = 1, stderr: int = 2
    ) -> None:
        self.environ: Mapping[str, str] = dict(os.environ) if environ is None else environ
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.quiet = False
        self.stored: str | None = None  # the id already stored, for errors that come after
        self.locked: Placed | None = None  # the session that is being written
        self.make_way: Callable[[], object] = lambda: None  # takes a bar off the terminal
        self.program: Callable[[list[str], Env], int] | None = None  # as `main` runs it, for `serve`
        self.options_of: Callable[[list[str]], Mapping[str, object] | None] | None = None  # the same
        self.named_only = False  # whether every session must be named, as in programs
        self.begun_here: str | None = None  # the session meant where none is named, once it was chosen
        self.held: object = None  # what a process that ends now need not take apart
        self._ordinal = 0

    @staticmethod
    def lives_long() -> None:
        """Cycles are collected from here on: a short process does without."""
        import gc

        gc.enable()

    # -- clock and ids ------------------------------------------------------------------------------

    def millis(self) -> int:
        """Now, in epoch milliseconds; `CODEH_NOW` fixes it."""
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
        """Now, as stored: RFC 3339 UTC with milliseconds."""
        from .times import from_millis

        return from_millis(self.millis())

    @property
    def seed(self) -> str | None:
        """`CODEH_ID_SEED`: ids that can be foretold, for tests."""
        return self.environ.get("CODEH_ID_SEED") or None

    def new_id(self, session: str, offset: int) -> str:
        """A new id; with `CODEH_ID_SEED` a hash of seed, session, byte offset and ordinal.

        What streams wrote before their commits is not counted in the offset: how much that is depends on
        timing. So an offset may come again, as it does in a session that was replaced by a shorter one:
        the ordinal goes on to the first id that is not there.
        """
        if self.seed is None:
            return self.random_id()
        offset -= self.locked.streamed() if self.locked is not None else 0
        while True:
            self._ordinal += 1
            id = self._seeded(session, offset, self._ordinal)
            if self.locked is None or not self.locked.has(id):
                return id

    def streamed_id(self, place: Placed, of: str) -> str:
        """The id of what a stream writes before its commit; no other id depends on it."""
        return self.random_id() if self.seed is None else self._seeded(place.session, place.offset, of)

    def _seeded(self, *names: object) -> str:
        import hashlib

        text = "\0".join(map(str, (self.seed, *names)))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:20]

    def id_in(self, place: Placed, more: int = 0) -> str:
        """`new_id` after so many more bytes; where the session ends is asked only if the id hangs on it."""
        return self.random_id() if self.seed is None else self.new_id(place.session, place.offset + more)

    @staticmethod
    def random_id() -> str:
        return os.urandom(10).hex()

    def ids(self, session: str, count: int) -> Callable[[int], str]:
        """`new_id` for this many records of a session, by their offsets; random ones are drawn at once."""
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
            return home
        return os.path.join(self.environ.get("HOME") or _home_of_user(), ".codeh")

    @staticmethod
    def cwd() -> str:
        """The working directory as sessions name it; "" where it was removed."""
        try:
            return os.getcwd().encode("utf-8", "replace").decode()
        except OSError:
            return ""

    # -- streams ------------------------------------------------------------------------------------

    def write(self, data: bytes | memoryview) -> None:
        """Data to stdout; on a terminal nothing in it can drive one."""
        if self.terminal(self.stdout):
            from .escape import shown

            data = shown(bytes(data))
        self.draw(data)

    def draw(self, data: bytes | memoryview) -> None:
        """What is laid out already to stdout, styles and all.

        A closed pipe ends the command silently with 141, any other failure with 74.
        """
        self.make_way()
        try:
            while data:
                try:
                    data = data[os.write(self.stdout, data) :]
                except BlockingIOError:  # another process that shares it made it so
                    import select

                    select.select([], [self.stdout], [])
        except BrokenPipeError:
            raise Interrupted(SIGPIPE) from None
        except OSError as error:
            raise self.unsaid(f"stdout: {error.strerror}") from None

    def unsaid(self, reason: str) -> InputOutput:
        """The error of output that failed; it says, once, what is stored all the same."""
        stored = f" (stored all the same: {self.stored})" if self.stored else ""
        return InputOutput(reason.removesuffix(stored) + stored)

    def note(self, text: str) -> None:
        """A note for people, on stderr; `-q` silences it."""
        if not self.quiet:
            self.complain(text)

    def complain(self, text: str) -> None:
        """A line on stderr whatever the flags; control characters are made visible."""
        if not text.isprintable():
            from .escape import visible

            text = visible(text)
        self.make_way()
        try:
            os.write(self.stderr, f"codeh-history: {text}\n".encode("utf-8", "backslashreplace"))
        except OSError:
            pass  # nobody is listening

    def report(self, text: bytes, *, drawn: bool = False) -> None:
        """What was asked for on stderr, as a JSON line of `--report`; `drawn`: laid out, styles and all."""
        if not drawn and self.terminal(self.stderr):
            from .escape import shown

            text = shown(text)
        self.make_way()
        os.write(self.stderr, text + b"\n")

    def awaits(self) -> None:
        """Tell a person that stdin is read now, and how to end it."""
        if self.terminal(self.stdin):
            self.note("reading from the terminal; end it with Ctrl-D")

    def read_stdin(self) -> bytes:
        """All of stdin."""
        return b"".join(self.arriving(1 << 30))  # a file in one piece

    def arriving(self, most: int = 1 << 18) -> Iterator[bytes]:
        """Stdin in blocks of at most so many bytes, each as soon as it arrives."""
        self.awaits()
        try:
            step = min(most, max(1 << 18, os.fstat(self.stdin).st_size))
            while block := os.read(self.stdin, step):
                yield block
        except OSError as error:
            raise InputOutput(f"stdin: {error.strerror}") from None

    def stdin_kind(self) -> str:
        """`file`, or `pipe` for a pipe or socket; "" for a terminal, another device or a closed one."""
        import stat

        try:
            mode = os.fstat(self.stdin).st_mode
        except OSError:
            return ""
        if stat.S_ISREG(mode):
            return "file"
        return "pipe" if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else ""

    def waiting(self) -> bool:
        """Whether bytes wait unread on stdin: a pipe with data, or a file not at its end."""
        kind = self.stdin_kind()
        if kind == "file":
            return os.lseek(self.stdin, 0, os.SEEK_CUR) < os.fstat(self.stdin).st_size
        import fcntl
        import termios

        return kind == "pipe" and any(fcntl.ioctl(self.stdin, termios.FIONREAD, b"\0\0\0\0"))

    def piped(self) -> bool:
        """Whether stdin is a pipe with data or an open writer."""
        import select

        if self.stdin_kind() != "pipe":
            return False
        poll = select.poll()
        poll.register(self.stdin, select.POLLIN)
        return all(events & select.POLLIN for _, events in poll.poll(0))

    def terminal(self, fd: int) -> bool:
        return os.isatty(fd)

    def understood(self, error: Exception) -> HistoryError | None:
        """An error of a library or of the system as one that the user can act on; None for a bug."""
        if isinstance(error, OSError):
            return InputOutput(f"{error.filename or 'input or output'}: {error.strerror or error}")
        if "ecursion" in str(error):  # of orjson or of Python
            return BadData(
                "JSON nested deeper than 200 levels: neither stored nor sent; nothing was changed"
            )
        if "start new thread" in str(error):
            return TryAgain("the system does not allow another thread (ulimit -u, memory); try again")
        if "surrogates not allowed" in str(error):  # of bytes that are not UTF-8
            return BadData(str(self.unsaid("an argument or file name is not UTF-8")))
        return None

    @property
    def colour(self) -> bool:
        """Whether stdout is a terminal that wants colour."""
        return self.coloured(self.stdout)

    def coloured(self, fd: int) -> bool:
        """Whether that is a terminal that wants colour (`NO_COLOR`, `TERM=dumb`)."""
        plain = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb"
        return self.terminal(fd) and not plain


def _home_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise Usage("no home directory: neither CODEH_HOME nor HOME is set") from None


def unwind() -> None:
    """From here on SIGTERM and SIGHUP raise Interrupted, so that what is open is closed properly.

    A signal that is ignored (nohup) stays ignored.
    """
    import signal

    def stop(number: int, _frame: object) -> None:
        raise Interrupted(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)


def open_standard_streams() -> None:
    """See that descriptors 0 to 2 are taken, so that no session file is ever opened as one of them.

    A closed stdout becomes one that cannot be written, so output still fails with 74.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDONLY if fd != 0 else os.O_WRONLY)

"""Running the user's command for a summary: own process group, time limit, output limit."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..base.errors import SummarizerFailed
from .clipped import clip

T = TypeVar("T")

MOST = 4 << 20  # bytes of output; a summary is far smaller
GRACE = 2.0  # seconds between TERM and KILL, and for what is left in the pipe when the command has ended
STEP = 0.2  # seconds that are waited at once
_KEPT = 4096  # bytes of stderr, for the reason


@dataclass(frozen=True)
class Done:
    """A command's exit code (negative: a signal), its output, and the end of its stderr."""

    code: int
    out: bytes
    err: bytes

    def text(self) -> str:
        """The output as text; raises SummarizerFailed where the command failed or it is none."""
        self.check()
        try:
            return self.out.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SummarizerFailed(
                f"the command printed no text: byte {error.start} is not UTF-8"
            ) from None

    def check(self) -> None:
        """Raises SummarizerFailed where the command failed."""
        if self.code:
            how = f"ended with {self.code}" if self.code > 0 else f"was ended by signal {-self.code}"
            raise SummarizerFailed(f"the command {how}{_last_line(self.err or self.out)}")


def result_of(future: Future[T]) -> T:
    """A future's result, waited for in steps: a signal just before an endless wait would not end it."""
    while not future.done():
        wait([future], STEP)
    return future.result()


class Runs(Protocol):
    """What a request is given to."""

    def run(self, data: bytes) -> Done:
        """How it ended for this input."""

    def stop(self) -> None:
        """End what runs and start nothing more."""


class Commands:
    """Runs one shell command again and again, from any number of threads, until `stop`."""

    def __init__(self, command: str, seconds: float) -> None:
        self.command = command
        self.seconds = seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, data: bytes) -> Done:
        """How the command ended for this input; raises SummarizerFailed where it did not end by itself.

        Never in the main thread: there a signal could come between the command's start and its being
        known, and nobody would end it.
        """
        if threading.current_thread() is not threading.main_thread():
            return self._run(data)
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(self._run, data)
            try:
                return result_of(done)
            except BaseException:
                self.stop()
                raise

    def _run(self, data: bytes) -> Done:
        process = self._start(data)
        try:
            out, err = self._read(process)
            return Done(process.wait(), out, err)
        finally:
            end(process)
            with self._lock:
                self._running.discard(process)

    def stop(self) -> None:
        """End what runs and start nothing more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            end(process)

    def _start(self, data: bytes) -> subprocess.Popen[bytes]:
        """The input lies in an unnamed file, so a command that does not read it blocks nobody."""
        with tempfile.TemporaryFile() as file, self._lock:
            file.write(data)
            file.seek(0)
            if self._stopped:
                raise SummarizerFailed("interrupted")
            try:
                process = subprocess.Popen(
                    ["/bin/sh", "-c", self.command],
                    stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise SummarizerFailed(f"the command cannot be run: {error.strerror}") from None
            self._running.add(process)
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """stdout, and the end of stderr, until both are closed or the command has ended."""
        assert process.stdout is not None and process.stderr is not None  # noqa: S101, PT018 - pipes were asked for
        deadline = time.monotonic() + self.seconds
        out, err = bytearray(), bytearray()
        with selectors.DefaultSelector() as ready, process.stdout, process.stderr:
            ready.register(process.stdout, selectors.EVENT_READ, out)
            ready.register(process.stderr, selectors.EVENT_READ, err)
            ended = False
            while ready.get_map():
                left = deadline - time.monotonic()
                if left <= 0:
                    if ended:
                        break  # what it left behind holds the pipe: its own output is complete
                    raise SummarizerFailed(f"the command took longer than {self.seconds:g} s")
                for key, _ in ready.select(min(left, STEP)):
                    chunk = os.read(key.fd, 1 << 16)
                    key.data.extend(chunk)
                    if not chunk:
                        ready.unregister(key.fileobj)
                del err[:-_KEPT]
                if len(out) > MOST:
                    raise SummarizerFailed(f"the command printed more than {MOST >> 20} MiB")
                if not ended and process.poll() is not None:
                    ended = True
                    deadline = min(deadline, time.monotonic() + GRACE)
        return bytes(out), bytes(err)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: TERM, then KILL; nothing of it is left behind."""
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _last_line(err: bytes) -> str:
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {clip(lines[-1], 200)}" if lines else ""

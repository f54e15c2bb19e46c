"""Run the user's command for a summary, in its own process group, with limits on time and output."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Protocol, TypeVar

from ..base.errors import SummarizerFailed
from .prose import clip

T = TypeVar("T")

MOST = 4 << 20  # bytes of output; a summary is far smaller
GRACE = 2.0  # seconds between TERM and KILL
STEP = 0.2  # seconds to wait at a time
POLL = 0.02  # seconds between checks of a command's output


@dataclass(frozen=True)
class Done:
    """A command's exit code (negative: a signal), its output, and its stderr."""

    code: int
    out: bytes
    err: bytes

    def text(self) -> str:
        """Return the output; raise SummarizerFailed if the command failed or it is not UTF-8."""
        self.check()
        try:
            return self.out.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SummarizerFailed(
                f"the command printed no text: byte {error.start} is not UTF-8"
            ) from None

    def check(self) -> None:
        """Raise SummarizerFailed, with the last line that it printed, if the command failed."""
        if self.code:
            how = f"ended with {self.code}" if self.code > 0 else f"was ended by signal {-self.code}"
            lines = (self.err or self.out).decode("utf-8", "replace").splitlines()
            last = next((f": {clip(line, 200)}" for line in reversed(lines) if line.strip()), "")
            raise SummarizerFailed(f"the command {how}{last}")


def result_of(future: Future[T]) -> T:
    """Wait for a future in short steps, so that signals are handled."""
    while not future.done():
        wait([future], STEP)
    return future.result()


class CommandRunner(Protocol):
    """Runs a command, or the caller's function."""

    def run(self, data: bytes) -> Done:
        """Run it with this input."""

    def stop(self) -> None:
        """End running commands and start no more."""


class Commands:
    """Runs one shell command repeatedly, from any number of threads, until `stop`."""

    def __init__(self, command: str, seconds: float) -> None:
        self.command = command
        self.seconds = seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(self, data: bytes) -> Done:
        """Run the command with this input; raise SummarizerFailed if it had to be stopped.

        It is not started in the main thread, where a signal could arrive before the process is recorded, so
        that nothing would end it.
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
        """Run the command with temporary files as its streams, so that neither side blocks."""
        file = tempfile.TemporaryFile
        with file() as stdin, file() as out, file() as err:
            stdin.write(data)
            stdin.seek(0)
            with self._lock:
                if self._stopped:
                    raise SummarizerFailed("interrupted")
                try:
                    process = subprocess.Popen(
                        ["/bin/sh", "-c", self.command],
                        stdin=stdin, stdout=out, stderr=err, start_new_session=True,
                    )  # fmt: skip
                except OSError as error:
                    raise SummarizerFailed(f"the command cannot be run: {error.strerror}") from None
                self._running.add(process)
            try:
                self._wait(process, out, err)
            finally:
                end(process)
                with self._lock:
                    self._running.discard(process)
            out.seek(0)
            err.seek(0)
            return Done(process.returncode, out.read(), err.read())

    def _wait(self, process: subprocess.Popen[bytes], *printed: IO[bytes]) -> None:
        """Wait for the exit; raise SummarizerFailed if the command takes too long or prints too much."""
        deadline = time.monotonic() + self.seconds
        while process.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(POLL)
            if any(os.fstat(file.fileno()).st_size > MOST for file in printed):
                raise SummarizerFailed(f"the command printed more than {MOST >> 20} MiB")
            if time.monotonic() > deadline and process.returncode is None:
                raise SummarizerFailed(f"the command took longer than {self.seconds:g} s")

    def stop(self) -> None:
        """End running commands and start no more."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the whole process group: TERM, then KILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)

"""The event loop: reads requests, runs them in workers, and writes answers.

It is single-threaded because workers are forked from it. Only unread answers block it.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Sequence
from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Interrupted, Usage
from ...base.escape import visible
from ...session.records import BOM
from ...store.paths import SERVER
from . import request as requests
from .request import Request, Turn, turn_of
from .worker import MOST, Json, Output, Worker

RUNNING = 128  # concurrent commands, and as many that follow a session
IDLE = 8  # idle workers to keep
WAITING = 1000  # unanswered requests at which stdin is no longer read
GRACE = 12.0  # seconds from SIGTERM to SIGKILL; commands give their children 10
_CHUNK = 1 << 16
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Job:
    """An unanswered request."""

    def __init__(self, request: Request, turn: Turn) -> None:
        self.request = request
        self.turn = turn
        self.task: asyncio.Task[None]  # runs it
        self.worker: Worker | None = None  # while it runs
        self.kill: asyncio.TimerHandle | None = None  # after SIGTERM
        self.cancelled = False


class Server:
    """Runs requests from stdin until it ends."""

    def __init__(self, env: Env) -> None:
        env.held = self  # keeps the server alive until the process exits
        self.env = env
        self.cwd = env.cwd()
        # database sessions that exist; the database is not queried per request
        self.existing: set[str] = set()
        self.jobs: dict[requests.Id, Job] = {}  # in the order of requests
        self.idle: list[Worker] = []
        self.line, self.number = bytearray(), 0  # of stdin: the current line
        self.ended = False  # whether stdin has ended
        self.stopped = 0  # number of the signal that stops the server
        self.sending = False

    def run(self) -> int:
        """Serve until all requests are answered; return the exit code."""
        # epoll does not support regular files
        self.loop = asyncio.SelectorEventLoop(selectors.PollSelector())
        self.over = self.loop.create_future()
        self.loop.set_exception_handler(self.fail)
        self.slots = {endless: asyncio.Semaphore(RUNNING) for endless in (False, True)}
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.on_signal)
        self.loop.add_reader(self.env.stdin, self.read)
        try:
            self.loop.run_until_complete(self.over)
        finally:
            self.leave()
        return 128 + self.stopped if self.stopped else 0

    def fail(self, _: object, context: Json) -> None:
        """Stop with the exception of a callback."""
        if not self.over.done():
            self.over.set_exception(context["exception"])  # type: ignore[arg-type]

    # -- requests -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read available input and handle complete lines."""
        data = os.read(self.env.stdin, _CHUNK)
        *ends, rest = data.split(b"\n")
        for end in ends:
            self.take_line(end)
        self.line += rest[: requests.LONGEST + 1 - len(self.line)]
        if not data:
            self.take_line(b"")
            self.ended = True
            for job in [job for job in self.jobs.values() if job.turn.endless]:
                self.cancel(job, signal.SIGTERM)
        self.look()

    def take_line(self, end: bytes) -> None:
        """Handle the current line, whose last bytes these are."""
        self.number += 1
        data = bytes(self.line + end[: requests.LONGEST + 1 - len(self.line)])
        self.line.clear()
        if self.number == 1:
            data = data.removeprefix(BOM)
        if len(data) > requests.LONGEST:
            self.refuse(None, BadData(f"longer than {requests.LONGEST >> 20} MiB"))
            return
        if not data.strip():
            return
        id, request = requests.read(data)
        if isinstance(request, HistoryError):
            self.refuse(id, request)
        elif request is None and id in self.jobs:
            self.cancel(self.jobs[id], signal.SIGTERM)
        elif request is not None and id in self.jobs:
            self.refuse(id, Usage("id: already used by an unanswered request"))
        elif request is not None:
            job = Job(request, self.turn_of(request))
            earlier = [each.task for each in self.jobs.values() if job.turn.waits_for(each.turn)]
            job.task = self.loop.create_task(self.handle(job, earlier))
            job.task.add_done_callback(asyncio.Task.result)  # an exception stops the server
            self.jobs[id] = job

    def turn_of(self, request: Request) -> Turn:
        environ = {**self.env.environ, **request.environ}
        env = Env({name: value for name, value in environ.items() if value is not None})
        assert self.env.options_of is not None  # noqa: S101 - set by what runs us
        try:
            options = self.env.options_of(request.argv)
            cwd = os.path.join(self.cwd, request.cwd)
            return turn_of(request.argv[0], options, env, cwd, self.existing)
        except (HistoryError, OSError):
            return Turn(None)  # running it reports the error

    def look(self) -> None:
        """Pause or resume reading stdin; stop once it has ended and all requests are answered."""
        if not self.ended and len(self.jobs) < WAITING:
            self.loop.add_reader(self.env.stdin, self.read)
        else:
            self.loop.remove_reader(self.env.stdin)
        if self.ended and not self.jobs and not self.over.done():
            self.over.set_result(None)

    # -- commands -------------------------------------------------------------------------------------

    async def handle(self, job: Job, earlier: Sequence[asyncio.Task[None]]) -> None:
        """Run a request after those before it, and answer it; a cancelled one only waits."""
        for task in earlier:
            await task
        async with self.slots[job.turn.endless]:
            if not job.cancelled:
                self.end(job, await self.execute(job))

    async def execute(self, job: Job) -> Json:
        """Run a request in a worker; return the answer."""
        outputs: list[Output] = []
        try:
            worker = job.worker = self.start(job.request, outputs)
            code = await worker.code(self.loop)
        except OSError as error:
            return {"code": 75, "stdout": "", "stderr": _line(f"no process: {error.strerror}")}
        finally:
            for output in outputs:
                self.loop.remove_reader(output.fd)
                output.close()
        note = ""
        if job.kill is not None:
            job.kill.cancel()
            worker.signal(signal.SIGTERM, all=True)  # children of a killed shell
        if code is None:
            code = worker.end() or 0
            if not job.cancelled:
                note = _line(f"the command was killed (exit {code}); what it stored is stored")
        elif worker.spent or len(self.idle) >= IDLE:
            worker.end()
        else:
            self.idle.append(worker)
        if any(output.lost for output in outputs):
            code = 74
            note += _line(f"output above {MOST >> 20} MiB is lost, what it did is done; use stream")
        if not code:
            self.existing.update(each for each in job.turn.sessions or () if each.startswith(SERVER))
        stdout, stderr = outputs
        return {"code": code, **stdout.end(), **stderr.end(note)}

    def start(self, request: Request, outputs: list[Output]) -> Worker:
        """Give the request to the most recently used idle worker or a new one; fill `outputs`."""
        files = [_stdin(request.stdin)]
        send = partial(self.send, request.id) if request.stream else None
        assert self.env.program is not None  # noqa: S101 - it is what runs us
        try:
            for name in ("stdout", "stderr"):
                ours, theirs = os.pipe()
                files.append(theirs)
                outputs.append(Output(ours, name, send))
                self.loop.add_reader(ours, self.take_output, outputs[-1])
            while True:
                worker = self.idle.pop() if self.idle else Worker(self.env.program, self.env.environ)
                if worker.give(request.argv, request.cwd, request.environ, files):
                    return worker
                worker.end()  # it died while idle
        finally:
            for fd in files:
                os.close(fd)

    def take_output(self, output: Output) -> None:
        if not output.take():
            self.loop.remove_reader(output.fd)

    def end(self, job: Job, answer: Json) -> None:
        """Answer a request and remove it."""
        job.worker = None
        self.send(job.request.id, answer)  # raises if stdout is closed; the request then stays unanswered
        del self.jobs[job.request.id]
        self.look()

    def cancel(self, job: Job, number: int) -> None:
        """Cancel a request: signal its command, or never start it."""
        if job.cancelled:
            return
        job.cancelled = True
        if job.worker is None:
            self.end(job, {"code": 128 + number, "stdout": "", "stderr": ""})
        else:
            job.worker.signal(signal.SIGTERM)
            job.kill = self.loop.call_later(GRACE, partial(job.worker.signal, signal.SIGKILL, all=True))

    # -- answers, and the end ---------------------------------------------------------------------------

    def refuse(self, id: requests.Id, error: HistoryError) -> None:
        err = _line(f"line {self.number}: {error}")
        self.send(id, {"code": error.exit_code, "stdout": "", "stderr": err})

    def send(self, id: requests.Id, what: Json) -> None:
        """Write a line to stdout; blocks until it is read, but not signals."""
        self.sending = True
        self.env.draw(orjson.dumps({"id": id, **what}) + b"\n")
        self.sending = False

    def on_signal(self, number: int, _frame: object) -> None:
        """Cancel all requests; exit at once on a second signal, or on one while sending."""
        if self.stopped or self.sending:
            raise Interrupted(number)
        self.stopped = number
        self.loop.call_soon_threadsafe(self.stop)

    def stop(self) -> None:
        self.ended = True
        for job in list(self.jobs.values()):
            self.cancel(job, self.stopped)
        self.look()

    def leave(self) -> None:
        """Stop the remaining workers."""
        running = [job.worker for job in self.jobs.values() if job.worker is not None]
        for worker in running:
            worker.signal(signal.SIGTERM)
        until = time.monotonic() + GRACE
        left = running + self.idle
        while left := [worker for worker in left if worker.end(wait=False) is None]:
            if time.monotonic() > until:
                for worker in left:
                    worker.signal(signal.SIGKILL, all=True)
            time.sleep(0.001)


def _stdin(data: bytes | None) -> int:
    """Open a temporary file with these bytes as a command's stdin; /dev/null for None."""
    if data is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno())


def _line(text: str) -> str:
    return f"codeh-history: serve: {visible(text)}\n"

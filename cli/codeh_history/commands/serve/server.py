"""The event loop: reads requests, runs them in workers, and writes answers.

Single-threaded, because workers are forked from it. It blocks only while answers are not read.
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
from .request import Request, Scope, scope_of
from .worker import MOST, Json, Output, Worker

RUNNING = 128  # concurrent commands, and as many that follow a session
IDLE = 8  # idle workers to keep
WAITING = 1000  # unanswered requests at which stdin is no longer read
GRACE = 12.0  # seconds from SIGTERM to SIGKILL; commands give their children 10
_CHUNK = 1 << 16
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Job:
    """An unanswered request."""

    def __init__(self, request: Request, scope: Scope) -> None:
        self.request = request
        self.scope = scope
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
        self.line, self.number = bytearray(), 0  # the current line of stdin
        self.ended = False  # whether stdin has ended
        self.stopped = 0  # number of the signal that stops the server
        self.sending = False

    def run(self) -> int:
        """Serve until all requests are answered; return the exit code."""
        # epoll does not support regular files
        self.loop = asyncio.SelectorEventLoop(selectors.PollSelector())
        self.done = self.loop.create_future()
        self.loop.set_exception_handler(self.fail)
        self.slots = {endless: asyncio.Semaphore(RUNNING) for endless in (False, True)}
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self.on_signal)
        self.loop.add_reader(self.env.stdin, self.read)
        try:
            self.loop.run_until_complete(self.done)
        finally:
            self.shut_down()
        return 128 + self.stopped if self.stopped else 0

    def fail(self, _: object, context: Json) -> None:
        """Stop with the exception of a callback."""
        if not self.done.done():
            self.done.set_exception(context["exception"])  # type: ignore[arg-type]

    # -- requests -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read available input and handle complete lines."""
        data = os.read(self.env.stdin, _CHUNK)
        *ends, rest = data.split(b"\n")
        for end in ends:
            self.handle_line(end)
        self.line += rest[: requests.LONGEST + 1 - len(self.line)]
        if not data:
            self.handle_line(b"")
            self.ended = True
            for job in [job for job in self.jobs.values() if job.scope.endless]:
                self.cancel(job, signal.SIGTERM)
        self.update()

    def handle_line(self, end: bytes) -> None:
        """Handle the current line, completed by these bytes."""
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
            job = Job(request, self.scope_of(request))
            earlier = [each.task for each in self.jobs.values() if job.scope.waits_for(each.scope)]
            job.task = self.loop.create_task(self.handle(job, earlier))
            job.task.add_done_callback(asyncio.Task.result)  # an exception stops the server
            self.jobs[id] = job

    def scope_of(self, request: Request) -> Scope:
        environ = {**self.env.environ, **request.environ}
        env = Env({name: value for name, value in environ.items() if value is not None})
        assert self.env.options_of is not None  # noqa: S101 - set by what runs us
        try:
            options = self.env.options_of(request.argv)
            cwd = os.path.join(self.cwd, request.cwd)
            return scope_of(request.argv[0], options, env, cwd, self.existing)
        except (HistoryError, OSError):
            return Scope(None)  # running it reports the error

    def update(self) -> None:
        """Pause or resume reading stdin; stop once it has ended and all requests are answered."""
        if not self.ended and len(self.jobs) < WAITING:
            self.loop.add_reader(self.env.stdin, self.read)
        else:
            self.loop.remove_reader(self.env.stdin)
        if self.ended and not self.jobs and not self.done.done():
            self.done.set_result(None)

    # -- commands -------------------------------------------------------------------------------------

    async def handle(self, job: Job, earlier: Sequence[asyncio.Task[None]]) -> None:
        """Run a request after the earlier ones, and answer it; a cancelled one waits, but is not run."""
        for task in earlier:
            await task
        async with self.slots[job.scope.endless]:
            if not job.cancelled:
                self.finish(job, await self.execute(job))

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
            self.existing.update(each for each in job.scope.sessions or () if each.startswith(SERVER))
        stdout, stderr = outputs
        return {"code": code, **stdout.end(), **stderr.end(note)}

    def start(self, request: Request, outputs: list[Output]) -> Worker:
        """Send the request to the most recently used idle worker or a new one; fill `outputs`."""
        files = [_stdin(request.stdin)]
        send = partial(self.send, request.id) if request.stream else None
        assert self.env.run_line is not None  # noqa: S101 - it is what runs us
        try:
            for name in ("stdout", "stderr"):
                ours, theirs = os.pipe()
                files.append(theirs)
                outputs.append(Output(ours, name, send))
                self.loop.add_reader(ours, self.read_output, outputs[-1])
            while True:
                worker = self.idle.pop() if self.idle else Worker(self.env.run_line, self.env.environ)
                if worker.send(request.argv, request.cwd, request.environ, files):
                    return worker
                worker.end()  # it died while idle
        finally:
            for fd in files:
                os.close(fd)

    def read_output(self, output: Output) -> None:
        if not output.read():
            self.loop.remove_reader(output.fd)

    def finish(self, job: Job, answer: Json) -> None:
        """Answer a request and remove it."""
        job.worker = None
        self.send(job.request.id, answer)  # raises if stdout is closed; the request then stays unanswered
        del self.jobs[job.request.id]
        self.update()

    def cancel(self, job: Job, number: int) -> None:
        """Cancel a request: signal its command, or never start it."""
        if job.cancelled:
            return
        job.cancelled = True
        if job.worker is None:
            self.finish(job, {"code": 128 + number, "stdout": "", "stderr": ""})
        else:
            job.worker.signal(signal.SIGTERM)
            job.kill = self.loop.call_later(GRACE, partial(job.worker.signal, signal.SIGKILL, all=True))

    # -- answers, shutdown -------------------------------------------------------------------------------

    def refuse(self, id: requests.Id, error: HistoryError) -> None:
        err = _line(f"line {self.number}: {error}")
        self.send(id, {"code": error.exit_code, "stdout": "", "stderr": err})

    def send(self, id: requests.Id, what: Json) -> None:
        """Write a line to stdout; block until it is read or a signal arrives."""
        if self.sending:
            return  # the previous write was cut short by a signal or a closed pipe
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
        self.update()

    def shut_down(self) -> None:
        """Stop the remaining workers."""
        running = [job.worker for job in self.jobs.values() if job.worker is not None]
        for worker in running:
            worker.signal(signal.SIGTERM)
        until = time.monotonic() + GRACE
        remaining = running + self.idle
        while remaining := [worker for worker in remaining if worker.end(wait=False) is None]:
            if time.monotonic() > until:
                for worker in remaining:
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

"""The event loop: reads requests, runs them in workers, and writes answers.

Single-threaded, because workers are forked from it. It blocks only while answers are not read.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import HistoryError, Interrupted, Usage
from ...base.escape import visible
from ...session.records import BOM
from ...store.paths import SERVER
from . import request as requests
from .request import LONGEST, Request, Scope
from .worker import MOST, SIGNALS, Json, Output, Worker

RUNNING = 128  # concurrent commands, and as many that follow a session
IDLE = 8  # idle workers to keep
WAITING = 1000  # unanswered requests at which stdin is no longer read
GRACE = 12.0  # seconds from SIGTERM to SIGKILL; commands give their children 10
_CHUNK = 1 << 16


@dataclass(eq=False)
class Job:
    """An unanswered request; `worker` runs it, and `kill` ends that after SIGTERM if it was cancelled."""

    request: Request
    scope: Scope
    task: asyncio.Task[None] = field(init=False)
    worker: Worker | None = None
    kill: asyncio.TimerHandle | None = None


class Server:
    """Runs requests from stdin until it ends."""

    def __init__(self, env: Env) -> None:
        self.env = env
        # database sessions that exist; the database is not queried per request
        self.existing: set[str] = set()
        self.jobs: dict[requests.Id, Job] = {}  # in the order of requests
        self.idle: list[Worker] = []
        self.number = 0  # of the line of stdin
        self.stopped = 0  # number of the signal that stops the server
        self.sending = False
        # epoll does not support regular files
        self.loop = asyncio.SelectorEventLoop(selectors.PollSelector())
        self.slots = {endless: asyncio.Semaphore(RUNNING) for endless in (False, True)}
        self.unanswered = asyncio.Semaphore(WAITING)

    def run(self) -> int:
        """Serve until all requests are answered; return the exit code. Workers notice the server's exit."""
        try:
            self.loop.run_until_complete(self.serve())
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return 128 + self.stopped if self.stopped else 0

    # -- requests -------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Run until all tasks are done; an exception of one, or of a callback, ends the others."""
        async with asyncio.TaskGroup() as self.tasks:
            self.loop.set_exception_handler(lambda _, context: self.tasks.create_task(_fail(context)))
            self.reading = self.tasks.create_task(self.read())
            for number in SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    signal.signal(number, self.on_signal)

    async def read(self) -> None:
        """Handle the lines of stdin; at its end, stop requests that follow a session."""
        readable, line, data = asyncio.Event(), bytearray(), b"\n"
        while data:
            readable.clear()
            self.loop.add_reader(self.env.stdin, readable.set)
            await readable.wait()
            self.loop.remove_reader(self.env.stdin)
            data = os.read(self.env.stdin, _CHUNK)
            *ends, rest = (data or b"\n").split(b"\n")
            for end in ends:
                await self.handle_line(bytes(line + end))
                line.clear()
            line += rest[: LONGEST + 1 - len(line)]  # a longer line is refused
        for job in [job for job in self.jobs.values() if job.scope.endless]:
            self.cancel(job, signal.SIGTERM)

    async def handle_line(self, line: bytes) -> None:
        self.number += 1
        if self.number == 1:
            line = line.removeprefix(BOM)
        if not line.strip():
            return
        id, request = requests.read(line)
        job = self.jobs.get(id)
        if job is not None and isinstance(request, Request):
            request = Usage("id: already used by an unanswered request")
        if isinstance(request, HistoryError):
            self.send(id, _answer(request.exit_code, f"line {self.number}: {request}"))
        elif request is not None:
            await self.unanswered.acquire()
            job = Job(request, requests.scope_of(request, self.env, self.existing))
            earlier = [each for each in self.jobs.values() if job.scope.waits_for(each.scope)]
            job.task = self.tasks.create_task(self.handle(job, earlier))
            self.jobs[id] = job
        elif job is not None:
            self.cancel(job, signal.SIGTERM)

    # -- commands -------------------------------------------------------------------------------------

    async def handle(self, job: Job, earlier: list[Job]) -> None:
        """Run a request after the earlier ones, and answer it; a cancelled one waits, but is not run."""
        for each in earlier:
            await each.task
        async with self.slots[job.scope.endless]:
            if job in self.jobs.values():
                self.finish(job, await self.execute(job))

    async def execute(self, job: Job) -> Json:
        """Run a request in a worker; return the answer."""
        send = partial(self.send, job.request.id) if job.request.stream else None
        try:
            with ExitStack() as pipes:
                stdout, stderr = (
                    pipes.enter_context(closing(Output(name, send, self.loop)))
                    for name in ("stdout", "stderr")
                )
                worker = job.worker = self.start(job.request, stdout, stderr)
                code = await worker.code(self.loop)
        except OSError as error:
            return _answer(75, f"no process: {error.strerror}")
        note = ""
        if job.kill is not None:
            job.kill.cancel()
            worker.signal(signal.SIGTERM, all=True)  # children of a killed shell
        if code is None:
            code = worker.end()
            if job.kill is None:
                note = _line(f"the command was killed (exit {code}); what it stored is stored")
        elif worker.spent or len(self.idle) >= IDLE:
            worker.end()
        else:
            self.idle.append(worker)
        if stdout.lost or stderr.lost:
            code = 74
            note += _line(f"output above {MOST >> 20} MiB is lost, what it did is done; use stream")
        if not code:
            self.existing.update(each for each in job.scope.sessions or () if each.startswith(SERVER))
        return {"code": code, **stdout.end(), **stderr.end(note)}

    def start(self, request: Request, *outputs: Output) -> Worker:
        """Send the request to the most recently used idle worker or a new one."""
        with tempfile.TemporaryFile() if request.stdin is not None else open(os.devnull, "rb") as stdin:
            if request.stdin is not None:
                stdin.write(request.stdin)
                stdin.seek(0)
            files = [file.fileno() for file in (stdin, *(output.theirs for output in outputs))]
            while True:
                worker = self.idle.pop() if self.idle else Worker(self.env)
                if worker.send((request.argv, request.cwd, request.environ), files):
                    break
                worker.end()  # it died while idle
        for output in outputs:
            output.theirs.close()
        return worker

    def finish(self, job: Job, answer: Json) -> None:
        """Answer a request and remove it."""
        job.worker = None
        self.send(job.request.id, answer)  # raises if stdout is closed; the request then stays unanswered
        del self.jobs[job.request.id]
        self.unanswered.release()

    def cancel(self, job: Job, number: int) -> None:
        """Cancel a request: signal its command, or never start it."""
        if job.worker is None:
            self.finish(job, _answer(128 + number))
        elif job.kill is None:
            job.worker.signal(signal.SIGTERM)
            job.kill = self.loop.call_later(GRACE, partial(job.worker.signal, signal.SIGKILL, all=True))

    # -- answers, signals -------------------------------------------------------------------------------

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
        self.reading.cancel()
        for job in list(self.jobs.values()):
            self.cancel(job, self.stopped)


async def _fail(context: Json) -> None:
    raise context["exception"]


def _answer(code: int, problem: str = "") -> Json:
    return {"code": code, "stdout": "", "stderr": _line(problem) if problem else ""}


def _line(text: str) -> str:
    return f"codeh-history: serve: {visible(text)}\n"

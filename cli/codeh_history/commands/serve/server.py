"""The event loop: it reads requests, has workers run them in their order, and writes answers.

It has one thread, for workers are forks of it. Only a client that does not read its answers holds it up.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import tempfile
import time
from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Interrupted, Usage
from ...base.escape import visible
from ...store.paths import SERVER
from . import request as requests
from .order import Order, Turn, turn_of
from .output import MOST, Json, Output
from .request import Cancel, Refusal, Request
from .worker import Worker

RUNNING = 128  # commands at once; as many again may follow a session
IDLE = 8  # workers that are kept while there is nothing to do
WAITING = 1000  # requests without an answer, beyond which stdin is not read
GRACE = 12.0  # seconds from TERM to KILL: a command may take 10 to end one of its own
_CHUNK = 1 << 16
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Job:
    """A request until it is answered."""

    def __init__(self, request: Request, turn: Turn) -> None:
        self.request = request
        self.turn = turn
        self.worker: Worker | None = None  # once it runs
        self.kill: asyncio.TimerHandle | None = None  # once it was signalled
        self.cancelled = False


class Server:
    """Runs what stdin requests until it ends."""

    def __init__(self, env: Env) -> None:
        env.held = self  # the process ends after this: tasks need not be taken apart
        self.env = env
        self.cwd = env.cwd()
        self.root = os.open(".", getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
        self.order = Order()
        self.known: set[str] = set()  # sessions of a database, which is not queried for each request
        self.jobs: dict[requests.Id, Job] = {}
        self.tasks: set[asyncio.Task[None]] = set()
        self.idle: list[Worker] = []
        self.leaving: list[Worker] = []  # that were told to end
        self.line, self.number = bytearray(), 0  # of stdin
        self.ended = False  # stdin
        self.stopped = 0  # the number of the signal that ends us
        self.sending = False

    def run(self) -> int:
        """The exit code, when all requests are answered."""
        self.loop = asyncio.SelectorEventLoop(selectors.PollSelector())  # epoll refuses regular files
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
        """End with the exception of a callback."""
        if not self.over.done():
            self.over.set_exception(context["exception"])  # type: ignore[arg-type]

    # -- requests -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read what stdin has, and take the lines that are complete."""
        data = os.read(self.env.stdin, _CHUNK)
        *ends, rest = data.split(b"\n")
        for end in ends:
            self.add(end)
            self.take_line()
        self.add(rest)
        if not data:
            self.take_line()
            self.ended = True
            for job in [job for job in self.jobs.values() if job.turn.endless]:
                self.cancel(job, signal.SIGTERM)
        self.look()

    def add(self, data: bytes) -> None:
        self.line += data[: requests.LONGEST + 1 - len(self.line)]

    def take_line(self) -> None:
        """Take the line that was read, as far as it was read."""
        self.number += 1
        line = bytes(self.line)
        self.line.clear()
        if len(line) > requests.LONGEST:
            self.refuse(None, BadData(f"longer than {requests.LONGEST >> 20} MiB"))
        elif line.strip():
            self.take(requests.read(line))

    def take(self, line: Request | Cancel | Refusal) -> None:
        if isinstance(line, Refusal):
            self.refuse(line.id, line.error)
        elif isinstance(line, Cancel):
            if line.id in self.jobs:
                self.cancel(self.jobs[line.id], signal.SIGTERM)
        elif line.id in self.jobs:
            self.refuse(line.id, Usage("id: a request without an answer has it"))
        else:
            job = self.jobs[line.id] = Job(line, self.turn_of(line))
            over = self.loop.create_future()
            task = self.loop.create_task(self.handle(job, self.order.enter(job.turn, over)))
            self.tasks.add(task)
            task.add_done_callback(partial(self.leave_order, over))

    def turn_of(self, request: Request) -> Turn:
        environ = {**self.env.environ, **request.environ}
        env = Env({name: value for name, value in environ.items() if value is not None})
        assert self.env.options_of is not None  # noqa: S101 - set by what runs us
        try:
            options = self.env.options_of(request.argv)
            return turn_of(request.argv[0], options, env, os.path.join(self.cwd, request.cwd), self.known)
        except (HistoryError, OSError):
            return Turn(None)  # running it will show what is wrong

    def leave_order(self, over: asyncio.Future[None], task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        over.set_result(None)
        task.result()

    def look(self) -> None:
        """Read stdin while there is room for requests; end when it has ended and all are answered."""
        if not self.ended and len(self.jobs) < WAITING:
            self.loop.add_reader(self.env.stdin, self.read)
        else:
            self.loop.remove_reader(self.env.stdin)
        if self.ended and not self.jobs and not self.over.done():
            self.over.set_result(None)

    # -- commands -------------------------------------------------------------------------------------

    async def handle(self, job: Job, earlier: set[asyncio.Future[None]]) -> None:
        """Run a request when it need not wait any more; one that was cancelled only waits."""
        if earlier:
            await asyncio.wait(earlier)
        async with self.slots[job.turn.endless]:
            if not job.cancelled:
                await self.execute(job)

    async def execute(self, job: Job) -> None:
        """Have a worker run it, and write the answer."""
        outputs: list[Output] = []
        try:
            worker = job.worker = self.start(job.request, outputs)
            answer = await self.outcome(job, worker, outputs)
        except OSError as error:
            answer = {"code": 75, "stdout": "", "stderr": _line(f"no process: {error.strerror}")}
        for output in outputs:
            self.loop.remove_reader(output.fd)
            os.close(output.fd)
        self.end(job, answer)

    async def outcome(self, job: Job, worker: Worker, outputs: list[Output]) -> Json:
        """The answer, when the command has ended."""
        code = await worker.code(self.loop)
        for output in outputs:
            output.drain()  # what the command has started may still hold the pipe
        note = ""
        if job.kill is not None:
            job.kill.cancel()
            worker.signal(signal.SIGTERM, all=True)  # what a shell that was ended has left
        if code is None:
            code = worker.end() or 0
            if not job.cancelled:
                note = _line(f"the command was ended (exit {code}); what it stored is stored")
        else:
            self.keep(worker)
        if any(output.lost for output in outputs):
            code = 74
            note += _line(
                f"its output is lost (more than {MOST >> 20} MiB), what it did is done; use stream"
            )
        answer: Json = {"code": code}
        for output in outputs:
            answer |= output.end(note if output.name == "stderr" else "")
        if not code:
            self.known.update(each for each in job.turn.sessions or () if each.startswith(SERVER))
        return answer

    def start(self, request: Request, outputs: list[Output]) -> Worker:
        """The worker that runs it, the one that was busy last, and what its output is read from."""
        files = [_stdin(request.stdin)]
        send = partial(self.send, request.id) if request.stream else None
        try:
            for name in ("stdout", "stderr"):
                ours, theirs = os.pipe()
                files.append(theirs)
                outputs.append(Output(ours, name, send))
                self.loop.add_reader(ours, self.take_output, outputs[-1])
            while True:
                assert self.env.program is not None  # noqa: S101 - it is what runs us
                worker = (
                    self.idle.pop() if self.idle else Worker(self.env.program, self.env.environ, self.root)
                )
                if worker.give(request.argv, request.cwd, request.environ, files):
                    return worker
                worker.end()  # something has ended it while it was idle
        finally:
            for fd in files:
                os.close(fd)

    def take_output(self, output: Output) -> None:
        if not output.take():
            self.loop.remove_reader(output.fd)

    def keep(self, worker: Worker) -> None:
        """Keep a worker for other requests, if it is fit for them and there are not enough."""
        if not worker.spent:
            self.idle.append(worker)
        if worker.spent or len(self.idle) > IDLE:
            self.leaving.append(worker if worker.spent else self.idle.pop(0))
        self.leaving = [each for each in self.leaving if each.end(wait=False) is None]

    def end(self, job: Job, answer: Json) -> None:
        """Answer a request and forget it."""
        job.worker = None
        self.send(job.request.id, answer)  # a reader that has gone raises, and the request counts as open
        del self.jobs[job.request.id]
        self.look()

    def cancel(self, job: Job, number: int) -> None:
        """End it: a command as a signal does; one that waits is never begun."""
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
        """A line on stdout; who does not read it holds up everything but signals."""
        self.sending = True
        self.env.draw(orjson.dumps({"id": id, **what}) + b"\n")
        self.sending = False

    def on_signal(self, number: int, _frame: object) -> None:
        """End what runs and begin nothing new; a second signal, or one while sending, ends at once."""
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
        """End the workers that are left."""
        for job in self.jobs.values():
            if job.worker is not None:
                job.worker.signal(signal.SIGTERM)
                self.leaving.append(job.worker)
        until = time.monotonic() + GRACE
        left = self.leaving + self.idle
        while left := [worker for worker in left if worker.end(wait=False) is None]:
            if time.monotonic() > until:
                for worker in left:
                    worker.signal(signal.SIGKILL, all=True)
            time.sleep(0.001)


def _stdin(data: bytes | None) -> int:
    """What a command reads: a file of these bytes; None, nothing."""
    if data is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno())


def _line(text: str) -> str:
    return f"codeh-history: serve: {visible(text)}\n"

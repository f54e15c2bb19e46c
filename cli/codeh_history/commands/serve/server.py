"""The loop: requests in, commands to workers, what they print and how they end out again.

One thread that waits for whatever comes next; only a client that does not read holds it up.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import tempfile
import time
from collections import Counter
from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Interrupted, TryAgain, Usage
from ...base.escape import visible
from ...store.paths import SERVER
from . import request as requests
from .lines import Lines, TooLong
from .order import Turn, free, turn_of
from .output import MOST, Json, Kept, Streamed
from .request import Cancel, Refusal, Request
from .worker import Worker

RUNNING = 128  # commands at once; as many again may follow a session
IDLE = 8  # workers that are kept while there is nothing to do
WAITING = 1000  # requests without an answer, beyond which stdin is not read on
WAITING_BYTES = 64 << 20  # of their lines
GRACE = 12.0  # seconds from TERM to KILL: a command may take 10 to end one of its own
_CHUNK = 1 << 16
_REST = 1 << 20  # bytes; a pipe holds fewer, so there is no more of the command itself
_PIECE = select.PIPE_BUF  # bytes that a pipe which takes any takes without waiting
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Job:
    """A request until it is answered."""

    def __init__(self, request: Request, turn: Turn) -> None:
        self.request = request
        self.turn = turn
        self.worker: Worker | None = None  # once it runs
        self.deadline: float | None = None  # when it is killed, once it was told to end
        self.outputs: dict[int, Kept | Streamed] = {}  # by the descriptor that they are read from


class Server:
    """Runs what stdin asks for until it ends."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.cwd = env.cwd()
        self.place = os.open(".", getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
        self.lines = Lines(requests.LONGEST)
        self.known: set[str] = set()  # sessions of a database, which is not asked for each request
        self.jobs: dict[requests.Id, Job] = {}  # in the order of their lines
        self.bytes = 0  # of their lines
        self.running: Counter[bool] = Counter()  # how many, by whether they are endless
        self.idle: list[Worker] = []
        self.leaving: list[Worker] = []  # that were told to end
        self.events = selectors.PollSelector()  # epoll takes no files
        self.reading = False
        self.ended = False  # stdin
        self.stopped = 0  # the number of the signal that ends us

    def run(self) -> int:
        """The exit code, when all is answered."""
        self.woken, wake = os.pipe()
        os.set_blocking(wake, False)
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            if before[number] is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)  # its number comes through the pipe
        fd = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.events.register(self.woken, selectors.EVENT_READ, self.stop)
        try:
            while True:
                self.take_lines()
                for job in list(free((job, job.turn) for job in self.jobs.values())):
                    if job.worker is None and self.running[job.turn.endless] < RUNNING:
                        self.start(job)
                if self.ended and not self.jobs:
                    break
                self.wait()
        finally:
            self.leave()
            signal.set_wakeup_fd(fd)
            for number, handler in before.items():
                signal.signal(number, handler)
            for each in (self.woken, wake, self.place):
                os.close(each)
        return 128 + self.stopped if self.stopped else 0

    def wait(self) -> None:
        """Wait for what comes next, and do what there is to do then."""
        wanted = not self.ended and self.has_room()
        if wanted and not self.reading:
            self.events.register(self.env.stdin, selectors.EVENT_READ, self.read)
        elif self.reading and not wanted:
            self.events.unregister(self.env.stdin)
        self.reading = wanted
        deadlines = [job.deadline for job in self.jobs.values() if job.deadline]
        patience = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        for key, _ in self.events.select(patience):
            if self.events.get_map().get(key.fd) is key:  # what came before may have closed it
                key.data()
        for job in self.jobs.values():
            if job.worker and job.deadline and job.deadline <= time.monotonic():
                job.deadline = None
                job.worker.signal(signal.SIGKILL, all=True)

    # -- what comes in --------------------------------------------------------------------------------

    def has_room(self) -> bool:
        return len(self.jobs) < WAITING and self.bytes < WAITING_BYTES

    def read(self) -> None:
        data = os.read(self.env.stdin, _CHUNK)
        self.lines.add(data)
        if not data:
            self.take_lines(last=True)
            self.ended = True
            for job in [job for job in self.jobs.values() if job.turn.endless]:
                self.cancel(job, signal.SIGTERM)

    def take_lines(self, *, last: bool = False) -> None:
        """Take the lines that are there, as long as there is room for their requests."""
        while not self.ended and (last or self.has_room()):
            try:
                line = self.lines.next()
                if line is None and last:
                    line, last = self.lines.last(), False
            except TooLong:
                self.refuse(Refusal(None, BadData(f"longer than {requests.LONGEST >> 20} MiB")))
                continue
            if line is None:
                return
            if line.strip():
                self.take(requests.read(line))

    def take(self, line: Request | Cancel | Refusal) -> None:
        if isinstance(line, Refusal):
            self.refuse(line)
        elif isinstance(line, Cancel):
            if line.id in self.jobs:
                self.cancel(self.jobs[line.id], signal.SIGTERM)
        elif line.id in self.jobs:
            self.refuse(Refusal(line.id, Usage("id: another request has it, and no answer yet")))
        else:
            self.jobs[line.id] = Job(line, self.turn_of(line))
            self.bytes += line.size

    def turn_of(self, request: Request) -> Turn:
        given = {**self.env.environ, **request.environ}
        env = Env({name: value for name, value in given.items() if value is not None})
        assert self.env.options_of is not None  # noqa: S101 - it is set by what runs us
        try:
            options = self.env.options_of(request.argv)
            return turn_of(request.argv[0], options, env, os.path.join(self.cwd, request.cwd), self.known)
        except (HistoryError, OSError):
            return Turn(None)  # running it will show what is wrong

    # -- commands -------------------------------------------------------------------------------------

    def start(self, job: Job) -> None:
        """Have a worker run it."""
        request = job.request
        files: list[int] = []
        try:
            files.append(_stdin(request.stdin))
            for name in ("stdout", "stderr"):
                ours, theirs = os.pipe()
                files.append(theirs)
                os.set_blocking(ours, False)
                self.events.register(ours, selectors.EVENT_READ, partial(self.take_output, job, ours))
                send = partial(self.send, request.id)
                job.outputs[ours] = Streamed(name, send) if request.stream else Kept(name)
            worker = self.worker()
            while not worker.give(request.argv, request.cwd, request.environ, files):
                worker.end()  # something has ended it while it was idle
                worker = self.worker()
        except OSError as error:
            self.finish(job)
            self.refuse(Refusal(request.id, TryAgain(f"no process: {error.strerror}")))
            return
        finally:
            for fd in files:
                os.close(fd)
        job.worker = worker
        self.running[job.turn.endless] += 1
        self.events.register(worker.socket, selectors.EVENT_READ, partial(self.done, job, worker))

    def worker(self) -> Worker:
        """One that has nothing to do: the one that was busy last, for it has loaded most."""
        if not self.idle:
            assert self.env.program is not None  # noqa: S101 - it is what runs us
            return Worker(self.env.program, self.env.environ, self.place)
        worker = self.idle.pop()
        self.events.unregister(worker.socket)
        return worker

    def take_output(self, job: Job, fd: int) -> None:
        data = _read(fd)
        if data:
            job.outputs[fd].add(data)
        elif data is not None:
            self.events.unregister(fd)

    def done(self, job: Job, worker: Worker) -> None:
        """A worker has sent how its command ended, or has ended with it."""
        code = worker.code()
        self.events.unregister(worker.socket)
        self.running[job.turn.endless] -= 1
        for fd, output in job.outputs.items():  # what the command has started may hold the pipes still
            left = _REST
            while left > 0 and (data := _read(fd)):
                output.add(data)
                left -= len(data)
        note = ""
        if job.deadline is not None:
            worker.signal(signal.SIGTERM, all=True)  # what a shell that was ended has left
        if code is None:
            code = worker.end() or 0
            if job.deadline is None:
                note = _line(f"the command was ended (exit {code}); what it stored is stored")
        elif worker.spent:
            self.dismiss(worker)
        else:
            self.events.register(worker.socket, selectors.EVENT_READ, partial(self.lost, worker))
            self.idle.append(worker)
            if len(self.idle) > IDLE:
                self.lost(self.idle[0])
        if any(output.lost for output in job.outputs.values()):
            code = 74
            lost = f"what it printed is lost (more than {MOST >> 20} MiB), what it did is done"
            note += _line(f"{lost}; ask with stream")
        out, err = job.outputs.values()
        answer = {"code": code, **out.end(), **err.end(note)}
        self.finish(job)
        self.send(job.request.id, answer)
        if not code:
            self.known.update(each for each in job.turn.sessions or () if each.startswith(SERVER))

    def finish(self, job: Job) -> None:
        """Forget it."""
        for fd in job.outputs:
            if fd in self.events.get_map():
                self.events.unregister(fd)
            os.close(fd)
        del self.jobs[job.request.id]
        self.bytes -= job.request.size

    def cancel(self, job: Job, number: int) -> None:
        """End it: a command as a signal does; one that waits is never begun."""
        if job.worker is None:
            self.finish(job)
            self.send(job.request.id, {"code": 128 + number, "stdout": "", "stderr": ""})
        elif job.deadline is None:
            job.deadline = time.monotonic() + GRACE
            job.worker.signal(signal.SIGTERM)

    def lost(self, worker: Worker) -> None:
        """Part with an idle one."""
        self.idle.remove(worker)
        self.events.unregister(worker.socket)
        self.dismiss(worker)

    def dismiss(self, worker: Worker) -> None:
        self.leaving = [each for each in (*self.leaving, worker) if each.end(wait=False) is None]

    # -- what goes out, and the end ---------------------------------------------------------------------

    def refuse(self, refusal: Refusal) -> None:
        err = _line(f"line {self.lines.number}: {refusal.error}")
        self.send(refusal.id, {"code": refusal.error.exit_code, "stdout": "", "stderr": err})

    def send(self, id: requests.Id, what: Json) -> None:
        """A line on stdout; whoever does not read it holds up everything but signals."""
        left = memoryview(orjson.dumps({"id": id, **what}) + b"\n")
        while left:
            woken, _, _ = select.select([self.woken], [self.env.stdout], [])
            if woken:
                raise Interrupted(os.read(self.woken, 1)[0])
            self.env.draw(left[:_PIECE])
            left = left[_PIECE:]

    def stop(self) -> None:
        """A signal: nothing new is begun, what runs is told to end; the second one waits for nothing."""
        number = os.read(self.woken, 1)[0]
        if self.stopped:
            raise Interrupted(number)
        self.stopped, self.ended = number, True
        for job in list(self.jobs.values()):
            self.cancel(job, number)

    def leave(self) -> None:
        """End what is left."""
        for job in self.jobs.values():
            for fd in job.outputs:
                os.close(fd)
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
        self.events.close()


def _stdin(data: bytes | None) -> int:
    """What a command reads: a file of these bytes; None, nothing."""
    if data is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return os.dup(file.fileno())


def _read(fd: int) -> bytes | None:
    """What a pipe has: nothing at its end, None where there is nothing yet."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None


def _line(text: str) -> str:
    return f"codeh-history: serve: {visible(text)}\n"

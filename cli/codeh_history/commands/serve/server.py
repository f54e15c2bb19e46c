"""The loop: requests in, commands to workers, what they print and how they ended out again.

One thread that waits for whatever comes next; only a client that does not read holds it up.
"""

from __future__ import annotations

import os
import select
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Container
from functools import partial

import orjson

from ...base.env import Env
from ...base.errors import BadData, HistoryError, Interrupted, TryAgain, Usage
from ...base.escape import visible
from ...store.paths import SERVER
from . import request as requests
from .job import Job
from .lines import Lines, TooLong
from .order import Order, Turn
from .output import Held, Json, Passed, Room
from .request import Cancel, Refusal, Request
from .scope import Scope, scope_of
from .worker import Program, Worker

RUNNING = 128  # commands at once; as many again may follow a session
IDLE = 8  # workers that are kept while there is nothing to do
WAITING = 1000  # requests, beyond which stdin is not read on
WAITING_BYTES = 64 << 20  # of their lines
HELD = 64 << 20  # bytes of what one command prints
HELD_TOGETHER = 256 << 20
GRACE = 12.0  # seconds from TERM to KILL: a command may take 10 to end one of its own
_STEP = 1 << 18
_PIECE = select.PIPE_BUF  # bytes that a pipe which takes any takes without waiting
_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Server(Container[object]):
    """Runs what stdin asks for until it ends."""

    def __init__(self, env: Env, program: Program) -> None:
        self.env = env
        self.program = program
        self.cwd = env.cwd()
        self.place = os.open(".", getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
        self.lines = Lines(requests.LONGEST)
        self.order = Order()
        self.there: set[str] = set()  # sessions on a server, which is not asked for each request
        self.room = Room(HELD, HELD_TOGETHER)
        self.jobs: dict[requests.Id, Job] = {}  # that have no answer yet
        self.turns: dict[Turn, Job] = {}  # that are not over
        self.ready: dict[bool, deque[Job]] = {False: deque(), True: deque()}  # by whether they are endless
        self.running: dict[bool, set[Job]] = {False: set(), True: set()}
        self.waiting_bytes = 0
        self.idle: list[Worker] = []
        self.leaving: list[Worker] = []  # that were told to end
        self.events = selectors.PollSelector()  # epoll takes no files
        self.reading = False
        self.ended = False  # stdin
        self.stopped = 0  # the number of the signal that ends us

    def run(self) -> int:
        """The exit code, when all is answered."""
        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        before = {number: signal.getsignal(number) for number in _SIGNALS}
        for number in _SIGNALS:
            if before[number] is not signal.SIG_IGN:
                signal.signal(number, lambda *_: None)  # its number comes through the pipe
        fd = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self.woken = woken
        self.events.register(woken, selectors.EVENT_READ, self.stop)
        try:
            while True:
                self.take()
                self.begin()
                if self.ended and not self.turns:
                    break
                self.wait()
        finally:
            self.leave()
            signal.set_wakeup_fd(fd)
            for number, handler in before.items():
                signal.signal(number, handler)
            for each in (woken, wake, self.place):
                os.close(each)
        return 128 + self.stopped if self.stopped else 0

    def wait(self) -> None:
        """Wait for what comes next, and do what there is to do then."""
        self.read_on(on=not self.ended and self.has_room())
        for key, _ in self.events.select(self.patience()):
            if self.events.get_map().get(key.fd) is key:  # what came before may have closed it
                key.data()
        for job in [job for job in self.all_running() if job.deadline and job.deadline <= time.monotonic()]:
            job.deadline = None
            self.worker_of(job).signal(signal.SIGKILL, all=True)

    # -- what comes in --------------------------------------------------------------------------------

    def has_room(self) -> bool:
        return len(self.turns) < WAITING and self.waiting_bytes < WAITING_BYTES

    def read_on(self, *, on: bool) -> None:
        if on and not self.reading:
            self.events.register(self.env.stdin, selectors.EVENT_READ, self.read)
        elif self.reading and not on:
            self.events.unregister(self.env.stdin)
        self.reading = on

    def read(self) -> None:
        data = os.read(self.env.stdin, _STEP)
        self.lines.add(data)
        if not data:
            self.take(last=True)
            self.ended = True
            for job in [job for job in self.turns.values() if job.endless]:
                self.cancel(job, signal.SIGTERM)

    def take(self, *, last: bool = False) -> None:
        """Take the lines that are there, as long as there is room for what they ask."""
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
                self.hear(requests.read(line))

    def hear(self, asked: Request | Cancel | Refusal) -> None:
        """Do what a line asks, when its turn comes."""
        if isinstance(asked, Refusal):
            self.refuse(asked)
        elif isinstance(asked, Cancel):
            if asked.id in self.jobs:
                self.cancel(self.jobs[asked.id], signal.SIGTERM)
        elif asked.id in self.jobs:
            self.refuse(Refusal(asked.id, Usage("id: another request has it, and no answer yet")))
        else:
            scope = self.scope_of(asked)
            turn = Turn(scope.sessions, holds=not scope.endless)
            job = Job(asked, turn, endless=scope.endless)
            self.order.add(turn)
            self.jobs[asked.id] = self.turns[turn] = job
            self.waiting_bytes += asked.size
            if not turn.before:
                self.ready[job.endless].append(job)

    def __contains__(self, session: object) -> bool:
        """Whether a session is there, or is being made, as far as requests have told."""
        return session in self.order or session in self.there

    def scope_of(self, asked: Request) -> Scope:
        given = {**self.env.environ, **asked.environ}
        environ = {name: value for name, value in given.items() if value is not None}
        try:
            return scope_of(asked.argv, Env(environ), os.path.join(self.cwd, asked.cwd), self)
        except (HistoryError, OSError):
            return Scope(None)  # it will be told when it is run

    # -- commands -------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Run what has its turn, as far as there are workers for it."""
        for endless, ready in self.ready.items():
            while ready and len(self.running[endless]) < RUNNING:
                job = ready.popleft()
                self.waiting_bytes -= job.request.size
                if job.answered:
                    self.over(job)
                    continue
                try:
                    self.start(job)
                except OSError as error:
                    job.close()
                    self.refuse(Refusal(job.request.id, TryAgain(f"no process: {error.strerror}")))
                    self.over(job)

    def start(self, job: Job) -> None:
        """Have a worker run it."""
        asked = job.request
        tell = partial(self.tell_of, asked.id)
        outs = [Passed(n, tell) if asked.stream else Held(n, self.room) for n in ("stdout", "stderr")]
        files = job.open(*outs)
        try:
            more = job.input >= 0 and job.say()
            worker = self.worker()
            while not worker.give(asked.argv, asked.cwd, asked.environ, files):
                worker.end()  # something has ended it while it was idle
                worker = self.worker()
        finally:
            for fd in files:
                os.close(fd)
        job.worker = worker
        self.running[job.endless].add(job)
        for fd in job.outputs:
            self.events.register(fd, selectors.EVENT_READ, partial(self.pass_on, fd, partial(job.hear, fd)))
        if more:
            self.events.register(
                job.input, selectors.EVENT_WRITE, partial(self.pass_on, job.input, job.say)
            )
        self.events.register(worker.socket, selectors.EVENT_READ, partial(self.done, job))

    def worker(self) -> Worker:
        """One that has nothing to do: the one that had last, for it has loaded most."""
        if not self.idle:
            return Worker(self.program, self.env.environ, self.place)
        worker = self.idle.pop()
        self.events.unregister(worker.socket)
        return worker

    def pass_on(self, fd: int, further: Callable[[], bool]) -> None:
        """Pass on what a pipe takes or has, and wait for it no longer where that was all."""
        if not further():
            self.events.unregister(fd)

    def done(self, job: Job) -> None:
        """A worker has said how its command ended, or has ended with it."""
        worker = self.worker_of(job)
        code = worker.code()
        self.events.unregister(worker.socket)
        self.running[job.endless].discard(job)
        job.hear_all()
        for fd in {*job.outputs, job.input}.intersection(self.events.get_map()):
            self.events.unregister(fd)
        also = ""
        if job.deadline is not None:
            worker.signal(signal.SIGTERM, all=True)  # what a shell that was ended has left
        if code is None:
            code = worker.end() or 0
            if job.deadline is None:
                also = _line(f"the command was ended (exit {code}); what it stored is stored")
        elif worker.spent:
            self.dismiss(worker)
        else:
            self.rest(worker)
        self.answer(job, code, also)
        if not code:
            self.there.update(each for each in job.turn.sessions or () if each.startswith(SERVER))
        self.over(job)

    def answer(self, job: Job, code: int, also: str) -> None:
        out, err = job.outputs.values()
        if out.lost or err.lost:
            code = 74
            most = f"more than {HELD >> 20} MiB, or with others {HELD_TOGETHER >> 20} MiB"
            also += _line(f"what it printed is lost ({most}), what it did is done; ask with stream")
        said = {**out.end(), **err.end(also)}
        job.close()
        self.tell_of(job.request.id, {"code": code, **said})

    def over(self, job: Job) -> None:
        """Those that waited for it are next."""
        if self.jobs.get(job.request.id) is job:
            del self.jobs[job.request.id]
        del self.turns[job.turn]
        for turn in self.order.end(job.turn):
            self.ready[self.turns[turn].endless].append(self.turns[turn])

    def cancel(self, job: Job, number: int) -> None:
        """End it: a command as a signal does; one that waits is never begun."""
        if job.worker is not None:
            if job.deadline is None:
                job.deadline = time.monotonic() + GRACE
                job.worker.signal(signal.SIGTERM)
        elif not job.answered:
            job.answered = True
            del self.jobs[job.request.id]
            self.tell_of(job.request.id, {"code": 128 + number, "stdout": "", "stderr": ""})

    # -- workers --------------------------------------------------------------------------------------

    def rest(self, worker: Worker) -> None:
        """It has nothing to do; of many, the one that had nothing for longest may go."""
        self.events.register(worker.socket, selectors.EVENT_READ, partial(self.lost, worker))
        self.idle.append(worker)
        if len(self.idle) > IDLE:
            self.lost(self.idle[0])

    def lost(self, worker: Worker) -> None:
        """Part with an idle one."""
        self.idle.remove(worker)
        self.events.unregister(worker.socket)
        self.dismiss(worker)

    def dismiss(self, worker: Worker) -> None:
        self.leaving = [each for each in (*self.leaving, worker) if each.end(wait=False) is None]

    def worker_of(self, job: Job) -> Worker:
        assert job.worker is not None  # noqa: S101 - it runs
        return job.worker

    def all_running(self) -> list[Job]:
        return [job for jobs in self.running.values() for job in jobs]

    def patience(self) -> float | None:
        """Seconds until something that was told to end is killed."""
        deadlines = [job.deadline for job in self.all_running() if job.deadline]
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    # -- what goes out, and the end ---------------------------------------------------------------------

    def refuse(self, refusal: Refusal) -> None:
        err = _line(f"line {self.lines.number}: {refusal.error}")
        self.tell_of(refusal.id, {"code": refusal.error.exit_code, "stdout": "", "stderr": err})

    def tell_of(self, id: requests.Id, what: Json) -> None:
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
        for job in list(self.turns.values()):
            self.cancel(job, number)

    def leave(self) -> None:
        """End what is left."""
        for job in self.all_running():
            job.close()
            self.worker_of(job).signal(signal.SIGTERM)
            self.leaving.append(self.worker_of(job))
        until = time.monotonic() + GRACE
        left = self.leaving + self.idle
        while left := [worker for worker in left if worker.end(wait=False) is None]:
            if time.monotonic() > until:
                for worker in left:
                    worker.signal(signal.SIGKILL, all=True)
            time.sleep(0.001)
        self.events.close()


def _line(text: str) -> str:
    return f"codeh-history: serve: {visible(text)}\n"

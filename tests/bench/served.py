"""An append through `codeh-history serve` beside an append as a process, writing and syncing taken off both."""

import os
import resource
import statistics
import subprocess
import time
from contextlib import contextmanager

import orjson

SERVED = 200  # appends of a round, and what is done before they are counted
WARM = 20
PROCESSES = 10
LINE = b"x" * 150 + b"\n"  # as long as a message


def ratio(program, home, rounds, *, cpu):
    """The median ratio, and the medians of both and of the bare write and sync, in milliseconds."""
    environ = {**os.environ, "CODEH_HOME": str(home)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    rounds_taken = []
    for _ in range(rounds + 1):
        bare = _bare(home.parent / "bare", cpu=cpu)
        served = _served(program, environ, cpu=cpu)
        process = _processes(program, environ, cpu=cpu)
        rounds_taken.append(((served - bare) / (process - bare), served, process, bare))
    ratios, *times = (statistics.median(values) for values in zip(*rounds_taken[1:], strict=True))
    served, process, bare = (1000 * seconds for seconds in times)
    return ratios, served, process, bare


def _clock(*, cpu, who):
    def used():
        usage = resource.getrusage(who)
        return usage.ru_utime + usage.ru_stime

    return used if cpu else time.perf_counter


def _bare(path, *, cpu):
    clock = _clock(cpu=cpu, who=resource.RUSAGE_SELF)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    start = clock()
    for _ in range(SERVED):
        os.write(fd, LINE)
        getattr(os, "fdatasync", os.fsync)(fd)
    seconds = clock() - start
    os.close(fd)
    return seconds / SERVED


def _served(program, environ, *, cpu):
    """Of one that runs; its processor time is known when it has ended, so one that did little is taken off."""
    if not cpu:
        with _running(program, environ) as append:
            for _ in range(WARM):
                append()
            start = time.perf_counter()
            for _ in range(SERVED):
                append()
            return (time.perf_counter() - start) / SERVED
    clock, times = _clock(cpu=True, who=resource.RUSAGE_CHILDREN), []
    for count in (WARM, WARM + SERVED):
        start = clock()
        with _running(program, environ) as append:
            for _ in range(count):
                append()
        times.append(clock() - start)
    return (times[1] - times[0]) / SERVED


@contextmanager
def _running(program, environ):
    process = subprocess.Popen(
        [program, "serve"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    stdin, stdout = process.stdin, process.stdout
    request = orjson.dumps({"id": 1, "argv": ["append", "-s", "served", "-m", "hi"]}) + b"\n"

    def append():
        stdin.write(request)
        stdin.flush()
        answer = orjson.loads(stdout.readline())
        if answer["code"]:
            raise RuntimeError(answer["stderr"])

    yield append
    stdin.close()
    process.wait()


def _processes(program, environ, *, cpu):
    clock = _clock(cpu=cpu, who=resource.RUSAGE_CHILDREN)
    start = clock()
    for _ in range(PROCESSES):
        subprocess.run(
            [program, "append", "-s", "process", "-m", "hi"],
            env=environ, stdin=subprocess.DEVNULL, capture_output=True, check=True,
        )  # fmt: skip
    return (clock() - start) / PROCESSES

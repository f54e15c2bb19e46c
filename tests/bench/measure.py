"""Round-robin timing: a ratio is the median of the ratios within each round, so that a slow moment hits both."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LAUNCHER = """
import os, sys
pid = os.fork()
if not pid:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(1, 2)
    os.execv(sys.argv[1], sys.argv[1:])
print(os.wait4(pid, 0)[2].ru_maxrss, file=sys.stderr)
"""


@dataclass
class Run:
    """A command as it is measured; `before` puts things back to where each run begins."""

    argv: Sequence[str]
    stdin: str = os.devnull
    before: Callable[[], None] | None = None
    env: dict[str, str] = field(default_factory=dict)

    def once(self, *, cpu=False):
        """Seconds, with `cpu` of processors (its children's too); fails where the command does."""
        if self.before is not None:
            self.before()
        with open(self.stdin, "rb") as stdin:
            clock = _children if cpu else time.perf_counter
            start = clock()
            done = subprocess.run(
                self.argv, stdin=stdin, capture_output=True, env=self._environ, check=False
            )
            seconds = clock() - start
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode().strip()}")
        return seconds

    def memory(self):
        """Peak memory in MB, of a process started from a small one: a child begins with its parent's peak."""
        launcher = [sys.executable, "-I", "-S", "-c", LAUNCHER, *self.argv]
        done = subprocess.run(
            launcher, stdin=subprocess.DEVNULL, capture_output=True, env=self._environ, check=True
        )
        return int(done.stderr.split()[-1]) / 1024

    @property
    def _environ(self):
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**kept, **self.env}  # a program is compiled once, when it is installed


def _children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio(subject, floor, rounds, *, cpu=False):
    """The median ratio, and both medians in milliseconds; one round warms up."""
    pairs = [(subject.once(cpu=cpu), floor.once(cpu=cpu)) for _ in range(rounds + 1)][1:]
    ratios = statistics.median(mine / theirs for mine, theirs in pairs)
    mine, theirs = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    return ratios, mine, theirs

"""Send a command a signal at each of its system calls."""

import shutil

from faults.scenarios import LITTER


def wrong(done, fault):
    """Why a command ended wrongly after a signal; a shell reports death by signal N as 128 + N."""
    if done.code not in (128 + fault.signum, -fault.signum):
        return f"exit {done.code}, {done.err!r}"
    return f"it says {done.err!r}" if b"Traceback" in done.err or b"bug" in done.err else None


def problems(command, home, runner, chosen, mutant=None):
    """The number of signals tried, and the wrong endings."""

    def run(fault=None):
        shutil.rmtree(home, ignore_errors=True)
        command.prepare(home)
        return runner.run(
            command.argv, home, env=command.env, stdin=command.stdin, fault=fault, mutant=mutant
        )

    broken = []
    calls = run().calls
    tried = chosen(len(calls))
    for fault in tried:
        done = run(fault)
        if len(done.calls) <= fault.place:
            continue  # it took fewer calls this time: how many reads a pipe takes is chance
        left = {path.name for path in home.rglob("*.tmp")} - {LITTER}
        problem = wrong(done, fault) or (f"left behind: {left}" if left else None)
        if problem:
            broken.append((fault, calls[fault.place], problem))
    return len(tried), broken

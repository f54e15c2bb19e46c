"""A command that is sent a signal at its calls."""

import shutil

from faults.scenarios import LITTER


def wrong(done, fault):
    """Why a command that got a signal did not end as it should; a shell shows death by it as 128 + N too."""
    if done.code not in (128 + fault.signum, -fault.signum):
        return f"exit {done.code}, {done.err!r}"
    return f"it says {done.err!r}" if b"Traceback" in done.err or b"bug" in done.err else None


def problems(command, home, runner, chosen, mutant=None):
    """How many were tried, and how a command did not end as it should."""

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

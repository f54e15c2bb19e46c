"""Turns of a program on a long session, by the library and by a process each: what folding, counting and planning take.

    turns.py library SESSION TURNS      one process that appends and makes a payload, again and again
    turns.py command ARGV...            the command, in this process

Prints seconds of the processor by kind as JSON on stderr.
"""  # fmt: skip

import json
import os
import subprocess
import sys
import time

WORDS = {"to": "anthropic", "model": "claude-sonnet-4-5", "budget": "100k"}
KINDS = ("fold", "count", "plan")


class Clock:
    """Processor time by kind: what a function takes, less what those of other kinds take within it."""

    def __init__(self):
        self.spent = dict.fromkeys(KINDS, 0.0)
        self.within = []
        self.since = 0.0

    def _pass(self):
        now = time.process_time()
        if self.within:
            self.spent[self.within[-1]] += now - self.since
        self.since = now

    def timed(self, kind, function):
        def run(*args, **options):
            self._pass()
            self.within.append(kind)
            try:
                return function(*args, **options)
            finally:
                self._pass()
                self.within.pop()

        return run

    def watch(self):
        """Have the functions timed from here on."""
        from codeh_history.filters.compact import bounds
        from codeh_history.library import env
        from codeh_history.talk.send import payload
        from codeh_history.tokens import formula
        from codeh_history.tokens.counter import Counter
        from codeh_history.views import view

        payload.view_of = self.timed("fold", view.view_of)
        for kind, owner, names in (
            ("fold", env.OpenSession, ("view",)), ("plan", bounds, ("compacted",)), ("count", formula, ("parts_tokens",)),
            ("count", Counter, ("counts",)),
        ):  # fmt: skip
            for name in names:
                setattr(owner, name, self.timed(kind, getattr(owner, name)))


def by_library(path, turns, clock):
    from codeh_history import Session

    session = Session.open(path)
    for turn in range(turns + 1):
        session.append("Well. " * 40, role="model")
        session.append(f"And the {turn}th? " + "word " * 40)
        session.payload(**WORDS)  # type: ignore[arg-type]
        if not turn:  # the first reads all
            clock.spent = dict.fromkeys(KINDS, 0.0)


def ratios(path, turns):
    """Of a turn by the library to one by a process: folding and counting, planning; and seconds of both."""

    def spent(*argv):
        done = subprocess.run(
            [sys.executable, __file__, *argv], check=True, capture_output=True,
            env={**os.environ, "CODEH_HOME": str(path.parent.parent)},
        )  # fmt: skip
        return json.loads(done.stderr.splitlines()[-1])

    flags = [word for name, value in WORDS.items() for word in (f"--{name}", value)]
    argv = ["command", "payload", str(path), *flags]

    def turn(number):
        for role in ("model", "user"):
            spent(
                "command", "append", "-s", str(path), "--role", role, "-m", f"The {number}th of the {role}."
            )
        return spent(*argv)

    turn(0)  # counts are remembered
    ours, theirs = spent("library", str(path), str(turns)), [turn(number) for number in (1, 2, 3)]
    both = {kind: (ours[kind] / turns, sum(seconds[kind] for seconds in theirs) / 3) for kind in KINDS}
    mine, other = (both["fold"][n] + both["count"][n] for n in (0, 1))
    return mine / other, both["plan"][0] / both["plan"][1], both


def main():
    clock = Clock()
    clock.watch()
    kind, *words = sys.argv[1:]
    if kind == "library":
        by_library(words[0], int(words[1]), clock)
    else:
        import gc

        from codeh_history.base.env import Env
        from codeh_history.main import run

        gc.disable()  # as the program does
        if run(words, Env()):
            raise SystemExit("the command failed")
    print(json.dumps(clock.spent), file=sys.stderr)


if __name__ == "__main__":
    main()

"""`make bench-compaction`: compaction beside the public trimmers, on the same histories in the same run.

`--recall`, `--facts`, `--generated`, `--speed`, `--replay` print one of the tables; `--ours` leaves the others out;
`--histories N` sets how many are made up. Without the recorded sessions only the made-up ones are measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from random import Random

from compaction_chat import refused
from compaction_histories import Case, counter, cut, generated, sessions, size_of, view_of
from compaction_recall import recall, wanted
from compaction_replay import billed, everything, installed, ours
from compaction_rivals import contenders, versions

from codeh_history.base.errors import BudgetUnreachable
from compact import planted

BUDGETS = (0.25, 0.10, 0.05)
MADE_UP = (0.50, 0.25, 0.10)
REPLAYED = 100 / 430  # of the session: 100,000 tokens of one of 430,000
BUDGET = 32_000  # a quarter of the coding session
ENOUGH = 5.0  # seconds of one contender's timing


@dataclass
class Row:
    """What came of one contender's results."""

    results: int = 0
    over: int = 0
    invalid: int = 0
    unreachable: int = 0
    failed: int = 0
    said: list[list[float]] = field(default_factory=list)  # for each budget, of each case
    any: list[list[float]] = field(default_factory=list)

    def judge(self, name, case, budget):
        """Run it and look at what it made; nothing, where it refused or failed."""
        try:
            after = contenders()[name](case, budget)
        except BudgetUnreachable:
            self.unreachable += 1
            return []
        except Exception as error:  # noqa: BLE001 - whatever a library raises
            self.failed += 1
            print(f"{name}: {case.name} at {budget}: {error!r}", file=sys.stderr)
            return []
        self.results += 1
        self.over += bool(after) and size_of(view_of(after)) > budget
        self.invalid += bool(refused(after))
        return after


def table(head, rows):
    """A table in Markdown, row by row as they come."""
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}", flush=True)
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def recorded(names):
    """Recorded sessions at four cuts and three budgets: what fits, what is valid, what later turns still find."""
    for session, contents in sessions().items():
        cases = list(cut(session, contents))
        asked = [
            tuple(wanted(case.contents, case.later, said=said) for said in (True, False)) for case in cases
        ]
        sizes = ", ".join(f"{case.size:,}" for case in cases)
        print(f"\n## {session}: {sizes} tokens before the cuts\n")
        shares = [f"{share:.0%}" for share in BUDGETS]
        head = ["", "over budget", "invalid", *(f"recall at {share}" for share in shares)]
        table([*head, *(f"outputs too, {share}" for share in shares)], _recorded(names, cases, asked))


def _recorded(names, cases, asked):
    for name in names:
        row = Row(said=[[] for _ in BUDGETS], any=[[] for _ in BUDGETS])
        for place, share in enumerate(BUDGETS):
            for case, (said, anything) in zip(cases, asked, strict=True):
                after = row.judge(name, case, int(case.size * share))
                row.said[place].append(recall(said, after))
                row.any[place].append(recall(anything, after))
        means = [f"{statistics.mean(found):.2f}" for found in (*row.said, *row.any)]
        yield [name, f"{row.over} of {row.results}", f"{row.invalid} of {row.results}", *means]


def facts(seeds=8, count=5):
    """Facts of six kinds planted at old places: the share of them that is told, by budget."""
    print(f"\n## {seeds} times {count} planted facts of each kind\n")
    rows = []
    for name in ("made up", *(planted.REAL if sessions() else ())):
        found = []
        for seed in range(seeds):
            random = Random(seed)
            records = planted.conversation(random, 60) if name == "made up" else planted.real(name)
            found.append(planted.kept(records, count, random))
        for share in planted.LEAST:
            told = [[it for one in found for it in one[share, kind]] for kind in planted.KINDS]
            rows.append([f"{name}, {share:.0%}", *(f"{sum(all) / len(all):.2f}" for all in told)])
    table(["", *planted.KINDS], rows)


def made_up(names, count):
    """Made-up histories at three budgets: what fits, and what is valid; what others make of those we refuse."""
    cases = [(case, max(1, int(case.size * share))) for case in generated(count) for share in MADE_UP]
    middle = statistics.median(case.size for case, _ in cases)
    impossible = Row()
    refusals = [impossible.judge("codeh-history", case, budget) == [] for case, budget in cases]
    shares = ", ".join(f"{share:.0%}" for share in MADE_UP)
    print(f"\n## {count} made-up histories of {middle:,.0f} tokens (median), at {shares}\n")
    print(f"What must stay alone is above the budget in {sum(refusals)} of {len(cases)} cases.\n")
    head = ["", "over budget", "invalid", "of these nothing left", "refused", "raised"]
    table([*head, "could be sent, of those cases"], _made_up(names, cases, refusals))


def _made_up(names, cases, refusals):
    for name in names:
        row = Row()
        nothing = sent = 0
        for (case, budget), impossible in zip(cases, refusals, strict=True):
            before = (row.results, row.over + row.invalid)
            after = row.judge(name, case, budget)
            nothing += row.results > before[0] and not after
            sent += impossible and bool(after) and row.over + row.invalid == before[1]
        counts = [f"{n} of {row.results}" for n in (row.over, row.invalid, nothing)]
        yield [name, *counts, row.unreachable, row.failed, sent]


def speed(names):
    """The largest case of the coding session at 25 %, each in a process of its own: the best of three."""
    if "coding" not in sessions():
        return
    print("\n## Time and memory: the coding session's last cut at 25 %\n")
    table(["", "CPU seconds", "peak MB"], _speed(names))


def _speed(names):
    for name in ("", *names):
        runs = []
        while len(runs) < 3 and sum(run["seconds"] for run in runs) < ENOUGH:
            done = subprocess.run(
                [sys.executable, __file__, "--one", name], capture_output=True, check=True
            )
            runs.append(json.loads(done.stdout.splitlines()[-1]))
        seconds, megabytes = (min(run[key] for run in runs) for key in ("seconds", "mb"))
        yield [name or "(only the history in memory)", f"{seconds:.2f}" if name else "", f"{megabytes:.0f}"]


def one(name):
    """Time one contender once; what it imports and its vocabulary are loaded before."""
    *_, case = cut("coding", sessions()["coding"])
    seconds = 0.0
    if name:
        run = contenders()[name]
        counter().counts(["the vocabulary is loaded"])
        run(Case("small", case.contents[:1]), 1000)
        start = time.process_time()  # of all cores; other work on the machine does not count
        run(case, BUDGET)
        seconds = time.process_time() - start
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM"))
    print(json.dumps({"seconds": seconds, "mb": int(peak.split()[1]) / 1024}))


def replays(*, alone):
    """Recorded sessions turn by turn."""
    for session, contents in sessions().items():
        size = size_of(view_of(contents))
        budget = int(size * REPLAYED)
        base = billed(everything(contents, budget))
        print(f"\n## {session}, replayed: {size:,} tokens, {base.requests} requests, budget {budget:,}\n")
        print(
            "Cost is relative to sending everything each time. Filled: the mean request, of the budget.\n"
        )
        table(["", "cost", "filled", "from the cache"], _replays(contents, budget, base.cost, alone=alone))


def _replays(contents, budget, base, *, alone):
    for policy in ("tiered", "loop"):
        found = ours(contents, budget, policy)
        filled = found["input"] / found["requests"] / budget
        name = f"codeh-history compact -i, {policy}"
        yield [name, f"{found['relative']:.2f}", f"{filled:.2f}", f"{found['cached'] / found['input']:.0%}"]
    for name, contexts in {} if alone else installed().items():
        bill = billed(contexts(contents, budget))
        filled = bill.input / bill.requests / budget
        yield [name, f"{bill.cost / base:.2f}", f"{filled:.2f}", f"{bill.cached / bill.input:.0%}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("recall", "facts", "generated", "speed", "replay", "ours"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one is not None:
        return one(asked.one)
    names = [name for name in contenders() if not asked.ours or name.startswith("codeh")]
    every = not (asked.recall or asked.facts or asked.generated or asked.speed or asked.replay)
    print(versions())
    if asked.recall or every:
        recorded(names)
    if asked.facts or every:
        facts()
    if asked.generated or every:
        made_up(names, asked.histories)
    if asked.speed or every:
        speed(names)
    if asked.replay or every:
        replays(alone=asked.ours)
    return None


if __name__ == "__main__":
    main()

"""`make bench-compaction`: compaction beside the windows that programs write by hand, on the same histories.

`--recall`, `--facts`, `--generated` print one of the tables; `--ours` leaves the windows out; `--histories N` sets
how many are made up. Without the recorded sessions only the made-up ones are measured.
"""

import argparse
import statistics
from dataclasses import dataclass, field
from random import Random

from compaction_histories import (
    contents_of,
    counter,
    cut,
    generated,
    refused,
    sessions,
    size_of,
    table,
    view_of,
)
from compaction_recall import recall, wanted

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.session.ops import apply
from codeh_history.tokens.formula import message_tokens
from compact import planted

BUDGETS = (0.25, 0.10, 0.05)
MADE_UP = (0.50, 0.25, 0.10)


def ours(policy):
    def make_smaller(case, budget):
        plan = compact(case.view, Settings(budget=budget, policy=policy), counter())
        return contents_of(apply(case.view, plan.ops))

    return make_smaller


def window(case, budget):
    """The newest messages that fit, whatever they are."""
    return case.contents[_first(case, budget) :]


def window_from_a_prompt(case, budget):
    """The newest messages that fit, from the first user prompt among them."""
    for number in range(_first(case, budget), len(case.contents)):
        if case.contents[number]["role"] == "user" and "text" in case.contents[number]["parts"][0]:
            return case.contents[number:]
    return []


def _first(case, budget):
    left = budget - counter().history
    start = len(case.contents)
    for cost in reversed(message_tokens(counter(), case.view.messages)):
        left -= cost
        if left < 0:
            break
        start -= 1
    return start


CONTENDERS = {
    "codeh-history": ours("tiered"),
    "codeh-history, loop": ours("loop"),
    "recency window": window,
    "recency window from a prompt": window_from_a_prompt,
}


@dataclass
class Row:
    """What came of one contender's results."""

    results: int = 0
    over: int = 0
    invalid: int = 0
    unreachable: int = 0
    spoken: list = field(default_factory=list)  # for each budget, of each case
    any: list = field(default_factory=list)

    def judge(self, name, case, budget):
        """Run it and look at what it made; nothing, where it refused or failed."""
        try:
            after = CONTENDERS[name](case, budget)
        except BudgetUnreachable:
            self.unreachable += 1
            return []
        self.results += 1
        self.over += bool(after) and size_of(view_of(after)) > budget
        self.invalid += bool(refused(after))
        return after


def recorded(names):
    """Recorded sessions at four cuts and three budgets: what fits, what is valid, what later turns still find."""
    for session, contents in sessions().items():
        cases = list(cut(session, contents))
        expected = [
            tuple(wanted(case.contents, case.later, by_speech=it) for it in (True, False)) for case in cases
        ]
        sizes = ", ".join(f"{case.size:,}" for case in cases)
        print(f"\n## {session}: {sizes} tokens before the cuts\n")
        shares = [f"{share:.0%}" for share in BUDGETS]
        head = ["", "over budget", "invalid", *(f"recall at {share}" for share in shares)]
        table([*head, *(f"outputs too, {share}" for share in shares)], _recorded(names, cases, expected))


def _recorded(names, cases, expected):
    for name in names:
        row = Row(spoken=[[] for _ in BUDGETS], any=[[] for _ in BUDGETS])
        for place, share in enumerate(BUDGETS):
            for case, (spoken, anything) in zip(cases, expected, strict=True):
                after = row.judge(name, case, int(case.size * share))
                row.spoken[place].append(recall(spoken, after))
                row.any[place].append(recall(anything, after))
        means = [f"{statistics.mean(shares):.2f}" for shares in (*row.spoken, *row.any)]
        yield [name, f"{row.over} of {row.results}", f"{row.invalid} of {row.results}", *means]


def facts(seeds=8, count=5):
    """Facts of six kinds planted at old places: the share of them that is told, by budget."""
    print(f"\n## {seeds} times {count} planted facts of each kind\n")
    rows = []
    for name in ("made up", *(planted.REAL if sessions() else ())):
        runs = []
        for seed in range(seeds):
            random = Random(seed)
            records = planted.conversation(random, 60) if name == "made up" else planted.real(name)
            runs.append(planted.kept(records, count, random))
        for share in planted.LEAST:
            kept_facts = [[it for run in runs for it in run[share, kind]] for kind in planted.KINDS]
            rows.append([f"{name}, {share:.0%}", *(f"{sum(all) / len(all):.2f}" for all in kept_facts)])
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
    head = ["", "over budget", "invalid", "of these nothing left", "refused"]
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
        yield [name, *counts, row.unreachable, sent]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("recall", "facts", "generated", "ours"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--histories", type=int, default=200)
    chosen = parser.parse_args()
    names = [name for name in CONTENDERS if not chosen.ours or name.startswith("codeh")]
    every = not (chosen.recall or chosen.facts or chosen.generated)
    if chosen.recall or every:
        recorded(names)
    if chosen.facts or every:
        facts()
    if chosen.generated or every:
        made_up(names, chosen.histories)


if __name__ == "__main__":
    main()

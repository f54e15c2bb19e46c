"""`make bench-compaction`: compaction beside the public trimmers, on the same histories in the same run.

`--recall` prints that table alone, `--ours` leaves the others out.
"""

from __future__ import annotations

import sys

from compaction_histories import cut, sessions
from compaction_recall import recall, wanted
from compaction_rivals import contenders

BUDGETS = (0.25, 0.10, 0.05)


def recalls(names: list[str]) -> None:
    """A row for each contender and cut: what later words, and later outputs too, still find."""
    for session, contents in sessions().items():
        cases = list(cut(session, contents))
        asked = [[wanted(case.contents, case.later, said=said) for case in cases] for said in (True, False)]
        print(f"\n{session}: names that later turns mention, still there at a budget of")
        print(f"{'':34} {'':7}" + "".join(f"{f'{budget:.0%}':>14}" for budget in BUDGETS))
        for name in names:
            after = [[contenders()[name](case, int(case.size * b)) for b in BUDGETS] for case in cases]
            for label, lists in zip(("said", "any"), asked, strict=True):
                rows = [
                    [recall(sought, smaller) for smaller in smallers]
                    for sought, smallers in zip(lists, after, strict=True)
                ]
                means = [sum(column) / len(column) for column in zip(*rows, strict=True)]
                least = [min(column) for column in zip(*rows, strict=True)]
                cells = "".join(f"{mean:8.3f} ≥{low:.2f}" for mean, low in zip(means, least, strict=True))
                print(f"{name:34} {label:7}{cells}", flush=True)


def main() -> None:
    ours = "--ours" in sys.argv
    recalls([name for name in contenders() if not ours or name.startswith("codeh")])


if __name__ == "__main__":
    main()

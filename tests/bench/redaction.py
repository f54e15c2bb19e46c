"""How many samples of secrets `redact` misses, and what it takes for one: the figures of docs/reliability.md."""

import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "helpers"))

from codeh_history.filters.redact.redactor import Redactor
from gitleaks_samples import FIRST, SECOND, fill
from secret_examples import installed
from secret_lines import FIFTH, HARMLESS, HARMLESS_MORE, SIXTH

SEEDS = range(20)


def missed(line, seed):
    """Whether a drawn piece is left, alone or inside a text."""
    text, pieces = fill(line, Random(f"{seed} {line}"))
    alone, inside = (Redactor().text(some) for some in (text, f"I ran\n{text}\nand it failed"))
    return any(piece in alone or piece in inside for piece in pieces)


def falsely_found(lines):
    return [line for line in lines if Redactor().text(line) != line]


LISTS = {
    "a line for each rule of gitleaks": [line for _, line in FIRST],
    "another for about half of them": [line for _, line in SECOND],
    "dotted tokens, escaped signs, manifests, ids, settings": FIFTH,
    "more of these": SIXTH,
}


def main():
    for name, lines in LISTS.items():
        count = sum(missed(line, seed) for seed in SEEDS for line in lines)
        print(f"{name}: {len(lines)} lines, {count} missed of {len(lines) * len(SEEDS)} drawn")
    for name, harmless in {"harmless": HARMLESS, "more harmless": HARMLESS_MORE}.items():
        print(f"{name}: {len(harmless)} lines, {len(falsely_found(harmless))} taken for a secret")
    for where in ("stdlib", "purelib"):
        redactor = Redactor()
        for text in installed(where):
            redactor.text(text)
        print(f"{where}: {redactor.counts.total()} places in 5 MB")


if __name__ == "__main__":
    main()

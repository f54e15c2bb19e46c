"""What several compactions in a row leave of the beginning; and CompactBench's generated cases, where a checkout is at hand.

usage: compaction_again.py [CHECKOUT]   (of compactbench, Apache-2.0; its package has to be importable)
"""

import sys
from pathlib import Path
from random import Random

import orjson
from compaction_histories import HEAD, contents_of, counter, sessions, size_of, table, view_of

from codeh_history.base.errors import BudgetUnreachable
from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.words import names_in
from codeh_history.session.fold import fold
from codeh_history.session.ops import apply
from codeh_history.session.records import parse
from codeh_history.views.filtering import compaction

TIMES = 5  # compactions in a row
FIRST = 0.1  # of a session: the beginning of which something should be left
SHARES = (0.5, 0.25)
SEEDS = 3


def text_of(contents):
    return "\n".join(
        text for content in contents for part in content["parts"] for text in strings(part) if text.strip()
    )


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "id":
                yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def spoken(contents):
    """What users and the model said: no outputs."""
    texts = [{"role": c["role"], "parts": [p for p in c["parts"] if "text" in p]} for c in contents]
    return text_of(texts)


def again(contents, share):
    """The view after five compactions in place, with a fifth of the session before each."""
    budget = int(size_of(view_of(contents)) * share)
    lines = [orjson.dumps(HEAD)]
    for time in range(TIMES):
        some = range(len(contents) * time // TIMES, len(contents) * (time + 1) // TIMES)
        lines += [orjson.dumps({"type": "message", "id": f"m{n}", "ts": None, **contents[n]}) for n in some]
        view = fold(parse(b"\n".join(lines) + b"\n"))
        plan = compact(view, Settings(budget=budget, hysteresis=True), counter())
        if plan.ops:
            lines.append(
                orjson.dumps(compaction(f"K{time}", "2026-01-02T03:04:05.000Z", plan.ops, plan.fields()))
            )
    return fold(parse(b"\n".join(lines) + b"\n"))


def runs(text):
    return {
        tuple(words[at : at + 3])
        for line in text.lower().split("\n")
        if (words := line.split())
        for at in range(len(words) - 2)
    }


def rows():
    """Of the first tenth: the names that are still told, and the runs of three words that somebody said."""
    for name, contents in sessions().items():
        first = contents[: int(len(contents) * FIRST)]
        names, phrases = names_in(text_of(first)), runs(spoken(first))
        for share in SHARES:
            left = text_of(contents_of(again(contents, share)))
            kept = [len(names & names_in(left)) / len(names), len(phrases & runs(left)) / len(phrases)]
            yield [name, f"{share:.0%}", *(f"{value:.2f}" for value in kept)]


# -- CompactBench ---------------------------------------------------------------------------------------


def ours(contents, budget):
    view = view_of(contents)
    try:
        return text_of(contents_of(apply(view, compact(view, Settings(budget=budget), counter()).ops)))
    except BudgetUnreachable:
        return ""


def fitting(contents, budget):
    """The first of these messages that fit."""
    fits = []
    for content in contents:
        if size_of(view_of([*fits, content])) <= budget:
            fits.append(content)
    return text_of(fits)


WAYS = {
    "codeh-history": ours,
    "newest": lambda contents, budget: fitting(contents[::-1], budget),
    "random": lambda contents, budget: fitting(Random(1).sample(contents, len(contents)), budget),
}


def normalized(text):
    return " ".join(text.lower().split())


def cases(checkout):
    """Each generated conversation with its family and what has to be found in what is left of it."""
    from compactbench.dsl import DifficultyLevel, load_suite
    from compactbench.engine import generate_case

    for template in load_suite(checkout / "benchmarks" / "public" / "elite_practice"):
        for seed in range(SEEDS):
            case = generate_case(template, seed, DifficultyLevel.ELITE)
            roles = {"assistant": "model"}
            turns = [(roles.get(str(turn.role), "user"), turn.content) for turn in case.transcript.turns]
            contents = [{"role": role, "parts": [{"text": text}]} for role, text in turns]
            expected = [item.expected for item in case.evaluation_items]
            answers = [it.get("value") for it in expected if it.get("check") == "contains_normalized"]
            whole = normalized(text_of(contents))
            wanted = [text for text in answers if isinstance(text, str) and normalized(text) in whole]
            if wanted:
                yield template.family, contents, wanted


def generated(checkout):
    results = {}
    for family, contents, wanted in cases(checkout):
        size = size_of(view_of(contents))
        for name, way in WAYS.items():
            for share in SHARES:
                left = normalized(way(contents, int(size * share)))
                kept = [normalized(text) in left for text in wanted]
                results.setdefault((family, name, share), []).extend(kept)
                results.setdefault(("all", name, share), []).extend(kept)
    for family, name in sorted({key[:2] for key in results}):
        every = (results[family, name, share] for share in SHARES)
        yield [family, name, *(f"{sum(kept) / len(kept):.2f}" for kept in every)]


def main():
    print(f"\n## {TIMES} compactions in place, one after the other: what is told of the first tenth\n")
    table(["session", "budget", "names", "what was said"], rows())
    if len(sys.argv) > 1:
        print("\n## CompactBench, elite templates: what its questions ask for is still there\n")
        table(["family", "", *(f"{share:.0%}" for share in SHARES)], generated(Path(sys.argv[1])))


if __name__ == "__main__":
    main()

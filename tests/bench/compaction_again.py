"""What several compactions in a row leave of the beginning."""

import orjson
from compaction_chat import HEAD, view_of
from compaction_histories import contents_of, counter, sessions, size_of

from codeh_history.filters.compact import Settings, compact
from codeh_history.filters.compact.words import names_in
from codeh_history.session.fold import fold
from codeh_history.session.records import lines_of, parse
from codeh_history.views.result import compaction

TIMES = 5  # compactions in a row
FIRST = 0.1  # of a session: the beginning of which something should be left
SHARES = (0.5, 0.25)


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
        view = fold(parse(lines_of(b"\n".join(lines) + b"\n")))
        plan = compact(view, Settings(budget=budget, hysteresis=True), counter())
        if plan.ops:
            lines.append(
                orjson.dumps(compaction(f"K{time}", "2026-01-02T03:04:05.000Z", plan.ops, plan.fields()))
            )
    return fold(parse(lines_of(b"\n".join(lines) + b"\n")))


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
        names, said = names_in(text_of(first)), runs(spoken(first))
        for share in SHARES:
            left = text_of(contents_of(again(contents, share)))
            kept = [len(names & names_in(left)) / len(names), len(said & runs(left)) / len(said)]
            yield [name, f"{share:.0%}", *(f"{value:.2f}" for value in kept)]


def main():
    print(f"\n## {TIMES} compactions in place, one after the other: what is told of the first tenth\n")
    print("| session | budget | names | what was said |\n|---|---|---|---|")
    for row in rows():
        print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()

"""Compute `summaries/cues.json` from `sentences.jsonl`: a logistic regression for each label.

`make generate` runs it. The order of the sentences is drawn with a fixed seed, so that the same sentences
give the same weights.
"""

import random
from collections import Counter
from math import exp

import orjson

from codeh_history.summaries.cues import LEAST, features
from support import ROOT

SENTENCES = ROOT / "tests/summaries/sentences.jsonl"
WEIGHTS = ROOT / "cli/codeh_history/summaries/cues.json"
ROUNDS, STEP, SHRINK = 15, 0.3, 0.01
SPEAKERS = ("by user", "by model")  # how common a label is; not shrunk
RARE, SMALL = 2, 2  # features of no more sentences, or with no larger weight, are left out


def sentences():
    """The labelled sentences: `by`, `label` and `text`."""
    return [orjson.loads(line) for line in SENTENCES.read_bytes().splitlines()]


def fit(examples):
    """The weight of each feature; an example has features, and whether the label is true."""
    weights, draw = Counter(), random.Random(0)
    steps = iter(range(ROUNDS * len(examples), 0, -1))
    for _ in range(ROUNDS):
        draw.shuffle(examples)
        for active, true in examples:
            step = STEP * next(steps) / (ROUNDS * len(examples))
            score = sum(weights[feature] for feature in active)
            error = 1 / (1 + exp(-max(-30.0, min(30.0, score)))) - true
            for feature in active:
                weights[feature] -= step * (error + SHRINK * weights[feature] * (feature not in SPEAKERS))
    return weights


def table(rows):
    """The weights of each feature in tenths, in the order of LEAST; only users state or revoke rules."""
    active = [sorted(features(row["text"], user=row["by"] == "user")) for row in rows]
    uses = Counter(feature for one in active for feature in one)
    active = [[feature for feature in one if uses[feature] > RARE] for one in active]
    columns = [
        fit([
            (one, row["label"] == label)
            for one, row in zip(active, rows, strict=True)
            if row["by"] == "user" or label in ("decision", "open")
        ])
        for label in LEAST
    ]  # fmt: skip
    lines = {feature: [round(10 * column[feature]) for column in columns] for feature in sorted(uses)}
    return {feature: line for feature, line in lines.items() if max(map(abs, line)) > SMALL}


if __name__ == "__main__":
    lines = [b"%s:%s" % (orjson.dumps(key), orjson.dumps(row)) for key, row in table(sentences()).items()]
    WEIGHTS.write_bytes(b"{\n" + b",\n".join(lines) + b"\n}\n")

"""Facts of six kinds, in words that vary, planted at old places of a conversation; and whether they are still told."""

from __future__ import annotations

import re
from random import Random
from typing import Any, NamedTuple

KINDS = ("rule", "file", "decision", "number", "failure", "question")
SURE = ("rule", "file")  # what has to survive longest
LEAST = {0.25: (0.95, 0.85), 0.10: (0.90, 0.70), 0.05: (0.80, 0.50)}  # budget → of these, and of the others
THINGS = "ledger parcel invoice glacier beacon orchard turbine lantern mosaic harbor quartz falcon meadow cobalt".split()
PARTS = "parser exporter scheduler gateway importer renderer validator planner mailer archive".split()
RULES = (
    "Never touch the {0} {1}.", "Always run the {0} checks before you change the {1}.", "From now on write {0} amounts in cents.",
    "Don't call the {0} {1} from tests.", "You must keep the {0} {1} backwards compatible.", "Use the {0} {1}, not your own.",
    "Under no circumstances rename the {0} {1}.", "Please make sure that every {0} entry names its {1}.",
    "Only the {0} {1} may write to disk.", "I want all {0} dates in ISO form, no exceptions.",
)  # fmt: skip
DECISIONS = (
    "We decided to keep the {0} {1} in one process because two of them lost rows.",
    "Let's go with the {0} {1}, since the other one cannot stream.",
    "I went with a {0} table instead of a {1} queue: it survives restarts.",
    "We agreed on the {0} {1} as it is the only one with a licence.",
)
NUMBERS = (
    "The {0} {1} handled {2} rows per second.", "Measured: {2} ms for the {0} {1}.", "The {0} {1} is capped at {2} bytes.",
    "There are {2} entries left in the {0} {1}.",
)  # fmt: skip
QUESTIONS = (
    "Open question: who owns the {0} {1}?", "It is still unclear whether the {0} {1} needs a lock.",
    "TODO: find out why the {0} {1} starts twice.", "Not done yet: the {0} {1} has no tests.",
)  # fmt: skip
FAILURES = (
    "Error: the {0} {1} exited with code {2}", "fatal: {0} {1}: no such table t{2}", "AssertionError: {0} {1}: {2} != 0",
)  # fmt: skip
Records = list[dict[str, Any]]


class Fact(NamedTuple):
    kind: str
    records: Records
    told: tuple[str, ...]  # what a text that tells of it holds


def fact(kind: str, number: int, random: Random) -> Fact:
    """A fact of a kind, in words of its own."""
    words = (
        random.choice(THINGS) + random.choice(THINGS),
        random.choice(PARTS),
        random.randint(10_000, 99_999),
    )
    if kind == "file":
        path = f"services/{words[0]}/{words[1]}_{number}.py"
        return Fact(
            kind,
            called(f"w{number}", "write_file", {"path": path, "content": "x = 1\n"}, {"output": "ok"}),
            (path,),
        )
    if kind == "failure":
        command, error = f"make {words[0]}-{number}", random.choice(FAILURES).format(*words)
        records = called(f"f{number}", "bash", {"command": command}, {"error": f"step 1\n{error}\nstep 2"})
        return Fact(kind, records, (command, error))
    templates = {"rule": RULES, "decision": DECISIONS, "number": NUMBERS, "question": QUESTIONS}[kind]
    sentence = random.choice(templates).format(*words)
    before, after = random.choice(
        [("", ""), ("I looked at it again. ", ""), ("", " Thanks!"), ("Ok. ", " Please go on.")]
    )
    asks = kind == "rule" or random.random() < 0.5
    kinds = ("user", "codeh") if asks else ("codeh", "user")
    texts = (f"{before}{sentence}{after}", "Understood." if asks else "Go on.")
    return Fact(kind, [said(kind, text) for kind, text in zip(kinds, texts, strict=True)], (sentence,))


def said(kind: str, text: str) -> dict[str, Any]:
    return {"kind": kind, "role": "model" if kind == "codeh" else "user", "parts": [{"text": text}]}


def called(id: str, name: str, args: Any, response: Any) -> Records:
    call = {"functionCall": {"id": id, "name": name, "args": args}}
    answer = {"functionResponse": {"id": id, "name": name, "response": response}}
    return [
        {"kind": "codeh", "role": "model", "parts": [call]},
        {"kind": "tool", "role": "user", "parts": [answer]},
    ]


def planted(records: Records, count: int, random: Random) -> tuple[Records, list[Fact]]:
    """The conversation with `count` facts of each kind in its first 60 %, before prompts; and the facts."""
    starts = [n for n, record in enumerate(records) if record["kind"] == "user" and n < len(records) * 0.6]
    facts = [fact(kind, n * len(KINDS) + k, random) for n in range(count) for k, kind in enumerate(KINDS)]
    random.shuffle(facts)
    result = list(records)
    for place, one in zip(sorted(random.choices(starts, k=len(facts)), reverse=True), facts, strict=True):
        result[place:place] = one.records
    return result, facts


def told(one: Fact, text: str) -> bool:
    """Whether a text tells a fact: its words in their order, in one line."""
    lines = [re.sub(r"\W+", " ", line) for line in text.split("\n")]
    return any(all(re.sub(r"\W+", " ", part).strip() in line for part in one.told) for line in lines)

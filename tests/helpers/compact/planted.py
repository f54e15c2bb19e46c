"""Plant facts of six kinds, in varying words, early in a conversation, and check whether they survive."""

import re
from typing import Any, NamedTuple

import recorded
from codeh_history.session.ops import apply
from compact.long import output
from compact.short import plan, tokens
from strategies import view_of

KINDS = ("rule", "file", "decision", "number", "failure", "question")
SURE, OTHERS = (
    ("rule", "file"),
    ("decision", "number", "failure", "question"),
)  # what has to survive longest
LEAST = {0.25: (0.95, 0.85), 0.10: (0.90, 0.70), 0.05: (0.80, 0.50)}  # budget → of these, and of the others
THINGS = "ledger parcel invoice glacier beacon orchard turbine lantern mosaic harbor quartz falcon meadow cobalt".split()
PARTS = "parser exporter scheduler gateway importer renderer validator planner mailer archive".split()
RULES = (
    "Never touch the {0} {1}.", "Always run the {0} checks before you change the {1}.", "From now on write {0} amounts in cents.",
    "Don't call the {0} {1} from tests.", "You must keep the {0} {1} backwards compatible.", "Use the {0} {1}, not your own.",
    "Under no circumstances rename the {0} {1}.", "Please make sure that every {0} entry names its {1}.",
    "Only the {0} {1} may write to disk.", "I want all {0} dates in ISO form, no exceptions.",
    "Do not log anything from the {0} {1}.", "Avoid global state in the {0} {1}.", "The {0} {1} must not open sockets.",
    "Stick to four spaces in the {0} {1}.", "Going forward, name each {0} after its {1}.",
    "Whatever happens, leave the {0} {1} alone.", "No new dependencies for the {0} {1}!", "Remember: the {0} {1} is off limits.",
    "Every {0} change needs a {1} review, always.", "The {0} {1} has to stay below 200 lines.",
)  # fmt: skip
DECISIONS = (
    "We decided to keep the {0} {1} in one process because two of them lost rows.",
    "Let's go with the {0} {1}, since the other one cannot stream.",
    "I went with a {0} table instead of a {1} queue: it survives restarts.",
    "We agreed on the {0} {1} as it is the only one with a licence.",
    "The {0} {1} it is, because nobody maintains the other one.",
    "Decision: the {0} {1} stays synchronous, as callers depend on the order.",
    "We settled on {0} files for the {1}, which every tool can read.",
    "We're going with the {0} {1} because it needs no daemon.",
    "I chose the {0} {1} over a cache, since it is never stale.",
)  # fmt: skip
NUMBERS = (
    "The {0} {1} handled {2} rows per second.", "Measured: {2} ms for the {0} {1}.", "The {0} {1} is capped at {2} bytes.",
    "There are {2} entries left in the {0} {1}.", "The {0} {1} cost us {2} EUR last month.", "Invoice {2} is the one for the {0} {1}.",
    "The {0} {1} listens on port {2}.", "Of the {0} records, {2} reached the {1}.",
)  # fmt: skip
QUESTIONS = (
    "Open question: who owns the {0} {1}?", "It is still unclear whether the {0} {1} needs a lock.",
    "TODO: find out why the {0} {1} starts twice.", "Not done yet: the {0} {1} has no tests.",
    "We still need to migrate the {0} {1}.", "Someone has to check the {0} {1} on Windows, nobody has so far.",
    "Next step: wire the {0} {1} to the scheduler.", "The {0} {1} is blocked, we are waiting for the vendor.",
    "I have not looked at the {0} {1} yet.",
)  # fmt: skip
FAILURES = (
    "Error: the {0} {1} exited with code {2}", "fatal: {0} {1}: no such table t{2}", "AssertionError: {0} {1}: {2} != 0",
    "FAILED tests/test_{0}.py::test_{1} - KeyError: {2}", "error[E{2}]: cannot borrow `{0}` as {1}",
)  # fmt: skip
COMMANDS = (
    "make {0}-{1}",
    "cargo test {0}_{1}",
    "npm run build:{0}{1}",
    "python -m pytest tests/{0}/test_{1}.py",
)
WRITERS = ("write_file", "Write", "edit_file", "create_file", "str_replace_editor", "shell")
OWN = {
    "rule": RULES, "decision": DECISIONS, "number": NUMBERS, "question": QUESTIONS, "failure": FAILURES,
    "command": COMMANDS,
}  # fmt: skip
Records = list[dict[str, Any]]


class Fact(NamedTuple):
    kind: str
    records: Records
    mentions: tuple[str, ...]  # what a text that mentions it holds


def fact(kind, number, random, phrasings=OWN):
    """A fact of a kind, in one of these phrasings."""
    words = (
        random.choice(THINGS) + random.choice(THINGS),
        random.choice(PARTS),
        random.randint(10_000, 99_999),
    )
    if kind == "file":
        path = f"services/{words[0]}/{words[1]}_{number}.py"
        return Fact(kind, written(path, number, random), (path,))
    if kind == "failure":
        return failed(words, number, random, phrasings)
    sentence = random.choice(phrasings[kind]).format(*words)
    before, after = random.choice(
        [("", ""), ("I looked at it again. ", ""), ("", " Thanks!"), ("Ok. ", " Please go on.")]
    )
    asks = kind == "rule" or random.random() < 0.5
    kinds = ("user", "codeh") if asks else ("codeh", "user")
    texts = (f"{before}{sentence}{after}", "Understood." if asks else "Go on.")
    return Fact(
        kind, [text_message(kind, text) for kind, text in zip(kinds, texts, strict=True)], (sentence,)
    )


def written(path, number, random):
    """A file written in one of the ways of agents."""
    tool, id = random.choice(WRITERS), f"w{number}"
    if tool == "shell":
        script = random.choice(
            [f"cat > {path} <<'EOF'\nx = 1\nEOF", f"sed -i 's/x/y/' {path}", f"echo 'x = 1' >> {path}"]
        )
        return called(id, "bash", {"command": script}, {"output": ""})
    args = {"file_path": path} if tool == "Write" else {"path": path}
    if tool == "edit_file":
        args |= {"oldText": "x = 0", "newText": "x = 1"}
    elif tool == "str_replace_editor":
        args |= {"command": "str_replace", "old_str": "x = 0", "new_str": "x = 1"}
    else:
        args |= {"content": "x = 1\n"}
    return called(id, tool, args, {"output": random.choice(["ok", f"Wrote {path}", "1 change"])})


def failed(words, number, random, phrasings=OWN):
    """A failed command, reported in one of the ways of tools."""
    command = random.choice(phrasings["command"]).format(words[0], number)
    error = random.choice(phrasings["failure"]).format(*words)
    text = f"step 1\n{error}\nstep 2"
    response = random.choice([
        {"error": text}, {"output": text, "exit_code": 1}, {"output": f"{text}\n\nCommand exited with code 2"},
        {"stdout": "", "stderr": text, "returncode": 1},
    ])  # fmt: skip
    return Fact("failure", called(f"f{number}", "bash", {"command": command}, response), (command, error))


def text_message(kind, text):
    return {"kind": kind, "role": "model" if kind == "codeh" else "user", "parts": [{"text": text}]}


def called(id, name, args, response):
    call = {"functionCall": {"id": id, "name": name, "args": args}}
    answer = {"functionResponse": {"id": id, "name": name, "response": response}}
    return [
        {"kind": "codeh", "role": "model", "parts": [call]},
        {"kind": "tool", "role": "user", "parts": [answer]},
    ]


def conversation(random, count):
    """A made-up conversation of this many exchanges: prompts, answers, files read, listings, commands."""
    records = []
    for number in range(count):
        records.append(
            text_message(
                "user", random.choice(PROMPTS).format(random.choice(THINGS), random.choice(PARTS), number)
            )
        )
        for step in range(random.randint(0, 3)):
            id, seed = f"t{number}-{step}", random.randint(0, 999)
            name, args = random.choice(
                [("read_file", {"path": f"lib/mod_{seed}.py"}), ("bash", {"command": f"ls lib/{seed}"})]
            )
            records += called(id, name, args, {"output": output(seed, random.randint(5, 120))})
        records.append(
            text_message(
                "codeh", random.choice(ANSWERS).format(random.choice(THINGS), random.choice(PARTS), number)
            )
        )
    return records


PROMPTS = (
    "What does the {0} {1} do in step {2}?", "Now show me the {0} {1}, the part around line {2}.", "ok, and the {1}?",
    "Can you explain why {0} comes before {1} there?", "Look at the {1} next. I wonder about case {2}.", "go on",
    "That is the old {0}, I meant the one for the {1}.", "Thanks! And how is the {0} {1} called?",
)  # fmt: skip
ANSWERS = (
    "The {0} {1} reads its input line by line and hands each to the next stage.",
    "It is called from the {1}, once for each {0}, with its number as the only argument.",
    "I looked at it: the {0} comes first as the {1} depends on it.", "Here it is; it has about {2} lines.",
    "The {1} has three parts. The first reads a {0}, the second checks it, the third writes it.",
)  # fmt: skip


def planted(records, count, random, phrasings=OWN):
    """The conversation with `count` facts of each kind before prompts of its first 60 %, and these facts."""
    starts = [n for n, record in enumerate(records) if record["kind"] == "user" and n < len(records) * 0.6]
    facts = [
        fact(kind, n * len(KINDS) + k, random, phrasings)
        for n in range(count)
        for k, kind in enumerate(KINDS)
    ]
    random.shuffle(facts)
    result = list(records)
    for place, one in zip(sorted(random.choices(starts, k=len(facts)), reverse=True), facts, strict=True):
        result[place:place] = one.records
    return result, facts


def is_mentioned(one, text):
    """Whether a text states a fact: its words in order, in one line."""
    return any(all(_plain(part) in line for part in one.mentions) for line in _lines(text))


def stands(one, text):
    """Whether messages state a fact; a command and its failure may be in different messages."""
    lines = _lines(text)
    return all(any(_plain(part) in line for line in lines) for part in one.mentions)


def _lines(text):
    return [_plain(line) for line in text.split("\n")]


def _plain(text):
    return re.sub(r"\W+", " ", text).strip()


def kept(records, count, random, phrasings=OWN):
    """Whether each of `count` planted facts of each kind survives, by budget and kind."""
    mixed, facts = planted(records, count, random, phrasings)
    view = view_of(recorded.records(mixed))
    facts_kept = {}
    for share in LEAST:
        after = apply(view, plan(view, int(tokens(view) * share)).ops)
        summaries = "\n".join(summary.text for summary in after.summaries)
        messages = "\n".join(str(message.parts).replace("\\n", "\n") for message in after.messages)
        for one in facts:
            is_kept = is_mentioned(one, summaries) or stands(one, messages)
            facts_kept.setdefault((share, one.kind), []).append(is_kept)
    return facts_kept


def real(name):
    """A recorded conversation by its name."""
    if name == "coding":
        return recorded.coding()
    return [message for talk in recorded.support() for message in talk]


REAL = ("coding", "support")

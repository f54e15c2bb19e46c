"""Long histories of every kind, and the laws that every compaction must obey."""

import base64
from functools import cache
from random import Random

import orjson
from hypothesis import strategies as st

import support
from codeh_history import providers
from codeh_history.filters.curate import passes
from codeh_history.filters.curate.passes import Settings
from codeh_history.providers.request import Options
from codeh_history.session.model import CONTINUATION, Message
from codeh_history.tokens.formula import history_tokens
from histories import TS
from strategies import view_of

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big")
).decode()
MODEL = {**support.MODELS, "gemini": None}


@cache
def prose(seed, words):
    """Text of this many words with names and numbers, different for each seed."""
    return " ".join(
        f"word{(seed * 31 + n * n) % 97} src/pkg{n % 7}/mod_{seed}.py {n * seed % 10007}"[: 9 + n % 20]
        for n in range(words)
    )


@cache
def output(seed, lines):
    """A tool's output of this many lines, with an error among them."""
    return "\n".join(
        f"ERROR: step {n} of job_{seed} failed"
        if n % 37 == 19
        else f"{n}: def handle_{seed}_{n % 11}(x): return {n * seed}"
        for n in range(lines)
    )


SIZES = (0, 1, 3, 3, 10, 10, 60, 200)
NAMES = ("read_file", "write_file", "grep", "bash")
IMAGE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
PDF = {"fileData": {"mimeType": "application/pdf", "fileUri": "gs://b/f.pdf"}}


class Writer:
    """Builds the records of a session; each exchange depends on one drawn number, so that lists of them shrink."""

    def __init__(self):
        self.records = [{"type": "session", "version": 1, "id": "s", "created": TS}]
        self.random = Random(0)

    def size(self):
        return self.random.choice(SIZES)

    def seed(self):
        return self.random.randint(1, 40)

    def text(self):
        return {"text": prose(self.seed(), self.size()) or "ok"}

    def thoughts(self):
        return [{**self.text(), "thought": True}] if self.random.random() < 0.4 else []

    def add(self, kind, parts):
        role = {"user": {"role": "user"}, "tool": {"role": "user"}, "codeh": {"role": "model"}}.get(
            kind, {}
        )
        pin = {"pinned": True} if self.random.random() < 0.02 else {}
        head = {"type": "message", "id": f"m{len(self.records)}", "ts": TS, "kind": kind, **role}
        self.records.append({**head, "parts": parts, **pin})

    def step(self, kind, seed):
        """Add one exchange, or what may come between two."""
        self.random = Random(seed)
        if kind == 0:
            self.add("user", [{"text": f"# IDE Context\n{prose(self.seed(), self.size())}"}])
        elif kind == 1:
            self.add(self.random.choice(["error", "info"]), [self.text()])
        elif kind == 2:
            self.summary()
        elif kind == 3:
            self.add(
                "codeh",
                [
                    {
                        "functionCall": {
                            "id": f"o{len(self.records)}",
                            "name": "bash",
                            "args": self.arguments(),
                        }
                    }
                ],
            )
        else:
            files = self.random.choice([[], [], [], [IMAGE], [PDF]])
            self.add("user", [self.text(), *files])
            for _ in range(self.random.choice([0, 0, 1, 2, 8])):
                self.calls()
            if self.random.random() < 0.7:
                self.add("codeh", [*self.thoughts(), self.text()])

    def arguments(self):
        seed, lines = self.seed(), self.size()
        return self.random.choice([
            {"path": f"src/mod_{seed}.py"}, {"path": f"src/mod_{seed}.py", "content": output(seed, lines)},
            {"edits": [{"old": output(seed, lines), "new": output(seed + 1, lines)}], "all": True},
        ])  # fmt: skip

    def response(self):
        seed, lines = self.seed(), self.size()
        return self.random.choice([
            {"output": output(seed, lines)}, {"output": output(seed, lines), "code": 0, "cwd": "/srv"},
            {"error": output(seed, lines)}, {"rows": [{"id": k * seed, "name": f"row_{k}"} for k in range(lines)]},
            {"sources": [{"source_number": k + 1, "content": prose(seed + k, 12)} for k in range(lines % 12)]},
            {"output": "x" * 900}, {},
        ])  # fmt: skip

    def calls(self):
        """Add a model message with calls and their responses, in one message or several."""
        calls = []
        for number in range(self.random.choice([1, 1, 1, 3])):
            id = {"id": f"c{len(self.records)}-{number}"} if self.random.random() < 0.7 else {}
            calls.append(
                {"functionCall": {**id, "name": self.random.choice(NAMES), "args": self.arguments()}}
            )
        self.add("codeh", [*self.thoughts(), *calls])
        answers = []
        for call in calls:
            named = {key: value for key, value in call["functionCall"].items() if key != "args"}
            media = {"parts": [IMAGE]} if self.random.random() < 0.1 else {}
            answers.append({"functionResponse": {**named, "response": self.response(), **media}})
        for group in [answers] if self.random.random() < 0.5 else [[answer] for answer in answers]:
            self.add("tool", group)

    def summary(self):
        """Add a summary of the oldest messages, or of summaries."""
        covered = [r["id"] for r in self.records if r["type"] == "message" and not r.get("pinned")]
        older = (
            [r["id"] for r in self.records if r["type"] == "summary"] if self.random.random() < 0.5 else []
        )
        covered = covered[: self.random.randint(0, len(covered))]
        self.records.append({
            "type": "summary", "id": f"S{len(self.records)}", "createdAt": TS, "periodStart": TS, "periodEnd": TS,
            "summary": prose(self.seed(), self.size()) or "earlier work", "conversationCount": 1,
            "covers": [*covered, *older], "by": "outline",
        })  # fmt: skip


def histories(*, most=14):
    """The records of sessions: exchanges, agent loops, parallel calls, media, pins, summaries, open calls."""
    steps = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1 << 30)), max_size=most)
    return steps.map(written)


def written(steps):
    writer = Writer()
    for kind, seed in steps:
        writer.step(kind, seed)
    return writer.records


def session(records):
    view = view_of(records)
    assert not view.log.damage, view.log.damage[0].reason
    return view


def cost(counter, view, system=None, tools=()):
    texts = [summary.text for summary in view.summaries]
    return history_tokens(counter, view.messages, system=system, tools=tools, summaries=texts)


def request_cost(counter, view, system=None, tools=()):
    """The same, and the opening of a request that would begin with a model message."""
    first = next(iter(view.sent), None)
    if view.summaries or first is None or first.role != "model" or not counter.message:
        return cost(counter, view, system, tools)
    opening = {
        "type": "message",
        "id": "~",
        "ts": TS,
        "kind": "user",
        "role": "user",
        "parts": [{"text": CONTINUATION}],
    }
    return cost(counter, view.with_messages([*view_of([opening]).messages, *view.messages]), system, tools)


def refused(view):
    """The problems that each provider's rules find in the request for a view with repaired pairs."""
    refusals = {}
    prompt = [{"text": "go on"}]  # a model's word at the end is the caller's, whatever was compacted
    view, _, _ = passes.curate(view, Settings(unanswered="stub"), passes.FORCED)
    if not any(message.role is not None and message.committed for message in view.messages):
        return refusals
    messages = list(view.messages)
    if next(m.role for m in reversed(messages) if m.role is not None and m.committed) == "model":
        messages.append(
            Message(id="next", kind="user", role="user", ts=None, fields={}, own=prompt, parts=prompt)
        )
    for format in providers.FORMATS:
        provider = providers.Format(format)
        body = provider.request(
            messages, Options(model=MODEL[format]), [s.text for s in view.summaries]
        ).body
        refusals[format] = [f"{problem.path}: {problem.reason}" for problem in provider.problems(body)]
    return {format: problems for format, problems in refusals.items() if problems}


def line(record):
    return orjson.dumps(record) + b"\n"

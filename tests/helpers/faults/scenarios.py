"""The writing commands, each with a home to run in and the allowed states of its file after a fault."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import orjson

from codeh_history.base.env import Env
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.store import log
from support import NOW, session_path

FIXED = {"CODEH_NOW": NOW, "CODEH_ID_SEED": "faults", "CODEH_SESSION": "demo"}
BIG = "a large text " * 450  # above what `persist` leaves in the file
SECRET = "sk-ant-api03-" + "Ab3" * 31 + "AA"
CODES = (0, 1, 3, 65, 74, 75)  # what a failed system call may lead to
KILLED = (-9, -25)  # SIGKILL, SIGXFSZ
ANSWER = b"".join(
    b"data: " + orjson.dumps(event) + b"\r\n\r\n"
    for event in (
        {"candidates": [{"content": {"parts": [{"text": "Be"}], "role": "model"}}], "responseId": "r1"},
        {"candidates": [{"content": {"parts": [{"text": "cause."}], "role": "model"}, "finishReason": "STOP"}],
         "responseId": "r1"},
    )
)  # fmt: skip


def message(id, text, kind="user", **more):
    role = "model" if kind == "codeh" else "user"
    record = {"type": "message", "id": id, "ts": "2026-01-02T03:04:05.000Z", "kind": kind, "role": role}
    return orjson.dumps({**record, "parts": [{"text": text}], **more}) + b"\n"


HEADER = b'{"type":"session","version":1,"id":"demo","created":"2026-01-02T03:04:05.000Z","cwd":"/"}\n'
STREAM = b"".join(
    orjson.dumps(record) + b"\n"
    for record in (
        {"type": "open", "id": "s1", "ts": NOW, "kind": "codeh", "role": "model"},
        {"type": "delta", "of": "s1", "parts": [{"text": "stre"}]},
        {"type": "delta", "of": "s1", "parts": [{"text": "amed"}]},
        {"type": "commit", "of": "s1", "ts": NOW, "parts": [{"text": "streamed"}]},
    )
)
TALK = b"".join(
    message(f"u{n}", f"question {n}") + message(f"a{n}", f"answer {n}", "codeh") for n in range(4)
)
SESSION = (
    HEADER
    + TALK
    + message("big1", f"1 {BIG}")
    + message("big2", f"2 {BIG}", "codeh")
    + STREAM
    + message("key1", "keyed", key="k1")
    + message("secret", f"the key is {SECRET}")
)
SMALL = HEADER + message("u0", "question")
OLD = 10**9  # a time long ago
LITTER = ".demo.jsonl.0badcafe.tmp"


def plain(home, content=SESSION):
    """A home with the session `demo`."""
    path = session_path(home, "demo")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    for place in (home, path.parent):
        place.chmod(0o700)
    path.chmod(0o600)


def littered(home):
    """The same with an unreferenced block and a killed process's temporary file."""
    plain(home)
    data = b'{"text":"nobody names this"}'
    id = hashlib.sha256(data).hexdigest()
    block = home / "blocks" / id[:2] / id
    block.parent.mkdir(parents=True)
    block.write_bytes(data)
    left = home / "sessions" / LITTER
    left.write_bytes(b"half")
    for file in (block, left):
        os.utime(file, (OLD, OLD))


def nothing(home):
    home.mkdir(parents=True)


@dataclass(frozen=True)
class Scenario:
    """A command that writes the session `demo`.

    `again`: run again after a fault, it brings about what one run does. `replaces`: it puts a new file in
    the place of the old one.
    """

    argv: Sequence[str]
    before: Callable[[Path], None] = plain
    stdin: bytes | None = None
    again: bool = False
    replaces: bool = False
    extra: dict[str, str] = field(default_factory=dict)


SCENARIOS = {
    "append to a new session": Scenario(["append", "-m", "new"], nothing),
    "append": Scenario(["append", "-m", "new"], lambda home: plain(home, SMALL)),
    "append after a torn line": Scenario(
        ["append", "-m", "new"], lambda home: plain(home, SMALL + message("torn", "torn")[:40])
    ),
    "append --key": Scenario(
        ["append", "-m", "new", "--key", "k2"], lambda home: plain(home, SMALL), again=True
    ),
    "append --key, a retry": Scenario(["append", "-m", "keyed", "--key", "k1"], again=True),
    "append --jsonl": Scenario(
        ["append", "--jsonl"], lambda home: plain(home, SMALL), again=True,
        stdin=b"".join(message(f"j{n}", f"line {n}") for n in range(3)),
    ),
    "append --from, a stream": Scenario(["append", "--from", "gemini"], lambda home: plain(home, SMALL), ANSWER),
    "compact -i": Scenario(["compact", "-i", "--max-chars", "3000", "-q"], again=True),
    "summarize": Scenario(
        ["summarize", "-i", "--max-conversations", "3", "--min-batch", "1", "--counter", "approx"], again=True
    ),
    "persist -i": Scenario(["persist", "-i", "demo", "-q"], again=True, replaces=True),
    "redact -i": Scenario(["redact", "-i", "demo", "--yes", "-q"], again=True, replaces=True),
    "undo": Scenario(["undo"]),
    "gc": Scenario(["gc", "--yes", "-q"], littered, again=True, replaces=True),
    "import": Scenario(
        ["import", "-", "--from", "contents", "--into", "demo"], nothing,
        stdin=b'[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"ho"}]}]',
    ),
}  # fmt: skip


class Subject:
    """A scenario in a directory; its home is recreated for every run."""

    def __init__(self, scenario, place, runner):
        self.scenario, self.runner = scenario, runner
        self.template, self.home = place / "template", place / "home"
        self.path = session_path(self.home, "demo")
        scenario.before(self.template)
        self.fresh()
        self.before = self.bytes()
        self.done = self.run()
        assert self.done.code == 0, self.done
        self.after = self.bytes()
        assert (self.after != self.before) != ("retry" in " ".join(scenario.argv) or "k1" in scenario.argv)

    def fresh(self):
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.template, self.home)

    def bytes(self):
        return self.path.read_bytes() if self.path.exists() else b""

    def run(self, **how):
        """Run the scenario's command in its current home; `how`: arguments of `Runner.run`."""
        scenario = self.scenario
        env = {**FIXED, **scenario.extra}
        return self.runner.run(scenario.argv, self.home, stdin=scenario.stdin, env=env, **how)  # type: ignore[arg-type]

    # -- what must hold -------------------------------------------------------------------------------

    def wrong(self, done, *, torn=False):
        """Why files or output break a promise; `torn`: a write may have been cut."""
        return next(
            filter(None, (check(done) for check in (
                lambda done: self._content(done, torn=torn), self._reported, self._left, lambda _: self._blocks(),
                lambda _: self._again(), lambda _: self._next(),
            ))),
            None,
        )  # fmt: skip

    def _content(self, done, *, torn):
        now = self.bytes()
        if done.code == 0:
            if now == self.after:
                return None if done.out == self.done.out else f"success, saying {done.out!r}"
            streamed = "--from" in self.scenario.argv  # its pending text may be missing: its end has all
            same = streamed and contents(now) == contents(self.after) and done.out.strip() in now
            return None if same else "acknowledged, and not there"
        if self.scenario.replaces:
            return None if now in (self.before, self.after) else "neither the old file nor the new one"
        if not now.startswith(self.before):
            return "earlier bytes changed"
        added = kept_of(now[len(self.before) :])
        if not self.after[len(self.before) :].startswith(added):
            return f"added {added!r}"
        if added and not added.endswith(b"\n") and not torn:
            return f"a torn line: {added!r}"
        return None

    def _reported(self, done):
        """Check that a failure prints one true line, and a signal nothing."""
        if done.code == 0 or done.code < 0 or done.code > 128:
            return f"a signal, and {done.err!r}" if done.code and b"Traceback" in done.err else None
        if done.code not in CODES:
            return f"exit {done.code}: {done.err!r}"
        words = done.err.decode()
        if not words.startswith("codeh-history: ") or "Traceback" in words:
            return f"told as {words!r}"
        untouched = "nothing was stored" in words or "the session is unchanged" in words
        return f"not as it was, and it says {words!r}" if untouched and self._grew() else None

    def _grew(self):
        return kept_of(self.bytes()[len(self.before) :]) != b"" and "--from" not in self.scenario.argv

    def _left(self, done):
        """Check that only killed processes leave temporary files."""
        before = {path.relative_to(self.template) for path in self.template.rglob("*.tmp")}
        left = {path.relative_to(self.home) for path in self.home.rglob("*.tmp")} - before
        return f"left behind: {left}" if left and done.code not in KILLED else None

    def _blocks(self):
        """Check that every referenced block exists and matches its hash."""
        for id in set(re.findall(r"[0-9a-f]{64}", " ".join(blocks_of(self.bytes())))):
            path = self.home / "blocks" / id[:2] / id
            if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != id:
                return f"block {id} is named, and not there"
        return None

    def _again(self):
        """Check that repeating the command has the effect of one run."""
        if not self.scenario.again:
            return None
        done = self.run()
        if done.code:
            return f"run again: {done.code} {done.err!r}"
        if contents(self.bytes()) != contents(self.after):
            return "run again, it comes out otherwise"
        return None

    def _next(self):
        """Check that the next append works and earlier records are unchanged."""
        ids = [message.id for message in view_of(self.bytes()).messages]
        line = message("next", "next")
        env = Env({"CODEH_NOW": NOW, "CODEH_HOME": str(self.home)})
        log.append(env, str(self.path), lambda _: line, create=True, wait=5)
        now = self.bytes()
        if not now.endswith(line):
            return "the next append is not at the end"
        now_read = [message.id for message in view_of(now).messages]
        return None if now_read == [*ids, "next"] else f"the next append gives {now_read}"


def contents(data):
    return [(message.kind, message.parts) for message in view_of(data).messages]


def kept_of(added):
    """The added records, without the note about an interrupted stream."""
    lines = added.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(b'{"type":"abort"'))


def blocks_of(data):
    for record in parse(data).records:
        ids = record.data.get("blockIds", ())
        yield from (id for id in ids if isinstance(id, str))


@cache
def view_of(data):
    return fold(parse(data))

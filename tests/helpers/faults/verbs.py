"""A typical call of every verb of the program."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from faults.scenarios import ANSWER, FIXED, SESSION, littered, message, nothing, plain

CALL = (
    orjson.dumps(
        {"type": "message", "id": "c", "ts": FIXED["CODEH_NOW"], "kind": "codeh", "role": "model",
         "parts": [{"functionCall": {"name": "f", "args": {}, "id": "c1"}}]}
    ) + b"\n"
)  # fmt: skip
PENDING = (
    b'{"type":"update","id":"p","of":"u1","ts":"2026-01-02T03:04:05.000Z","parts":[{"text":"edited"}]}\n'
)
ERROR = b'{"type":"message","id":"e","kind":"error","parts":[{"text":"x"}]}\n'


def talked(home):
    """A session with something to do for every verb."""
    plain(home, SESSION + CALL + PENDING + ERROR)


@dataclass(frozen=True)
class Command:
    """`writes`: to the session, before any output; `prints`: data to stdout."""

    argv: Sequence[str]
    prepare: Callable[[Path], None] = talked
    stdin: bytes | None = None
    writes: bool = False
    prints: bool = True
    more: tuple[tuple[str, str], ...] = ()

    @property
    def env(self):
        return {**FIXED, **dict(self.more)}


def persisted(home):
    """A session by reference, and its block."""
    import hashlib

    data = b'{"text":"in a block"}'
    id = hashlib.sha256(data).hexdigest()
    ref = {"type": "ref", "id": "r", "ts": FIXED["CODEH_NOW"], "kind": "user", "role": "user"}
    plain(home, SESSION + orjson.dumps({**ref, "blockIds": [id], "flowId": "demo"}) + b"\n")
    (home / "blocks" / id[:2]).mkdir(parents=True)
    (home / "blocks" / id[:2] / id).write_bytes(data)


def removed(home):
    """A session in the trash."""
    plain(home)
    (home / "trash").mkdir()
    (home / "sessions" / "demo.jsonl").rename(home / "trash" / "demo.1.jsonl")


def carried(home):
    """A session that diverged from its copy in another folder, shared by all tests of a process."""
    talked(home)
    stick = Path("~/stick").expanduser()
    shutil.rmtree(stick, ignore_errors=True)
    stick.mkdir(parents=True)
    (stick / "demo.jsonl").write_bytes(SESSION + CALL + PENDING + ERROR + message("later", "on the stick"))


COMMANDS = {
    "append": Command(["append", "-m", "x"], writes=True),
    "append to a new session": Command(["append", "-m", "x"], nothing, writes=True),
    "append --key": Command(["append", "-m", "x", "--key", "k9"], writes=True),
    "append --jsonl": Command(["append", "--jsonl"], stdin=message("j", "j"), writes=True),
    "append --from": Command(["append", "--from", "gemini"], stdin=ANSWER, writes=True),
    "append --echo": Command(["append", "--from", "gemini", "--echo"], stdin=ANSWER, writes=True),
    "payload": Command(["payload", "--to", "gemini", "--unanswered", "stub"]),
    "payload --persist": Command(["payload", "demo", "--to", "gemini", "--unanswered", "stub", "--persist"], writes=True),
    "ask": Command(["ask", "-m", "x", "--to", "gemini", "--via", "cat >/dev/null; cat $CODEH_HOME/answer", "--unanswered", "stub"],
                   lambda home: (talked(home), (home / "answer").write_bytes(ANSWER))[0], writes=True),
    "chat": Command(["chat", "--to", "gemini", "--via", "cat >/dev/null; cat $CODEH_HOME/answer", "--unanswered", "stub"],
                    lambda home: (talked(home), (home / "answer").write_bytes(ANSWER))[0], stdin=b"x\n", writes=True),
    "calls": Command(["calls"]),
    "calls --via": Command(["calls", "--via", "echo done"], writes=True),
    "status": Command(["status", "--counter", "approx"]),
    "show": Command(["show"]),
    "last": Command(["last"]),
    "list": Command(["list"]),
    "search": Command(["search", "question"]),
    "stats": Command(["stats", "--counter", "approx"]),
    "usage": Command(["usage", "--json"]),
    "verify": Command(["verify"]),
    "expand": Command(["expand", ":1"]),
    "context": Command(["context"]),
    "curate": Command(["curate", "demo"]),
    "curate -i": Command(["curate", "demo", "-i"], writes=True, prints=False),
    "compact": Command(["compact", "demo", "--max-chars", "3000"]),
    "compact -i": Command(["compact", "demo", "-i", "--max-chars", "3000"], writes=True, prints=False),
    "summarize": Command(["summarize", "demo", "--max-conversations", "3", "--min-batch", "1", "--counter", "approx"]),
    "summarize -i": Command(["summarize", "demo", "-i", "--max-conversations", "3", "--min-batch", "1", "--counter", "approx"],
                            writes=True),
    "repair": Command(["repair", "demo"]),
    "rescue": Command(["rescue", "demo", "--to", "claude-code"]),
    "redact": Command(["redact", "demo"]),
    "redact -i": Command(["redact", "demo", "-i", "--yes"], writes=True, prints=False),
    "fixture": Command(["fixture", "demo"]),
    "persist": Command(["persist", "demo"]),
    "persist -i": Command(["persist", "demo", "-i"], writes=True, prints=False),
    "hydrate": Command(["hydrate", "demo"], persisted),
    "hydrate -i": Command(["hydrate", "demo", "-i"], persisted, writes=True, prints=False),
    "gc": Command(["gc", "--yes"], littered, writes=True),
    "store": Command(["store", "init"], prints=False),
    "undo": Command(["undo"], writes=True),
    "update": Command(["update", ":1", "-m", "y"], writes=True),
    "commit": Command(["commit"], writes=True),
    "clear": Command(["clear"], writes=True),
    "config": Command(["config"]),
    "config init": Command(["config", "init"]),
    "set": Command(["set", "title=x"], writes=True, prints=False),
    "fork": Command(["fork", "demo", "--into", "new"], writes=True),
    "export": Command(["export", "demo"]),
    "export --to markdown": Command(["export", "demo", "--to", "markdown"]),
    "export --to codex": Command(["export", "demo", "--to", "codex", "--cwd", "/"]),
    "import": Command(["import", "-", "--from", "contents", "--into", "new"], writes=True,
                      stdin=b'[{"role":"user","parts":[{"text":"hi"}]}]'),
    "sync": Command(["sync", "dir:~/stick", "--json"], carried, writes=True),
    "rm": Command(["rm", "demo"], writes=True, prints=False),
    "rm --restore": Command(["rm", "--restore", "demo"], removed, writes=True, prints=False),
    "prune": Command(["prune", "--keep", "0"], plain),
    "prune --yes": Command(["prune", "--keep", "0", "--yes"], plain, writes=True),
    "completion": Command(["completion", "bash"]),
    "serve": Command(["serve"], stdin=b'{"id":1,"argv":["last"]}\n'),
}  # fmt: skip

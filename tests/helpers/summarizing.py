"""Run `summarize`, on sessions long enough for it."""

import hashlib
import os

import terminal
from codeh_history.session.records import block_of, dumps
from support import lines, run, session_path, start
from talks import talk

GOOD = "cat >/dev/null; echo 'The user asked short questions.'"
LONG = "so that there is something to say about it, at some length, for the sake of the test"


def session(home, name, count, **how):
    path = session_path(home, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"type": "session", "version": 1, "id": name, "created": "2026-01-01T00:00:00.000Z"}
    records = [header, *talk(count, **how)]
    for record in records[1:]:
        record["parts"] = [{"text": f"{record['parts'][0]['text']} {LONG}"}]
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    path.chmod(0o600)
    return path


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def shown(name, stdin=b""):
    return [record["id"] for record in run("show", name, "--jsonl", stdin=stdin).lines if "role" in record]


def summarize(*argv, **how):
    """Run `summarize -i` without the exact counter, which takes long to load."""
    named = argv[:1] != ("-",) and not {"--all", "--emit", "--apply"}.intersection(argv)
    return run("summarize", *argv, *(["-i"] if named else []), "--counter", "approx", **how)


def summarized(home, count):
    """A session of 30 exchanges with this many summaries of two exchanges each; the second is pinned."""
    path = session(home, "demo", 30, pinned={1})
    records = []
    for n in range(count):
        covers = [f"{kind}{m}" for m in (2 * n, 2 * n + 1) for kind in "ua" if (kind, m) != ("u", 1)]
        times = {
            "periodStart": f"2026-01-{1 + 2 * n:02d}T12:00:00.000Z",
            "periodEnd": f"2026-01-{2 + 2 * n:02d}T12:00:00.000Z",
        }
        text = f"The user asked question {2 * n} and question {2 * n + 1}."
        record = {
            "type": "summary",
            "id": f"S{n}",
            "createdAt": "2026-03-01T00:00:00.000Z",
            **times,
            "summary": text,
        }
        records.append({**record, "conversationCount": 2, "covers": covers, "by": "outline"})
    with path.open("ab") as file:
        file.write(b"".join(dumps(record) + b"\n" for record in records))
    return path, records


HOW_IT_STANDS = {
    "pinned": {"type": "message", "id": "u0", "kind": "user", "role": "user", "pinned": True},
    "pending": {"type": "update", "id": "U", "of": "u0", "parts": [{"text": "not yet"}]},
    "replaced": {
        "type": "compaction", "id": "K", "policy": "p",
        "ops": [{"op": "replace", "id": "u0", "part": 0, "with": {"text": "a stub"}, "why": "size"}],
    },
}  # fmt: skip


def changed_in(how, path):
    """The record that changes the first message of a session in this way."""
    (part,) = next(record["parts"] for record in lines(path) if record.get("id") == "u0")
    line = dict(HOW_IT_STANDS[how])
    if how == "pinned":
        line["parts"] = [part]
    elif how == "replaced":
        line["ops"] = [{**line["ops"][0], "block": block_of(part)}]
    return dumps(line) + b"\n"


def on_a_terminal(*argv, home, stdout=None):
    """What the command shows if its stderr (and stdout, unless given) is a terminal."""
    master, slave = terminal.opened()
    process = start(
        *argv, home=home, stdout=slave if stdout is None else stdout, stderr=slave, stdin=slave,
        env={"TERM": "xterm-256color", "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(slave)
    shown = b"".join(terminal.chunks(master))
    assert process.wait(60) == 0
    return shown

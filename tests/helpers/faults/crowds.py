"""Many concurrent processes on one session."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass

from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from faults.scenarios import SMALL, plain
from support import ROOT, environ, run, session_path

CROWD = ROOT / "tests" / "helpers" / "faults" / "crowd.py"


WRITERS = ("append", "append", "keyed", "keyed", "batch", "stream")


OTHERS = ("replace", "compact", "summarize", "look")


@dataclass(frozen=True)
class Outcome:
    """The number of acknowledged records, and those that are lost or changed."""

    acknowledged: int
    lost: int
    torn: int
    doubled: int
    disordered: int
    failed: list[str]

    @property
    def fine(self):
        return not (self.lost or self.torn or self.doubled or self.disordered or self.failed)


def crowd(home, count, *, writers=WRITERS, others=OTHERS, mutant=""):
    """Run them all concurrently; return the result."""
    plain(home, SMALL)
    (home / "acks").mkdir()
    env = environ({"CODEH_SESSION": "demo", **({"FAULTS_MUTANT": mutant} if mutant else {})}, home)

    def start(role, number):
        argv = [sys.executable, CROWD, role, f"{role}{number}", str(count)]
        return subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    changing = [start(role, n) for n, role in enumerate(others)]
    writing = [start(role, n) for n, role in enumerate(writers)]
    try:
        outputs = [process.communicate(timeout=900)[1].decode() for process in writing]
        (home / "stop").touch()
        outputs += [process.communicate(timeout=900)[1].decode() for process in changing]
    finally:
        for process in (*writing, *changing):
            process.kill()
    failed = [
        text for process, text in zip([*writing, *changing], outputs, strict=True) if process.returncode
    ]
    run("hydrate", "demo", "-i", home=home)
    return counted(home, failed)


def counted(home, failed):
    log = parse(session_path(home, "demo").read_bytes())
    texts = {id: message.parts[0].get("text") for id, message in fold(log).all.items() if message.parts}
    made = [r.data["id"] for r in log.records if r.data["type"] in ("session", "message", "open", "ref")]
    keys = Counter(r.data["key"] for r in log.records if "key" in r.data)
    place = {id: n for n, id in enumerate(made)}
    lost = disordered = total = 0
    for file in (home / "acks").iterdir():
        acks = [line.split("\t") for line in file.read_text().split("\n")[:-1]]
        total += len(acks)
        lost += sum(texts.get(id) != text for id, text in acks)
        places = [place.get(id, -1) for id, _ in acks]
        disordered += places != sorted(places) and not file.name.startswith("keyed")
    doubled = len(made) - len(set(made)) + sum(n - 1 for n in keys.values())
    return Outcome(total, lost, len(log.damage), doubled, disordered, failed)

"""Simulate power cuts, in a mount namespace of its own, for `test_disk`.

`power.py PLACE CUTS [MUTANT]`: an ext4 on an image, writers at work on it; again and again they are stopped, the
image is copied as the disk has it (what is only in memory is not in it), and the copy is mounted and read.
Prints a JSON object: how many records were acknowledged, and lost, over all cuts.
"""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

place, cuts, mutant = Path(sys.argv[1]), int(sys.argv[2]), "".join(sys.argv[3:])
image, disk, copy, after = (place / name for name in ("image", "disk", "copy", "after"))
acks, home = place / "acks", disk / "home"
CROWD = Path(__file__).with_name("crowd.py")
ROLES = ("append", "keyed", "batch", "stream", "replace")


def acknowledged():
    return [line.split("\t")[0] for file in acks.iterdir() for line in file.read_text().split("\n")[:-1]]


def start(env):
    argvs = [[sys.executable, str(CROWD), role, role, "99999"] for role in ROLES]
    return [
        subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for argv in argvs
    ]


def look(acked):
    """Lost records, torn lines except the last one, and missing blocks of the copy."""
    subprocess.run(["mount", "-o", "loop", copy, after], check=True)
    try:
        session = after / "home" / "sessions" / "demo.jsonl"
        lines = (session.read_bytes() if session.exists() else b"").split(b"\n")
        ids, torn, missing = set(), 0, 0
        for number, line in enumerate(lines):
            try:
                record = json.loads(line) if line else {}
            except ValueError:
                torn += number < len(lines) - 1
                continue
            ids.add(record.get("id"))
            for id in re.findall("[0-9a-f]{64}", " ".join(map(str, record.get("blockIds", [])))):
                path = after / "home" / "blocks" / id[:2] / id
                missing += not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != id
        return len(set(acked) - ids), torn, missing
    finally:
        subprocess.run(["umount", after], check=True)


for folder in (disk, after, acks):
    folder.mkdir()
with image.open("wb") as new:
    new.truncate(64 << 20)
subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
subprocess.run(["mount", "-o", "loop", image, disk], check=True)
env = {
    **os.environ,
    "CODEH_HOME": str(home),
    "CODEH_SESSION": "demo",
    "FAULTS_ACKS": str(acks),
    "FAULTS_MUTANT": mutant,
}
subprocess.run(
    [sys.executable, "-m", "codeh_history", "append", "-q", "-m", "first"],
    env=env,
    check=True,
    stdout=subprocess.DEVNULL,
)
writers = start(env)
seen = {"acknowledged": 0, "lost": 0, "torn": 0, "missing": 0}
try:
    for _ in range(cuts):
        enough = len(acknowledged()) + 10
        deadline = time.monotonic() + 60
        while len(acknowledged()) < enough and time.monotonic() < deadline:
            time.sleep(0.01)
        acked = acknowledged()
        for writer in writers:
            writer.send_signal(signal.SIGSTOP)
        subprocess.run(["cp", "--sparse=always", image, copy], check=True)
        for writer in writers:
            writer.send_signal(signal.SIGCONT)
        losses = look(acked)
        for name, count in zip(seen, (len(acked), *losses), strict=True):
            seen[name] += count
finally:
    for writer in writers:
        writer.kill()
        writer.wait()
    subprocess.run(["umount", disk], check=False)
    for file in (image, copy):
        file.unlink(missing_ok=True)
print(json.dumps(seen))

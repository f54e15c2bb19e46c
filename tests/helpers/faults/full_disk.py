"""Fill up a small disk, in a file system of its own, for `test_disk`.

`full_disk.py HOME`: prints a JSON object of what was seen.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

home = Path(sys.argv[1])
session = home / "sessions" / "demo.jsonl"
os.environ.update(CODEH_HOME=str(home), CODEH_SESSION="demo")


def do(*argv):
    program = [sys.executable, "-m", "codeh_history", *argv]
    return subprocess.run(program, capture_output=True, check=False, stdin=subprocess.DEVNULL)


acknowledged = []
while (
    len(acknowledged) < 100
    and (done := do("append", "-q", "-m", f"{len(acknowledged)} " + "x" * 8000)).returncode == 0
):
    acknowledged.append(done.stdout.decode().strip())
full = session.read_bytes()
again = [do("append", "-m", "y" * 9000).returncode for _ in range(3)]
persisting = do("persist", "-i")
left = [path.name for path in home.rglob("*.tmp")]
left += [path.name for path in (home / "blocks").rglob("*") if path.is_file()]
unchanged = session.read_bytes() == full
(home.parent / "filler").unlink()
later = do("append", "-q", "-m", "room again")
subprocess.run(["mount", "-o", "remount,ro", home.parent], check=True)
read_only = do("append", "-m", "no")
there = [json.loads(line)["id"] for line in session.read_bytes().split(b"\n")[1:-1]]
print(
    json.dumps({
        "acknowledged": len(acknowledged), "code": done.returncode, "told": done.stderr.decode(), "again": again,
        "persisting": [persisting.returncode, persisting.stderr.decode()], "left": left, "unchanged": unchanged,
        "lost": len(set(acknowledged) - set(there)), "later": later.returncode, "torn": not full.endswith(b"}\n"),
        "read_only": [read_only.returncode, read_only.stderr.decode()],
        "order": there == [*acknowledged, later.stdout.decode().strip()],
    })
)  # fmt: skip

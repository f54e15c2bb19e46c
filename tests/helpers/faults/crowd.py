"""Processes that work on one session concurrently: `crowd.py ROLE NAME COUNT`, for `test_crowd`.

Writers do COUNT things and note what was acknowledged, `ID<TAB>TEXT` a line, in `$CODEH_HOME/acks/NAME` (`$FAULTS_ACKS/NAME`);
changers and readers go on until `$CODEH_HOME/stop` exists. `FAULTS_MUTANT` names a mutant to be.
"""

import os
import runpy
import sys
import time
from pathlib import Path

import orjson

from codeh_history.base.env import Env
from codeh_history.main import run
from codeh_history.session.fold import fold
from codeh_history.session.records import parse
from codeh_history.store import read

HOME = Path(os.environ.get("CODEH_HOME", ""))
SESSION = HOME / "sessions" / "demo.jsonl"
ACKS = Path(os.environ.get("FAULTS_ACKS") or HOME / "acks")


def do(*argv, stdin=b"", codes=(0,)):
    """Run a command line in this process, repeated while the session is locked; return its output."""
    for _ in range(100):
        code, out, err = once(*argv, stdin=stdin)
        if code != 75 or code in codes:
            break
    if code not in codes or (code == 0 and err):
        raise SystemExit(f"{argv}: {code} {err.decode()}")
    return out


def once(*argv, stdin):
    files = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
    os.write(files[0], stdin)
    os.lseek(files[0], 0, os.SEEK_SET)
    try:
        session = () if argv[0] == "gc" else ("-s", "demo")
        code = run([*argv, *session, "-q"], Env(stdin=files[0], stdout=files[1], stderr=files[2]))
        out, err = (os.pread(fd, 1 << 24, 0) for fd in files[1:])
    finally:
        for fd in files:
            os.close(fd)
    return code, out, err


# -- writers ----------------------------------------------------------------------------------------------


def append(name, count):
    for n in range(count):
        yield do("append", "-m", f"{name} {n}"), f"{name} {n}"


def keyed(name, count):
    """Append the same records under the same keys as every other such process."""
    for n in range(count):
        yield do("append", "-m", f"key {n}", "--key", f"k{n}"), f"key {n}"


def batch(name, count):
    for n in range(count):
        texts = [f"{name} {n}.{m}" for m in range(3)]
        lines = (orjson.dumps({"role": "user", "parts": [{"text": text}]}) for text in texts)
        ids = do("append", "--jsonl", stdin=b"\n".join(lines)).split()
        yield from zip(ids, texts, strict=True)


def stream(name, count):
    for n in range(count):
        text = f"{name} {n}"
        chunks = (
            {"candidates": [{"content": {"parts": [{"text": text[:3]}]}}], "responseId": text},
            {"candidates": [{"content": {"parts": [{"text": text[3:]}]}, "finishReason": "STOP"}], "responseId": text},
        )  # fmt: skip
        sse = b"".join(b"data: " + orjson.dumps(chunk) + b"\r\n\r\n" for chunk in chunks)
        yield do("append", "--from", "gemini", stdin=sse), text


# -- changers and readers -----------------------------------------------------------------------------------


def replace():
    """Run three commands that each replace the session's file."""
    do("persist", "-i", "--all")
    do("hydrate", "-i")
    do("persist", "-i", "--all")
    do("gc", "--yes")


def compact():
    do("compact", "-i", "--max-chars", "4000", codes=(0, 5))


def summarize():
    do(*"summarize -i --max-conversations 5 --min-batch 2 --counter approx".split(), codes=(0, 75))


seen = set()


def look():
    """Check that nothing is lost or torn, and that `show` reports no problem."""
    data = read.read_bytes(str(SESSION))
    log = parse(data)
    if any(damage.offset + 1 < data.rfind(b"\n") for damage in log.damage):
        raise SystemExit(f"torn: {log.damage}")
    now = set(fold(log).all)
    if not seen <= now:
        raise SystemExit(f"gone: {seen - now}")
    seen.update(now)
    do("show", "--jsonl")


WRITERS = {"append": append, "keyed": keyed, "batch": batch, "stream": stream}
OTHERS = {"replace": replace, "compact": compact, "summarize": summarize, "look": look}


def main(role, name, count):
    mutant = os.environ.get("FAULTS_MUTANT")
    if mutant:
        runpy.run_path(str(Path(__file__).with_name("mutants") / f"{mutant}.py"))
    if role in WRITERS:
        with (ACKS / name).open("w", buffering=1) as acks:
            for id, text in WRITERS[role](name, int(count)):
                acks.write(f"{id.decode().strip()}\t{text}\n")
        return
    while not (HOME / "stop").exists():
        OTHERS[role]()
        time.sleep(0.02)  # or the others would hardly ever get the lock


if __name__ == "__main__":
    main(*sys.argv[1:])

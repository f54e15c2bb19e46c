"""`make fuzz MINUTES=10`: every target for its share of so many minutes; 1 where something broke.

Guided by coverage (atheris); each target is searched in a process of its own, from the seeds and from what
earlier runs found interesting, and says how many inputs it has tried. What breaks a target is kept in
`.fuzz/NAME/crash-…`; `python tests/fuzz/run.py --replay FILE NAME` runs that once.
"""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KEPT = Path(os.environ.get("FUZZ_DIR") or ROOT / ".fuzz")
LONGEST = 4096
SECONDS_AN_INPUT = 20
MEGABYTES = 2048
RUNS = re.compile(rb"Done (\d+) runs in (\d+) second|#(\d+)\t")


def main(argv):
    sys.path[:0] = [str(ROOT / "cli"), str(ROOT / "tests" / "helpers"), str(HERE)]
    if argv[:1] == ["--target"]:
        search(argv[1], argv[2:])
    if argv[:1] == ["--replay"]:
        from targets import TARGETS

        TARGETS[argv[2]](Path(argv[1]).read_bytes())
        return 0
    return all_of_them(float(argv[0]) if argv else 10.0)


def all_of_them(minutes):
    """Every target, one after the other; prints a line for each."""
    from targets import SEEDS, TARGETS

    seconds = max(1, int(minutes * 60 / len(TARGETS)))
    broken = tried = 0
    for name in TARGETS:
        folder = KEPT / name
        (folder / "corpus").mkdir(parents=True, exist_ok=True)
        for seed in SEEDS[name]:
            (folder / "corpus" / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
        options = [f"-max_total_time={seconds}", f"-max_len={LONGEST}", f"-timeout={SECONDS_AN_INPUT}"]
        options += [f"-rss_limit_mb={MEGABYTES}", f"-artifact_prefix={folder}/", str(folder / "corpus")]
        done = subprocess.run(
            [sys.executable, __file__, "--target", name, *options],
            capture_output=True,
            check=False,
            cwd=ROOT,
        )
        count = max((int(a or b) for a, _, b in RUNS.findall(done.stderr)), default=0)
        tried += count
        print(f"{name:18} {count:>9,} inputs  {'clean' if done.returncode == 0 else 'BROKEN'}", flush=True)
        if done.returncode:
            broken += 1
            print(*shown(done.stdout), sep="\n")
    print(f"{'all':18} {tried:>9,} inputs  {broken} of {len(TARGETS)} broken")
    return 1 if broken else 0


def shown(out):
    """The traceback that ended a search, and where its input is kept."""
    text = out.decode("utf-8", "replace").splitlines()
    return text[-30:]


def search(name, options):
    """Look for an input that breaks a target; does not return."""
    import atheris

    with atheris.instrument_imports(include=["codeh_history"]):
        from targets import TARGETS
    atheris.Setup([sys.argv[0], *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

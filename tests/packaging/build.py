"""`make dist`: build wheel and source distribution into dist/, twice, and check both.

Two builds from two copies of the tree must be the same bytes. The wheel is built from the unpacked source
distribution, as an index's users would. Exit 1 names what is wrong.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import formula

ROOT = Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
BIN = Path(sys.executable).parent
LARGEST = 1_500_000  # bytes of the wheel; the vocabularies are a dependency
SHARED = (
    "share/man/man1/codeh-history.1", "share/bash-completion/completions/codeh-history",
    "share/zsh/site-functions/_codeh-history", "share/fish/vendor_completions.d/codeh-history.fish",
)  # fmt: skip


def main():
    with tempfile.TemporaryDirectory() as folder:
        first, second = (built(Path(folder, name)) for name in ("a", "a longer name"))
        different = [
            name
            for name in first.keys() | second.keys()
            if hash_of(first.get(name)) != hash_of(second.get(name))
        ]
        shutil.rmtree(DIST, ignore_errors=True)
        DIST.mkdir()
        files = [Path(shutil.copy(path, DIST)) for path in first.values()]
    problems = [f"{name}: two builds differ" for name in different]
    sdist, wheel = sorted(files, key=lambda path: path.suffix)
    problems += [*wrong_in_wheel(wheel), *failed_checks(sdist, wheel)]
    for path in files:
        print(f"{hash_of(path)}  {path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    for problem in problems:
        print(f"wrong: {problem}", file=sys.stderr)
    return 1 if problems else 0


def built(place):
    """The files that a build of a copy of the tree makes, by name."""
    place.mkdir()
    for name in listed():
        target = place / "tree" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)  # with the times of now: they must not matter
    subprocess.run(
        [BIN / "python", "-m", "build", "--no-isolation", "--outdir", place / "out", place / "tree"],
        check=True, stdout=subprocess.DEVNULL, umask=0o022 if place.name == "a" else 0o077,
    )  # fmt: skip
    return {path.name: path for path in (place / "out").iterdir()}


def listed():
    """The files of the project: those that git tracks; without git, all that no task makes."""
    done = subprocess.run(["git", "ls-files", "-z"], capture_output=True, cwd=ROOT, check=False)
    if done.returncode == 0:
        return [name for name in done.stdout.decode().split("\0") if name and (ROOT / name).exists()]
    return [
        str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
        if path.is_file() and not any((part.startswith(".") and part != ".ci") or part in ("__pycache__", "dist")
                                      for part in path.relative_to(ROOT).parts[:-1])
    ]  # fmt: skip


def hash_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path else ""


def wrong_in_wheel(wheel):
    """Problems of a wheel: too large, foreign files, or without those that shells and man need."""
    problems = []
    if wheel.stat().st_size > LARGEST:
        problems.append(f"{wheel.name}: {wheel.stat().st_size:,} bytes, above {LARGEST:,}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    data = f"{'-'.join(wheel.name.split('-')[:2])}.data"
    ours = (
        "codeh_history/",
        f"{data}/data/share/",
        f"{data}/scripts/",
        data.replace(".data", ".dist-info/"),
    )
    problems += [
        f"{wheel.name}: {name} does not belong there" for name in names if not name.startswith(ours)
    ]
    problems += [
        f"{wheel.name}: {name} is missing" for name in SHARED if f"{data}/data/{name}" not in names
    ]
    return problems


def failed_checks(sdist, wheel):
    """What the usual checkers say; Homebrew's own runs only where Homebrew is, so Ruby reads the formula."""
    formula.write()
    checks = [
        ["twine", "check", "--strict", sdist, wheel],
        ["check-wheel-contents", wheel],
        ["pyroma", "--quiet", "--min", "10", "--skip-tests", "AuthorEmail", sdist],  # no person is named
        ["hadolint", "--failure-threshold", "info", ROOT / "packaging" / "Dockerfile"],
    ]
    failed = []
    if shutil.which("ruby"):
        checks.append(["ruby", "-wc", formula.FORMULA])
    else:
        print("skipped: ruby -wc dist/codeh-history.rb: no Ruby on this machine")
    for command in checks:
        own = BIN / command[0]
        done = subprocess.run(
            [own if own.exists() else command[0], *command[1:]], capture_output=True, text=True, check=False,
            env={**os.environ, "NO_COLOR": "1"},
        )  # fmt: skip
        if done.returncode or "warning" in done.stderr:
            failed.append(f"{command[0]}: {(done.stdout + done.stderr).strip()}")
        else:
            print(f"ok: {command[0]}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
